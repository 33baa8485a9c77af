// Long questions are jobs: started, followed, stopped.

import { showError, post, Refused } from "./requests.js";
import { made } from "./dom.js";

const under = new Map();

// Starts a work, shows how far it is in `where`, and gives its answer; null when it was stopped.
export async function runJob(where, question, title) {
  await stopJob(where);
  const bar = made("progress", { "aria-label": title });
  const told = made("span", { role: "status" }, `${title} …`);
  const stop = made("button", { type: "button", className: "quiet" }, "Stop");
  const box = made("div", { className: "work" }, made("p", {}, told, stop), bar);
  const holder = { cancelled: false, id: null, source: null };
  under.set(where, holder);
  where.replaceChildren(box);
  stop.addEventListener("click", () => { stop.disabled = true; end(holder); });
  try {
    const work = await post("/jobs", question);
    holder.id = work.id;
    box.dataset.pid = "";
    if (holder.cancelled) await end(holder);
    const last = await followed(holder, (state) => shown(state, bar, told, title, box));
    if (under.get(where) === holder) where.replaceChildren();
    if (last.state === "failed") throw new Refused(last.error);
    return last.state === "done" ? { ...last.answer, job: last.id } : null;
  } catch (error) {
    if (under.get(where) !== holder) return null;
    const trouble = made("div", { className: "trouble", role: "alert" });
    where.replaceChildren(trouble);
    showError(error, trouble);
    return null;
  }
}

function shown(state, bar, told, title, box) {
  box.dataset.state = state.state;
  if (state.pid) box.dataset.pid = state.pid;
  if (state.state === "waiting") told.textContent = `${title}: waiting for other work`;
  if (!state.progress) return;
  const { what, done, total } = state.progress;
  told.textContent = what === "report" ? title : `${title}: ${what}`;
  if (total > 0 && done < total) { bar.max = total; bar.value = done; } else bar.removeAttribute("value");
}

function followed(holder, tell) {
  return new Promise((resolve, reject) => {
    const source = new EventSource(`/jobs/${holder.id}/events`);
    holder.source = source;
    let last = null;
    source.onmessage = (event) => {
      last = JSON.parse(event.data);
      tell(last);
      if (["done", "failed", "stopped"].includes(last.state)) { source.close(); resolve(last); }
    };
    source.onerror = () => {
      if (source.readyState === EventSource.CLOSED) {
        reject(new Refused({ kind: "gone", message: "reidrisk doesn't answer any more." }));
      }
    };
  });
}

async function end(holder) {
  holder.cancelled = true;
  if (holder.id) await post(`/jobs/${holder.id}/stop`).catch(() => {});
}

// Ends what is under way there, if anything.
export async function stopJob(where) {
  const holder = under.get(where);
  under.delete(where);
  if (holder) await end(holder);
  where.replaceChildren();
}
