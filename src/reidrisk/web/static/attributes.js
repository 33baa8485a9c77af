// The list of attributes: which are ticked, and in how much detail each is seen.

import { find, made } from "./dom.js";

const OTHER = "other";
let held = [];
let asked = false;

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
  row.ways = made("select", { "aria-label": `Detail of ${attribute.name}` },
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
  asked = Boolean(source.unit?.question);
  find("reading").open = asked;
  const usable = source.attributes.filter((each) => each.usable);
  const numbers = usable.filter((each) => each.kind === "whole number");
  const choice = (kind, name, text) => made("option", { value: JSON.stringify([kind, name]) }, text);
  find("row-unit").replaceChildren(
    ...(asked ? [made("option", { value: "" }, "– choose –")] : []),
    made("option", { value: "row" }, "one person"),
    made("optgroup", { label: "One of several rows of a person, who is identified by" },
      ...usable.map(({ name }) => choice("person", name, `${name}`))),
    made("optgroup", { label: "Several people, whose number is in" },
      ...numbers.map(({ name }) => choice("count", name, `${name}`))));
  find("row-missing").value = "own";
  ask(source.unit);
}

// Where a column makes it doubtful what a row stands for, that is asked before the first figure.
function ask(unit) {
  const told = {
    person: (name) => `No: a person has several rows, which share ${name}`,
    count: (name) => `No: a row stands for several people, whose number is in ${name}`,
  };
  const answer = (value, text) => made("button", {
    type: "button", onclick: () => {
      find("row-unit").value = value;
      find("attributes").dispatchEvent(new Event("change"));
      find("answer").focus();
    },
  }, text);
  find("unit-question").replaceChildren(...(asked ? [
    made("h2", {}, "Is each row one person?"),
    ...unit.likely.map((each) => made("p", {}, each.why)),
    made("div", { className: "choices" },
      ...unit.likely.map(({ kind, column }) => answer(JSON.stringify([kind, column]), told[kind](column))),
      answer("row", "Yes: each row is one person"))] : []));
}

// What a row stands for, as the server takes it; `unanswered` where it has to be said first.
function unit() {
  const { value } = find("row-unit");
  const stated = { count: null, person: null, rows_are_people: value === "row" && asked };
  if (find("reading").hidden || value === "row") return stated;
  if (value === "") return { ...stated, unanswered: true };
  const [kind, name] = JSON.parse(value);
  return { ...stated, [kind]: name };
}

const aside = (chosen, name) => name === chosen.count || name === chosen.person;

// The view as the server takes it.
export function view() {
  const chosen = { columns: [], bands: {}, levels: {}, decimals: {}, missing: find("row-missing").value, ...unit() };
  for (const row of held) {
    const { name } = row.attribute;
    if (!row.box.checked || aside(chosen, name)) continue;
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
    if (attribute.ticked && !box.checked && !aside(chosen, attribute.name)) chosen.columns.push(attribute.name);
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
