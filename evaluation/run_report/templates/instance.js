// One instance, from question to history.
const heading = (text) => element("h3", {}, text);

const described = (pairs) => {
  const list = element("dl");
  for (const [name, value] of pairs) list.append(element("dt", {}, name), element("dd", {}, value));
  return list;
};

const funnel = (steps) => {
  const most = Math.max(1, ...steps.map(([, , , candidates]) => candidates));
  const list = element("ol", { class: "funnel" });
  let before = null;
  for (const [action, name, text, candidates] of steps) {
    const isNew = before === null || action === "forward_transition";
    const [top, bottom] = [isNew ? candidates : before, candidates].map((count) => Math.max(1, (100 * count) / most));
    const points = `${50 - top / 2},0 ${50 + top / 2},0 ${50 + bottom / 2},100 ${50 - bottom / 2},100`;
    const shape = drawn("svg", { viewBox: "0 0 100 100", preserveAspectRatio: "none", "aria-hidden": "true" }, drawn("polygon", { points }));
    const kind = action === "temporal_filter" ? "temporal" : action === "forward_transition" ? "anew" : "plain";
    list.append(element("li", { class: kind }, shape, element("b", {}, String(candidates)), element("span", {}, `${name}  ${action.replaceAll("_", " ")}: ${text}`)));
    before = candidates;
  }
  return list;
};

const visit = (one) => {
  const item = element("li");
  const end = element("span", one.isBad ? { class: "bad" } : {}, one.outcome);
  item.append(element("p", {}, element("b", {}, one.node.replaceAll("_", " ")), ": ", end, ` → ${one.to.replaceAll("_", " ")}`));
  if (one.question !== null) item.append(element("blockquote", {}, one.question));
  for (const [name, value] of one.result) item.append(element("p", {}, `${name.replaceAll("_", " ")}: ${value}`));
  item.append(element("small", {}, one.who));
  one.tries.forEach(([text, reply], place) => {
    item.append(element("small", {}, `try ${place + 1}: ${text}`));
    if (reply) item.append(element("small", { class: "bad" }, `reply: ${reply}`));
  });
  return item;
};

const factLine = (data, [subject, relation, object, when]) => element("li", {}, `${when}: ${[subject, relation, object].map((place) => data.labels[place]).join(" · ")}`);

const folded = (summary, ...content) => element("details", {}, element("summary", {}, summary), ...content);

const instanceView = (data, controls) => {
  const box = element("div", { class: "timeline" });
  const draw = () => box.replaceChildren(timeline(data, Math.max(240, Math.floor(box.clientWidth))));
  const isGood = data.fate === "accepted";
  const isBad = data.fate !== "not finished" && !isGood;
  const tags = element("ul", { class: "tags" }, element("li", { class: isGood ? "good" : isBad ? "bad" : "" }, data.fate));
  for (const text of [data.template, `${data.hops} hop${data.hops === 1 ? "" : "s"}`, `part ${data.part}`, ...data.constraints.map(([, operator]) => operator)]) tags.append(element("li", {}, text));
  const asked = data.final ?? data.written ?? data.raw;
  const which = data.final !== null ? "" : data.written !== null ? "Not accepted; the question written last:" : "No question was written; the template question:";
  const answer = [data.answer, data.aliases.length ? `, also known as ${data.aliases.join("; ")}` : "", ` (${data.answerId})`].join("");
  const view = [controls, tags];
  if (which) view.push(element("p", { class: "note" }, which));
  view.push(element("p", { class: "asked" }, asked));
  if (data.detail) view.push(element("p", { class: "bad" }, data.detail));
  view.push(folded("Show the answer", element("p", {}, answer)));
  if (asked !== data.raw) view.push(element("p", {}, element("b", {}, "Template question. "), data.raw));
  view.push(heading("Support facts"), box);
  const key = element("p", { class: "key" }, element("span", {}, element("i"), "facts of the answer's rows"));
  if (data.facts.some((fact) => fact[8])) key.append(element("span", {}, element("i", { class: "reference" }), "references"));
  key.append(element("span", {}, `a dot is a point in time, a bar an interval to the end of its last ${data.unit}`));
  view.push(key, described(data.constraints.map(([name, operator, text]) => [`${name}  ${operator}`, text])));
  view.push(folded(`Support facts in words (${data.facts.length})`, element("ul", {}, ...data.facts.map((fact) => factLine(data, fact)))));
  view.push(folded(`Rivals: what else the verifier sees (${data.evidence.length} facts)`, element("ul", {}, ...data.evidence.map((fact) => factLine(data, fact)))));
  view.push(heading("Trace: candidates after each step"), funnel(data.funnel));
  view.push(heading(data.cost ? `What the agents did (${data.cost})` : "What the agents did"));
  view.push(data.visits.length ? element("ol", { class: "history" }, ...data.visits.map(visit)) : element("p", { class: "note" }, data.fate === "not finished" ? "No agent has finished with this instance." : "No node was visited."));
  const commands = element("p", { class: "note" }, element("code", {}, `chronoqg show RUN ${data.id}`));
  if (data.visits.length) commands.append(" · ", element("code", {}, `chronoqg replay RUN ${data.id}`));
  view.push(commands, element("p", { class: "note" }, `From ${data.source}, seed ${data.seed}. ${data.hint}`));
  return { view, draw, box };
};
