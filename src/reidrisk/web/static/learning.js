// What would be learnt of a sensitive column about people who aren't picked out.

import { find, assumptions, made, paragraphs, pictured, place, table } from "./dom.js";
import { runJob } from "./jobs.js";

// Offers every attribute of what was opened; none is sensitive until somebody says so.
export function show(source) {
  find("learn-answer").replaceChildren();
  find("learn-column").replaceChildren(made("option", { value: "" }, "– choose –"),
    ...source.attributes.filter((each) => each.usable).map(({ name }) => made("option", { value: name }, name)));
}

// The view with the sensitive column, which is none of its quasi-identifiers.
export function withSensitive(view) {
  const { value } = find("learn-column");
  if (!value) return view;
  return { ...view, columns: view.columns.filter((name) => name !== value), sensitive: [value] };
}

export function begin(state) {
  find("learn-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    find("learn-answer").replaceChildren();
    const question = { source: state.source.id, kind: "learn", view: withSensitive(state.view()), options: {} };
    const answer = await runJob(find("learn-work"), question, "Counting");
    if (answer) shown(answer);
  });
}

function shown(answer) {
  const parts = [made("div", { className: "said", role: "status" }, ...paragraphs(answer.sentences))];
  for (const both of Object.values(answer.pictures)) {
    const where = made("div", { className: "picture", role: "img" });
    place(where, pictured(both));
    parts.push(made("figure", {}, where));
  }
  for (const grid of answer.grids) parts.push(table(grid));
  find("learn-answer").replaceChildren(...parts, assumptions(answer));
}
