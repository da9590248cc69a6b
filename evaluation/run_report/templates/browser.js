// The list of instances with its filters, a page at a time; `#instance-ID` opens one in its place.
const PAGE = 25;
const about = JSON.parse(document.getElementById("report-about").textContent);
const root = document.getElementById("browser");
const panel = document.getElementById("instance");
const [form, status, found] = ["form", "p", "ol"].map((name) => root.querySelector(name));
const pager = root.querySelector(".pager");
const [back, on] = pager.querySelectorAll("button");
const prefix = "#instance-";

const begin = (items) => {
  const places = new Map(items.map(([id], place) => [id, place]));
  const texts = items.map(([id, , , , , question, raw]) => `${id}\n${question}\n${raw}`.toLocaleLowerCase());
  let shown = items.map((_, place) => place);
  let page = 0;
  let opened = null;
  let asked = 0;

  const choice = (name, column) => {
    const counts = new Map();
    for (const item of items) for (const value of [item[column]].flat()) counts.set(value, (counts.get(value) ?? 0) + 1);
    const select = element("select", { name }, element("option", { value: "" }, "all"));
    const order = about.orders[column] ?? [];
    const rank = (value) => (order.includes(value) ? order.indexOf(value) : order.length);
    for (const value of [...counts.keys()].sort((one, other) => rank(one) - rank(other))) select.append(element("option", { value }, `${value} (${counts.get(value)})`));
    form.append(element("label", {}, name, select));
    return { select, column };
  };
  const filters = [["outcome", 4], ["part", 2], ["template", 1], ["operator", 3]].map(([name, column]) => choice(name, column));
  const search = element("input", { type: "search", name: "text", placeholder: "in id and questions" });
  form.append(element("label", {}, "text", search));

  const href = (place) => prefix + encodeURIComponent(items[place][0]);
  const list = () => {
    const pages = Math.max(1, Math.ceil(shown.length / PAGE));
    page = Math.min(page, pages - 1);
    status.textContent = `${shown.length} of ${items.length} instances`;
    pager.querySelector("span").textContent = `page ${page + 1} of ${pages}`;
    back.disabled = page === 0;
    on.disabled = page === pages - 1;
    pager.hidden = pages === 1;
    found.replaceChildren(
      ...shown.slice(page * PAGE, (page + 1) * PAGE).map((place) => {
        const [id, template, which, operators, fate, question] = items[place];
        const small = element("small", {}, ...[fate, `${template}, part ${which}`, operators.join(", "), id].map((text) => element("span", {}, text)));
        if (fate.startsWith("discarded") || fate === "failed") small.firstChild.className = "bad";
        return element("li", {}, element("a", { href: href(place) }, question, small));
      })
    );
  };
  const filter = () => {
    const wanted = search.value.toLocaleLowerCase();
    shown = [];
    items.forEach((item, place) => {
      const fits = filters.every(({ select, column }) => !select.value || [item[column]].flat().includes(select.value));
      if (fits && (!wanted || texts[place].includes(wanted))) shown.push(place);
    });
    page = 0;
    list();
  };
  const turn = (by) => {
    page += by;
    list();
    root.scrollIntoView();
  };

  const controls = (place) => {
    const at = shown.indexOf(place);
    const step = (text, to) => {
      const button = element("button", { type: "button" }, text);
      button.disabled = at < 0 || to < 0 || to >= shown.length;
      button.addEventListener("click", () => (location.hash = href(shown[to])));
      return button;
    };
    const where = at < 0 ? items[place][0] : `${at + 1} of ${shown.length}: ${items[place][0]}`;
    return element("p", { class: "steps" }, element("a", { href: "#instances" }, "All instances"), step("Previous", at - 1), step("Next", at + 1), element("span", {}, where));
  };
  const observer = new ResizeObserver(() => opened?.draw());
  const open = async (place) => {
    const which = String(Math.floor(place / about.size)).padStart(4, "0");
    const ticket = ++asked;
    let view;
    try {
      const data = (await part(which))[place % about.size];
      if (ticket !== asked) return;
      opened = instanceView(data, controls(place));
      view = opened.view;
    } catch (error) {
      if (ticket !== asked) return;
      opened = null;
      view = [controls(place), element("p", { class: "bad" }, String(error.message))];
    }
    panel.replaceChildren(...view);
    panel.hidden = false;
    root.hidden = true;
    observer.disconnect();
    if (opened) {
      opened.draw();
      observer.observe(opened.box);
    }
    panel.scrollIntoView();
    panel.focus({ preventScroll: true });
  };
  const follow = () => {
    let id = "";
    try {
      id = location.hash.startsWith(prefix) ? decodeURIComponent(location.hash.slice(prefix.length)) : "";
    } catch {
      id = "";
    }
    if (places.has(id)) {
      open(places.get(id));
      return;
    }
    asked += 1;
    opened = null;
    panel.hidden = true;
    root.hidden = false;
  };

  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  back.addEventListener("click", () => turn(-1));
  on.addEventListener("click", () => turn(1));
  globalThis.addEventListener("hashchange", follow);
  list();
  follow();
};

part("list").then(begin, (error) => {
  root.hidden = false;
  status.className = "bad";
  status.textContent = error.message;
});
