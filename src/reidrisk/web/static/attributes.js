// The list of attributes: which are ticked, and how coarsely each is seen.

import { find, made } from "./dom.js";

const OTHER = "other";
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
  const made_ = { attribute, box, line, ways: null, other: null };
  if (attribute.ways.length) seenSo(made_);
  return made_;
}

// How it is seen: as recorded, in a way that was proposed, or in bands of a width of one's own.
function seenSo(row) {
  const { attribute, box, line } = row;
  const banded = attribute.ways[0].option === "bands";
  row.ways = made("select", { "aria-label": `How ${attribute.name} is seen` },
    ...(attribute.measured ? [] : [made("option", { value: "" }, "as recorded")]),
    ...attribute.ways.map((way, at) => made("option", { value: String(at) }, way.told)),
    ...(banded ? [made("option", { value: OTHER }, "in bands of …")] : []));
  row.other = made("input", { type: "text", hidden: true, "aria-label": `Width of the bands of ${attribute.name}`, placeholder: "such as 15" });
  row.ways.addEventListener("change", () => {
    box.checked = true;
    row.other.hidden = row.ways.value !== OTHER;
    if (!row.other.hidden) row.other.focus();
  });
  line.append(row.ways, row.other);
}

// {option, how} of one attribute; null where it is seen as recorded.
function way({ attribute, ways, other }) {
  if (!ways || ways.value === "") return null;
  if (ways.value !== OTHER) return attribute.ways[Number(ways.value)];
  return other.value.trim() ? { option: "bands", how: other.value.trim() } : null;
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
  for (const row of held) {
    const { name } = row.attribute;
    if (!row.box.checked || name === chosen.count) continue;
    chosen.columns.push(name);
    const seen = way(row);
    if (seen) chosen[seen.option][name] = seen.how;
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
  for (const { attribute, box, ways, other } of held) {
    box.checked = columns.includes(attribute.name);
    const wanted = bands[attribute.name];
    if (!ways || wanted === undefined) continue;
    const at = attribute.ways.findIndex((each) => each.option === "bands" && each.how === wanted);
    if (at < 0 && ways.lastElementChild.value !== OTHER) ways.append(made("option", { value: OTHER }, "in bands of …"));
    ways.value = at < 0 ? OTHER : String(at);
    other.hidden = at >= 0;
    other.value = at < 0 ? wanted : "";
  }
}
