// Dangerous combinations of what is ticked.

import { find, assumptions, made, paragraphs, pictured, place, table } from "./dom.js";
import { runJob } from "./jobs.js";

export function begin(state) {
  find("search-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    const options = {
      allowable_risk: limit(find("search-allowed").value),
      measure: find("search-measure").value,
      up_to: Number(find("search-most").value),
    };
    find("search-answer").replaceChildren();
    const question = { source: state.source.id, kind: "search", view: state.view(), options };
    const answer = await runJob(find("search-work"), question, "Searching");
    if (answer) show(answer, state);
  });
}

// A number is per cent; 1/11 and k=11 are what they say.
function limit(text) {
  return /[/=]/.test(text) ? text : Number(text.replace(",", ".")) / 100;
}

function show(answer, state) {
  const said = made("div", { className: "said", role: "status" }, ...paragraphs(answer.sentences));
  const parts = [said];
  for (const both of Object.values(answer.pictures)) {
    const where = made("div", { className: "picture small", role: "img" });
    place(where, pictured(both));
    parts.push(made("figure", {}, where));
  }
  answer.grids.forEach((grid, at) => {
    const look = at === 0 ? (row) => answer.views[row] && made("button", {
      type: "button", className: "quiet", onclick: () => state.take(answer.views[row]),
    }, "Tick these") : null;
    parts.push(table(grid, look));
  });
  find("search-answer").replaceChildren(...parts, ...paragraphs(answer.became), assumptions(answer));
}
