// The report: made in a process of its own, then a file to keep.

import { find, made, paragraphs } from "./dom.js";
import { runJob } from "./jobs.js";
import { withSensitive } from "./learning.js";

export function begin(state) {
  find("report-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    find("report-answer").replaceChildren();
    const options = { title: find("report-title").value, publishable: find("report-publishable").checked };
    const question = { source: state.source.id, kind: "report", view: withSensitive(state.view()), options };
    const answer = await runJob(find("report-work"), question, "Making the report");
    if (!answer) return;
    const link = made("a", { className: "button", href: `/jobs/${answer.job}/report.html`, download: "report.html" }, "Download the report");
    find("report-answer").replaceChildren(
      made("p", { className: `big level-${answer.level}`, role: "status" }, `${answer.verdict}.`),
      ...paragraphs(answer.sentences), made("p", {}, link));
    link.focus();
  });
}
