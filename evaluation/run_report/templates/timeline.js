// The support facts on a time axis, a lane each; a constraint is a bracket on the right between the lanes that it compares.
const LINE = 17, BAR = 12, GAP = 14, TOP = 26, GUTTER = 26, MOST_TEXT = 400;
const ruler = document.createElement("canvas").getContext("2d");
const FONT = '13px system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';

const widthOf = (text, bold) => {
  ruler.font = (bold ? "bold " : "") + FONT;
  return ruler.measureText(text).width;
};

// The longest beginning that fits, at least one sign; a pair of surrogates stays together.
const beginning = (text, width) => {
  let signs = [...text];
  let low = 1, high = signs.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (widthOf(signs.slice(0, middle).join("")) <= width) low = middle;
    else high = middle - 1;
  }
  return signs.slice(0, low).join("");
};

const shortened = (text, most) => (text.length <= most ? text : [...text.slice(0, 2 * most)].slice(0, most - 1).join("").trimEnd() + "…");

const wrapped = (text, width, most, indent) => {
  const lines = [""];
  const room = () => (lines.length === 1 ? width - indent : width);
  for (let word of text.slice(0, MOST_TEXT).split(/(?<= )/)) {
    while (word) {
      if (widthOf(lines.at(-1) + word.trimEnd()) <= room()) {
        lines[lines.length - 1] += word;
        break;
      }
      if (lines.at(-1)) lines.push("");
      else {
        const head = beginning(word, room());
        lines[lines.length - 1] = head;
        word = word.slice(head.length);
        if (word) lines.push("");
      }
      if (lines.length > most) break;
    }
    if (lines.length > most) break;
  }
  if (lines.length <= most && text.length <= MOST_TEXT) return lines;
  const kept = lines.slice(0, most);
  kept[most - 1] = beginning(kept[most - 1], width - (most === 1 ? indent : 0) - 14).trimEnd() + "…";
  return kept;
};

const titled = (shape, text) => {
  shape.append(drawn("title", {}, text));
  return shape;
};

const timeline = (data, width) => {
  const links = data.constraints.filter(([, , , left, right]) => left.length || right.length);
  const plot = Math.max(120, width - GUTTER * links.length - 10);
  const x = (place) => 4 + place * (plot - 8);
  let y = TOP;
  const lanes = data.facts.map(([subject, relation, object, when, names, from, to, isPoint, isReference]) => {
    const labels = [subject, relation, object].map((place) => data.labels[place]);
    const said = labels.join(" · ");
    const brief = labels.map((label) => shortened(label, Math.max(24, plot / 7))).join(" · ");
    const name = names.join(", ");
    const indent = name ? widthOf(name, true) + 8 : 0;
    const lines = wrapped(`${when}   ${brief}`, plot - 4, 3, indent);
    const top = y;
    const middle = top + lines.length * LINE + 4 + BAR / 2;
    y = middle + BAR / 2 + GAP;
    return { said, when, name, indent, lines, top, middle, from: x(from), to: x(to), isPoint, isReference };
  });
  const svg = drawn("svg", { width, height: y, viewBox: `0 0 ${width} ${y}`, role: "img" });
  titled(svg, "The support facts on a time axis; the list below says the same in words.");

  let free = -1;
  for (const [place, text] of data.marks) {
    svg.append(drawn("line", { class: "grid", x1: x(place), x2: x(place), y1: TOP - 8, y2: y - 4 }));
    const half = (widthOf(text) * 12) / 13 / 2;
    const at = Math.min(Math.max(x(place), half), plot - half);
    if (at - half < free) continue;
    svg.append(drawn("text", { class: "mark", x: at, y: 12, "text-anchor": "middle" }, text));
    free = at + half + 8;
  }
  for (const [, , , left, right] of links) {
    const both = [...left, ...right];
    const low = Math.min(...both.map((place) => lanes[place].middle)), high = Math.max(...both.map((place) => lanes[place].middle));
    if (both.length > 4 || low === high) continue;
    for (const place of both) {
      const { from, to, isPoint } = lanes[place];
      for (const edge of isPoint ? [(from + to) / 2] : [from, to]) svg.append(drawn("line", { class: "guide", x1: edge, x2: edge, y1: low, y2: high }));
    }
  }
  for (const lane of lanes) {
    lane.lines.forEach((line, row) => {
      const text = drawn("text", { x: row ? 0 : lane.indent, y: lane.top + (row + 1) * LINE - 4 }, line);
      svg.append(titled(text, lane.said));
    });
    if (lane.name) svg.append(drawn("text", { class: "name", x: 0, y: lane.top + LINE - 4 }, lane.name));
    const kind = lane.isReference ? "reference" : "row";
    const shape = lane.isPoint
      ? drawn("circle", { class: kind, cx: (lane.from + lane.to) / 2, cy: lane.middle, r: BAR / 2 })
      : drawn("rect", { class: kind, x: lane.from, y: lane.middle - BAR / 2, width: Math.max(3, lane.to - lane.from), height: BAR, rx: 2 });
    svg.append(titled(shape, `${lane.when}: ${lane.said}`));
  }
  links.forEach(([name, operator, , left, right], column) => {
    const at = plot + 10 + GUTTER * column;
    const both = [...new Set([...left, ...right])];
    const heights = both.map((place) => lanes[place].middle);
    const low = Math.min(...heights), high = Math.max(...heights);
    svg.append(drawn("line", { class: "link", x1: at, x2: at, y1: low, y2: high }));
    for (const place of both) {
      const lane = lanes[place];
      const end = lane.isPoint ? (lane.from + lane.to) / 2 + BAR / 2 : Math.max(lane.to, lane.from + 3);
      svg.append(drawn("line", { class: "link", x1: Math.min(end + 2, at), x2: at, y1: lane.middle, y2: lane.middle, "stroke-opacity": 0.45 }));
    }
    const middle = (low + high) / 2;
    svg.append(titled(drawn("circle", { class: "badge", cx: at, cy: middle, r: 10 }), operator));
    svg.append(drawn("text", { class: "badge-text", x: at, y: middle + 4 }, name));
  });
  return svg;
};
