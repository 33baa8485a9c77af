// What about me: one's own values, the sentence, the k curve, what singles one out.

import { showError, post } from "./requests.js";
import { find, assumptions, made, paragraphs, place, table, width } from "./dom.js";

const TITLES = { curve: "How many people share your values?", gives_away: "What singles you out?" };

export async function fields(state) {
  const source = state.source;
  find("person-answer").replaceChildren();
  const ticked = new Set(state.view().columns);
  const usable = state.attributes().filter((each) => each.usable && ticked.has(each.name));
  const before = values();
  const made_ = await Promise.all(usable.map((each, at) => field(source, each, at, before[each.name])));
  if (state.source === source) find("person-fields").replaceChildren(...made_);
}

async function field(source, attribute, at, before) {
  const id = `person-${at}`;
  const { choices } = await post(`/sources/${source.id}/choices`, { attribute: attribute.name });
  const numbers = choices.length > 30 && choices.every((each) => /^-?[0-9]+$/.test(each));
  let entry;
  if (choices.length && !numbers) {
    entry = made("select", { id }, made("option", { value: "" }, "not known"),
      ...choices.map((each) => made("option", { value: each }, each)));
  } else {
    entry = made("input", { id, type: "text", inputMode: numbers ? "numeric" : "text", autocomplete: "off", spellcheck: false });
  }
  if (before) entry.value = before;
  entry.dataset.attribute = attribute.name;
  return made("div", {}, made("label", { for: id }, attribute.name), entry);
}

function values() {
  const entries = [...find("person-fields").querySelectorAll("[data-attribute]")];
  return Object.fromEntries(entries.filter((each) => each.value.trim()).map((each) => [each.dataset.attribute, each.value]));
}

export function begin(state) {
  find("person-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    const where = find("person-answer");
    try {
      const question = { values: values(), view: state.view(), width: width() };
      show(await post(`/sources/${state.source.id}/person`, question), where);
    } catch (error) {
      const trouble = made("div", { className: "trouble", role: "alert" });
      where.replaceChildren(trouble);
      showError(error, trouble);
    }
  });
  find("person-form").addEventListener("reset", () => find("person-answer").replaceChildren());
}

function show(answer, where) {
  const [first, ...rest] = answer.sentences;
  const parts = [made("p", { className: "big" }, first), ...paragraphs([...rest, ...answer.because])];
  for (const [name, picture] of Object.entries(answer.pictures)) {
    const box = made("div", { className: "picture small", role: "img" });
    place(box, picture);
    parts.push(made("h3", {}, TITLES[name] ?? name), made("figure", {}, box));
  }
  const tables = made("details", {}, made("summary", {}, "The figures as a table"),
    table(answer.crowds), table(answer.gives_away));
  where.replaceChildren(...parts, tables, assumptions(answer));
}
