// The crowds of what is ticked: figures at once, pictures as soon as they are drawn.

import { showError, clearError, post } from "./requests.js";
import { drawing, find, made, paragraphs, place, printable, table, width } from "./dom.js";
import { runJob, stopJob } from "./jobs.js";

const SHOWN = ["figures", "said", "hundred", "picture-crowds", "picture-attack"];
let latest = null;

// Pictures are drawn only where they are seen.
export async function look(source, view, seen) {
  const key = JSON.stringify([source.id, view]);
  if (latest?.key === key && latest.going) {
    // It is under way already; a prediction isn't begun anew because its pictures come into sight.
    latest.seen ||= seen;
    return;
  }
  const turn = { key, seen, going: true };
  latest = turn;
  try {
    await answered(source, view, turn);
  } catch (error) {
    if (turn !== latest) return;
    nothing("No answer");
    showError(error);
  } finally {
    turn.going = false;
  }
}

async function answered(source, view, turn) {
  find("unit-question").hidden = !view.unanswered;
  if (view.unanswered || !view.columns.length) {
    clearError();
    nothing(view.unanswered ? "What is a row?" : "Tick what is known");
    await stopJob(find("predicting"));
    return;
  }
  for (const id of ["verdict", ...SHOWN]) find(id).classList.add("waiting");
  await stopJob(find("predicting"));
  const path = `/sources/${source.id}`;
  const drawn = turn.seen && source.kind === "records" ? pictures(path, view, turn) : null;
  let { told } = await post(`${path}/view`, { view });
  if (turn !== latest) return;
  if (told === null) told = await predicted(source, view);
  if (turn !== latest) return;
  if (told === null) {
    nothing("Not predicted");
    return;
  }
  clearError();
  show(told);
  turn.going = false;
  if (turn.seen) await (drawn ?? pictures(path, view, turn));
}

async function predicted(source, view) {
  const answer = await runJob(find("predicting"), { source: source.id, kind: "predict", view }, "Predicting");
  return answer && answer.told;
}

async function pictures(path, view, turn) {
  await Promise.all(["attack", "crowds"].map(async (name) => {
    try {
      const picture = await post(`${path}/picture`, { view, picture: name, width: width() });
      if (turn === latest) place(find(`picture-${name}`), picture);
    } catch (error) {
      // What is wrong with the view its figures say; this is about the picture alone.
      if (turn === latest) find(`picture-${name}`).replaceChildren();
    }
  }));
}

// Figures of something else than what is ticked must not stay.
export function nothing(why) {
  find("verdict").className = "verdict";
  find("verdict").textContent = printable(why);
  for (const id of [...SHOWN, "hundred-words", "crowd-table", "assumptions"]) {
    find(id).replaceChildren();
    find(id).classList.remove("waiting");
  }
  find("spoken").textContent = `${why}.`;
}

function show(told) {
  find("verdict").className = `verdict level-${told.level}`;
  find("verdict").textContent = printable(told.verdict);
  for (const id of ["figures", "said", "hundred"]) find(id).classList.remove("waiting");
  find("figures").replaceChildren(...told.figures.map((each) => made("div", {},
    made("dt", {}, each.name),
    made("dd", {}, each.text), ...(each.within ? [made("dd", { className: "within" }, each.within)] : []))));
  find("said").replaceChildren(...paragraphs([...told.sentences, ...told.of_the_model]));
  const figures = told.figures.map((each) => `${each.name}: ${each.text}`);
  find("spoken").textContent = `${told.verdict}. ${figures.join(", ")}.`;
  hundred(told.hundred);
  find("crowd-table").replaceChildren(table(told.crowds));
  const said = [...told.assumptions, ...told.warnings.map((each) => `Note: ${each}`)];
  find("assumptions").replaceChildren(...said.map((each) => made("li", {}, each)));
}

function hundred(parts) {
  const where = find("hundred");
  const each = parts.flatMap(({ many }, part) => Array(many).fill(part));
  while (where.childElementCount < each.length) where.append(somebody());
  while (where.childElementCount > each.length) where.lastElementChild.remove();
  [...where.children].forEach((figure, at) => figure.setAttribute("class", `who-${each[at]}`));
  const words = parts.map(({ many, who }) => `${many} ${who}`);
  where.setAttribute("aria-label", `Of a hundred people: ${words.join(", ")}.`);
  find("hundred-words").replaceChildren("Of a hundred people: ", ...parts.map(({ many, who }, part) =>
    made("span", { className: `key key-${part}` }, made("b", {}, String(many)), ` ${who}`)));
}

function somebody() {
  const shape = find("person").getAttribute("d");
  const figure = drawing(["svg", { viewBox: "-0.7 -1.05 1.4 2.1", "aria-hidden": "true" }, [["path", { d: shape }, []]]]);
  return figure;
}
