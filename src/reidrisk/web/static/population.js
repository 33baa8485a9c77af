// A sample: of those who are alone in it, how many are alone in the population?

import { find, assumptions, made, paragraphs, pictured, place, table } from "./dom.js";
import { runJob } from "./jobs.js";

export function begin(state) {
  find("population-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    find("population-answer").replaceChildren();
    const options = { population: Number(find("population-size").value) };
    const question = { source: state.source.id, kind: "population", view: state.view(), options };
    const answer = await runJob(find("population-work"), question, "Estimating");
    if (answer) show(answer);
  });
}

function show(answer) {
  const parts = [made("div", { className: "said", role: "status" }, ...paragraphs(answer.sentences))];
  for (const both of Object.values(answer.pictures)) {
    const where = made("div", { className: "picture small", role: "img" });
    place(where, pictured(both));
    parts.push(made("figure", {}, where));
  }
  for (const grid of answer.grids) parts.push(table(grid));
  find("population-answer").replaceChildren(...parts, assumptions(answer));
}
