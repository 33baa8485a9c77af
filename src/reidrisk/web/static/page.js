// The page: what is open, which tab is shown, and who has to look again when something is ticked.

import { showError, clearError, get, post, remove, upload, uploadLimit } from "./requests.js";
import * as attributes from "./attributes.js";
import * as combinations from "./combinations.js";
import * as crowds from "./crowds.js";
import { find, made, printable, soon } from "./dom.js";
import * as learning from "./learning.js";
import * as person from "./person.js";
import * as plan from "./plan.js";
import * as population from "./population.js";
import * as report from "./report.js";

const TABS = ["crowds", "combinations", "person", "plan", "report"];

const state = {
  source: null,
  tab: "crowds",
  view: attributes.view,
  everything: attributes.everything,
  attributes: attributes.names,
  take(columns, bands) {
    attributes.take(columns, bands);
    changed();
  },
};

const changed = soon(() => {
  if (state.tab !== "crowds") crowds.look(state.source, state.view(), false);
  refreshTab();
}, 5);

function refreshTab() {
  if (state.tab === "crowds") crowds.look(state.source, state.view(), true);
  if (state.tab === "person") person.fields(state).catch(showError);
  if (state.tab === "plan") plan.look(state);
}

function chooseTab(name, focus = false) {
  state.tab = name;
  for (const each of TABS) {
    const chosen = each === name;
    const tab = find(`tab-${each}`);
    tab.setAttribute("aria-selected", String(chosen));
    tab.tabIndex = chosen ? 0 : -1;
    find(`panel-${each}`).hidden = !chosen;
    if (chosen && focus) tab.focus();
    if (chosen) tab.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
  refreshTab();
}

function tabs() {
  for (const name of TABS) find(`tab-${name}`).addEventListener("click", () => chooseTab(name));
  document.querySelector("[role=tablist]").addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const at = TABS.indexOf(state.tab);
    const to = step ? (at + step + TABS.length) % TABS.length : { Home: 0, End: TABS.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    chooseTab(TABS[to], true);
  });
}

async function opening(title, work) {
  clearError();
  find("opening-state").textContent = `Opening ${printable(title)} …`;
  try {
    await shown(await work());
  } catch (error) {
    showError(error);
  } finally {
    find("opening-state").textContent = "";
  }
}

async function shown(source) {
  state.source = source;
  document.title = source ? `${printable(source.title)} – reidrisk` : "reidrisk";
  if (source) {
    for (const id of ["search-answer", "plan-answer", "population-answer", "report-answer", "person-fields", "person-answer"]) find(id).replaceChildren();
    crowds.nothing("Working");
    attributes.show(source, changed);
    learning.show(source);
    chooseTab("crowds");
  }
  find("opening").hidden = source !== null;
  find("looking").hidden = source === null;
  await sources();
}

async function sources() {
  const { sources: held } = await get("/sources");
  find("holding").hidden = !held.length;
  const chosen = state.source?.id ?? "";
  find("source").replaceChildren(...held.map((each) => made("option", { value: each.id }, each.title)),
    made("option", { value: "" }, state.source ? "Open another …" : "Choose …"));
  find("source").value = chosen;
  find("close").hidden = !chosen;
  return held;
}

function opened(file) {
  if (!file) return;
  if (file.size > uploadLimit) {
    showError({ message: `The file is larger than ${uploadLimit.toLocaleString("en")} bytes.`, hint: "Open it with: reidrisk serve FILE" });
    return;
  }
  opening(file.name, () => upload(file));
}

function files() {
  find("file").addEventListener("change", (event) => { opened(event.target.files[0]); event.target.value = ""; });
  find("demo").addEventListener("click", () => opening("the generated city", () => post("/demo")));
  const drop = find("drop");
  for (const kind of ["dragover", "dragenter"]) {
    document.addEventListener(kind, (event) => { event.preventDefault(); drop.classList.add("over"); });
  }
  document.addEventListener("dragleave", (event) => { if (!event.relatedTarget) drop.classList.remove("over"); });
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    opened(event.dataTransfer.files[0]);
  });
}

function holding() {
  find("source").addEventListener("change", (event) => {
    const { value } = event.target;
    if (value === "") shown(null).catch(showError);
    else opening("it", () => get(`/sources/${value}`));
  });
  find("close").addEventListener("click", async () => {
    try {
      await remove(`/sources/${state.source.id}`);
      await shown(null);
      find("file").focus();
    } catch (error) {
      showError(error);
    }
  });
}

tabs();
files();
holding();
for (const each of [combinations, learning, person, plan, population, report]) each.begin(state);
try {
  const held = await sources();
  if (held.length) await opening(held[0].title, () => get(`/sources/${held[0].id}`));
  else await shown(null);
} catch (error) {
  showError(error);
}
