// Building the page: elements and texts only. Nothing is ever parsed as HTML.

const SVG = "http://www.w3.org/2000/svg";
const DRAWN = new Set(["svg", "g", "path", "line", "rect", "circle", "text", "tspan", "defs", "clipPath", "title"]);

export const find = (id) => document.getElementById(id);

// Control characters, and those that hide or turn text around, are shown as \n or \u202e: names and values are
// somebody else's. As printable.py has it.
const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
const SHORT = { "\t": "\\t", "\n": "\\n", "\r": "\\r" };
const escaped = (mark) => {
  if (SHORT[mark]) return SHORT[mark];
  const code = mark.codePointAt(0);
  return code < 32 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
};
export const printable = (text) => String(text).replace(HIDDEN, escaped);

export function made(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.includes("-") || key === "role" || key === "for") element.setAttribute(key, value);
    else element[key] = value;
  }
  element.append(...children.map((each) => (each instanceof Node ? each : printable(each))));
  return element;
}

// A number keeps its per cent sign on its line.
const kept = (text) => text.replaceAll(" %", "\u00a0%");
export const paragraphs = (sentences) => sentences.map((each) => made("p", {}, kept(each)));

export function table({ title, heads, rows }, action = null) {
  const head = made("tr", {}, ...heads.map((each) => made("th", { scope: "col" }, each)));
  if (action) head.append(made("th", {}, made("span", { className: "hidden" }, "Choose")));
  const body = rows.map((row, place) => {
    const line = made("tr", {}, ...row.map((cell) => made("td", {}, cell)));
    if (action) line.append(made("td", {}, action(place) ?? ""));
    return line;
  });
  const whole = made("table", {}, ...(title ? [made("caption", {}, title)] : []),
    made("thead", {}, head), made("tbody", {}, ...body));
  return made("div", { className: "scroll", tabIndex: 0, role: "group", "aria-label": title || heads.join(", ") }, whole);
}

// A picture comes as [name, {attribute: text}, [children]].
export function drawing([name, attributes, children]) {
  const element = document.createElementNS(SVG, DRAWN.has(name) ? name : "g");
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  for (const child of children) element.append(typeof child === "string" ? child : drawing(child));
  return element;
}

export function place(where, picture) {
  where.setAttribute("aria-label", picture.described);
  where.replaceChildren(drawing(picture.tree));
  where.classList.remove("waiting");
}

export const narrow = () => window.matchMedia("(max-width: 36rem)").matches;
export const width = () => (narrow() ? "narrow" : "wide");
export const pictured = (both) => both[width()];

export function assumptions(answer) {
  const notes = [...answer.assumptions, ...answer.warnings.map((each) => `Note: ${each}`)];
  const about = answer.model ? [`Model: ${answer.model}${answer.seed === null ? "" : `, seed ${answer.seed}`}.`] : [];
  return made("details", {}, made("summary", {}, "Assumptions"),
    made("ul", {}, ...[...about, ...notes].map((each) => made("li", {}, each))));
}

// The last of several calls, once there was a moment of quiet.
export function soon(work, quiet = 40) {
  let timer = 0;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => work(...given), quiet);
  };
}
