// The crowds of what is ticked: figures at once, pictures as soon as they are drawn.

import { complain, content, post } from "./asking.js";
import { drawing, find, made, paragraphs, place, table, width } from "./dom.js";
import { worked, stopped } from "./work.js";

let latest = 0;

export async function look(source, view) {
  const turn = ++latest;
  if (!view.columns.length) return nothing();
  for (const name of ["crowds", "attack"]) find(`picture-${name}`).classList.add("waiting");
  try {
    await stopped(find("predicting"));
    const path = `/sources/${source.id}`;
    const drawn = source.kind === "records" ? pictures(path, view, turn) : null;
    let { told } = await post(`${path}/view`, { view });
    if (turn !== latest) return;
    if (told === null) told = await predicted(source, view);
    if (turn !== latest || told === null) return;
    content();
    show(told);
    await (drawn ?? pictures(path, view, turn));
  } catch (error) {
    if (turn === latest) complain(error);
  }
}

async function predicted(source, view) {
  const answer = await worked(find("predicting"), { source: source.id, kind: "predict", view }, "Predicting");
  if (answer === null) find("spoken").textContent = "Stopped: nothing was predicted for what is ticked now.";
  return answer && answer.told;
}

async function pictures(path, view, turn) {
  await Promise.all(["crowds", "attack"].map(async (name) => {
    try {
      const picture = await post(`${path}/picture`, { view, picture: name, width: width() });
      if (turn === latest) place(find(`picture-${name}`), picture);
    } catch (error) {
      if (turn === latest) complain(error);
    }
  }));
}

function nothing() {
  content();
  find("verdict").className = "verdict";
  find("verdict").textContent = "Tick what is known";
  find("figures").replaceChildren();
  for (const id of ["said", "hundred", "hundred-words", "picture-crowds", "picture-attack", "crowd-table", "granted", "predicting"]) find(id).replaceChildren();
  find("spoken").textContent = "Nothing is ticked.";
}

function show(told) {
  find("verdict").className = `verdict level-${told.level}`;
  find("verdict").textContent = told.verdict;
  find("figures").replaceChildren(...told.figures.map((each) => made("div", {},
    made("dt", {}, each.name),
    made("dd", {}, each.text, ...(each.within ? [made("small", {}, each.within)] : [])))));
  find("said").replaceChildren(...paragraphs([...told.sentences, ...told.of_the_model]));
  find("spoken").textContent = `${told.verdict}. ${told.figures.map((each) => `${each.name}: ${each.text}`).join(", ")}.`;
  hundred(told.hundred);
  find("crowd-table").replaceChildren(table(told.crowds));
  const said = [...told.assumptions, ...told.warnings.map((each) => `To mind: ${each}`)];
  find("granted").replaceChildren(...said.map((each) => made("li", {}, each)));
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
