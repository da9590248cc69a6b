"use strict";
(() => {
  const data = JSON.parse(document.getElementById("explorer-data").textContent);
  const root = document.getElementById("explorer");
  const [form, status, head, body, more] = ["form", "p", "thead", "tbody", "button"].map((name) => root.querySelector(name));
  const opens = data.settings.some((one) => one.command);
  const columns = [...data.itemColumns, ...data.answerColumns, ...(opens ? ["open with"] : [])];
  const STEP = 50;
  let limit = STEP;

  const element = (name, text) => {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    return made;
  };
  const field = (name, control) => {
    const label = element("label", name);
    control.name = name;
    label.append(control);
    form.append(label);
    return control;
  };
  const choice = (name, values) => {
    const select = element("select");
    values.forEach(([value, text]) => {
      const option = element("option", text);
      option.value = value;
      select.append(option);
    });
    return field(name, select);
  };
  const quoted = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : "'" + text.replaceAll("'", "'\"'\"'") + "'");

  const setting = choice(data.setting, data.settings.map((one, place) => [place, one.name]));
  setting.value = data.first;
  const filters = data.filters.map((name) => {
    const inItem = data.itemColumns.indexOf(name);
    const rows = inItem >= 0 ? data.items : data.answers;
    const place = inItem >= 0 ? inItem : data.answerColumns.indexOf(name);
    const parts = (text) => (data.several.includes(name) ? text.split(data.separator) : [text]);
    const values = [...new Set(rows.flatMap((row) => parts(row[place])))].sort();
    const select = choice(name, [["", "all"], ...values.map((value) => [value, value])]);
    return { select, parts, column: inItem >= 0 ? place : data.itemColumns.length + place };
  });
  const search = field("text", element("input"));
  search.type = "search";

  const rows = () => {
    const answers = data.settings[setting.value].answers;
    const wanted = search.value.toLocaleLowerCase();
    const found = [];
    data.items.forEach((item, place) => {
      if (answers[place] === null) return;
      const row = [...item, ...data.answers[answers[place]]];
      const fits = filters.every(({ select, parts, column }) => !select.value || parts(row[column]).includes(select.value));
      if (fits && (!wanted || row.join("\n").toLocaleLowerCase().includes(wanted))) found.push(row);
    });
    return found;
  };
  const draw = () => {
    const found = rows();
    const command = data.settings[setting.value].command;
    status.textContent = `${found.length} of ${data.items.length} items, ${Math.min(limit, found.length)} shown`;
    body.replaceChildren(
      ...found.slice(0, limit).map((row) => {
        const line = element("tr");
        const open = command ? `${command} ${quoted(row[0])}` : "-";
        [...row, ...(opens ? [open] : [])].forEach((text, place) => {
          const cell = element("td", text);
          cell.dataset.label = columns[place];
          cell.className = text.length <= 30 ? "short" : "long";
          line.append(cell);
        });
        return line;
      })
    );
    more.hidden = found.length <= limit;
  };
  const anew = () => {
    limit = STEP;
    draw();
  };

  const line = element("tr");
  columns.forEach((name) => line.append(element("th", name)));
  head.append(line);
  form.addEventListener("input", anew);
  form.addEventListener("submit", (event) => event.preventDefault());
  more.addEventListener("click", () => {
    limit += STEP;
    draw();
  });
  root.hidden = false;
  draw();
})();
