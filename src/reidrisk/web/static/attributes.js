// The list of attributes: which are ticked, and how coarsely each is seen.

import { find, made } from "./dom.js";

let held = [];

// Shows the attributes of what was opened; `changed` is called after every tick.
export function show(source, changed) {
  held = source.attributes.map((each, place) => row(each, place));
  find("attribute-list").replaceChildren(...held.map((each) => each.line));
  find("attributes").onchange = changed;
  find("attributes").onsubmit = (event) => event.preventDefault();
  const tickAll = (ticked) => () => {
    for (const each of held) if (!each.box.disabled) each.box.checked = ticked && each.attribute.ticked;
    changed();
  };
  find("tick-all").onclick = tickAll(true);
  find("tick-none").onclick = tickAll(false);
  rows(source);
}

function row(attribute, place) {
  const id = `attribute-${place}`;
  const box = made("input", { type: "checkbox", id, checked: attribute.ticked, disabled: !attribute.usable });
  const values = attribute.values === 1 ? "1 value" : `${attribute.values.toLocaleString("en")} values`;
  const line = made("li", {}, made("p", { className: "tick" }, box,
    made("label", { for: id }, attribute.name), made("span", {}, values)));
  if (attribute.why) {
    line.append(made("p", { className: "why", id: `${id}-why` }, attribute.why));
    box.setAttribute("aria-describedby", `${id}-why`);
  }
  let ways = null;
  if (attribute.ways.length) {
    ways = made("select", { "aria-label": `How ${attribute.name} is seen` },
      ...(attribute.measured ? [] : [made("option", { value: "" }, "as recorded")]),
      ...attribute.ways.map((way, at) => made("option", { value: String(at) }, way.told)));
    ways.addEventListener("change", () => { box.checked = true; });
    line.append(ways);
  }
  return { attribute, box, ways, line };
}

function rows(source) {
  const records = source.kind === "records";
  find("reading").hidden = !records;
  find("reading").open = source.attributes.some((each) => each.counts);
  const numbers = source.attributes.filter((each) => each.kind === "whole number");
  find("row-count").replaceChildren(made("option", { value: "" }, "one person"),
    ...numbers.map((each) => made("option", { value: each.name }, `as many people as ${each.name} says`)));
  find("row-missing").value = "own";
}

// The view as the server takes it.
export function view() {
  const chosen = { columns: [], bands: {}, levels: {}, decimals: {}, missing: find("row-missing").value, count: find("row-count").value || null };
  for (const { attribute, box, ways } of held) {
    const aside = attribute.name === chosen.count;
    if (!box.checked || aside) continue;
    chosen.columns.push(attribute.name);
    const way = ways && ways.value !== "" ? attribute.ways[Number(ways.value)] : null;
    if (way) chosen[way.option][attribute.name] = way.how;
  }
  return chosen;
}

// How an attribute is seen, ticked or not: for questions about more than is ticked.
export function everything() {
  const chosen = view();
  for (const { attribute, box } of held) {
    if (attribute.ticked && !box.checked && attribute.name !== chosen.count) chosen.columns.push(attribute.name);
  }
  return chosen;
}

export const names = () => held.map((each) => each.attribute);

// Takes over a view: these attributes ticked, these bands chosen.
export function take(columns, bands = {}) {
  for (const { attribute, box, ways } of held) {
    box.checked = columns.includes(attribute.name);
    const wanted = bands[attribute.name];
    if (!ways || wanted === undefined) continue;
    let at = attribute.ways.findIndex((way) => way.option === "bands" && way.how === wanted);
    if (at < 0) {
      attribute.ways.push({ option: "bands", how: wanted, told: `in bands of ${wanted}` });
      at = attribute.ways.length - 1;
      ways.append(made("option", { value: String(at) }, attribute.ways[at].told));
    }
    ways.value = String(at);
  }
}
