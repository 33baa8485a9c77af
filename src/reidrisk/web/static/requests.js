// Requests to the server, always the one this page came from; and how an error is shown.

import { find, made } from "./dom.js";

const setting = (name) => document.querySelector(`meta[name="${name}"]`).content;
const session = setting("reidrisk-session");
export const uploadLimit = Number(setting("reidrisk-upload-limit"));

export class Refused extends Error {
  constructor({ kind, message, hint }) {
    super(message);
    this.kind = kind;
    this.hint = hint ?? "";
  }
}

async function answered(response) {
  if (response.headers.get("content-type")?.startsWith("application/json")) {
    const told = await response.json();
    if (told.error) throw new Refused(told.error);
    return told;
  }
  throw new Refused({ kind: "refused", message: (await response.text()) || "reidrisk refused the request." });
}

async function sent(path, options) {
  const headers = { "X-Reidrisk-Session": session, ...options.headers };
  let response;
  try {
    response = await fetch(path, { credentials: "same-origin", ...options, headers });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused({ kind: "gone", message: "reidrisk doesn't answer.", hint: "Start it again with reidrisk serve." });
  }
  return answered(response);
}

export const get = (path) => sent(path, { method: "GET" });
export const remove = (path) => sent(path, { method: "DELETE" });
export const post = (path, question = {}, signal = undefined) => sent(path, {
  method: "POST", body: JSON.stringify(question), headers: { "Content-Type": "application/json" }, signal,
});
export const upload = (file) => sent("/sources", {
  method: "POST", body: file,
  headers: { "Content-Type": "application/octet-stream", "X-File-Name": encodeURIComponent(file.name) },
});

export function showError(error, where = find("trouble")) {
  if (error.name === "AbortError") return;
  where.replaceChildren(made("p", {}, `${error.message}${error.hint ? ` — ${error.hint}` : ""}`));
  where.hidden = false;
}

export function clearError() {
  find("trouble").hidden = true;
}
