// Data come from elements of the page, or from scripts beside it that call `chronoqgPart`: both work from a disk.
const loads = new Map();
const arrived = new Map();
globalThis.chronoqgPart = (name, data) => arrived.set(name, data);

const load = (name) =>
  new Promise((resolve, reject) => {
    const here = document.getElementById(`report-part-${name}`);
    if (here) {
      resolve(JSON.parse(here.textContent));
      return;
    }
    const script = document.createElement("script");
    script.charset = "utf-8";
    script.src = `report-data/${name}.js`;
    script.onload = () => {
      script.remove();
      if (arrived.has(name)) resolve(arrived.get(name));
      else script.onerror();
    };
    script.onerror = () => reject(new Error(`report-data/${name}.js cannot be read; it belongs beside this page. Make it anew with chronoqg report.`));
    document.head.append(script);
  });

const part = (name) => {
  if (!loads.has(name)) {
    loads.set(name, load(name));
    loads.get(name).catch(() => loads.delete(name));
  }
  return loads.get(name);
};

const element = (name, attributes = {}, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
};

const drawn = (name, attributes = {}, ...children) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
};
