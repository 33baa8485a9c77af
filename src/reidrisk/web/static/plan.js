// Planning a survey: how many are asked, and what one more question or a coarser one does.

import { showError, post } from "./requests.js";
import { find, assumptions, made, paragraphs, pictured, place, soon, table, width } from "./dom.js";
import { stopJob, runJob } from "./jobs.js";

let latest = 0;

export function begin(state) {
  const slider = find("group-size");
  const moved = soon(() => look(state, false), 30);
  slider.addEventListener("input", () => {
    find("group-size-told").textContent = Number(slider.value).toLocaleString("en");
    moved();
  });
  find("group-form").addEventListener("submit", (event) => event.preventDefault());
  find("plan-start").addEventListener("click", () => compare(state));
}

// The group asked what is ticked; with `curve`, also its picture.
export async function look(state, curve = true) {
  const turn = ++latest;
  const view = state.view();
  if (curve) await stopJob(find("plan-work")).then(() => find("plan-answer").replaceChildren());
  if (!view.columns.length) {
    find("group-said").replaceChildren();
    find("picture-group").replaceChildren();
    return;
  }
  try {
    const slider = find("group-size");
    const question = { view, size: Number(slider.value), curve, width: width() };
    const told = await post(`/sources/${state.source.id}/group`, question);
    if (turn !== latest) return;
    if (curve) {
      slider.max = String(Math.max(told.largest, 10));
      find("group-size-told").textContent = Number(slider.value).toLocaleString("en");
      place(find("picture-group"), told.picture);
    }
    const [first, ...rest] = told.sentences;
    find("group-said").replaceChildren(made("p", { className: "big" }, first), ...paragraphs(rest));
    if (String(told.size) !== slider.value) look(state, false);
  } catch (error) {
    if (turn !== latest) return;
    const trouble = made("div", { className: "trouble", role: "alert" });
    find("group-said").replaceChildren(trouble);
    showError(error, trouble);
  }
}

async function compare(state) {
  find("plan-answer").replaceChildren();
  const view = state.everything();
  const options = { size: Number(find("group-size").value), asked: state.view().columns };
  const question = { source: state.source.id, kind: "plan", view, options };
  const answer = await runJob(find("plan-work"), question, "Comparing");
  if (!answer) return;
  const take = (row) => {
    const option = answer.options[row];
    if (option.kind === "as_asked") return null;
    return made("button", { type: "button", className: "quiet", onclick: () => state.take(option.columns, option.bands) }, "Tick this");
  };
  const parts = [made("div", { className: "said", role: "status" }, ...paragraphs(answer.sentences))];
  for (const grid of answer.grids) parts.push(table(grid, take));
  for (const both of Object.values(answer.pictures)) {
    const where = made("div", { className: "picture small", role: "img" });
    place(where, pictured(both));
    parts.push(made("figure", {}, where));
  }
  find("plan-answer").replaceChildren(...parts, assumptions(answer));
}
