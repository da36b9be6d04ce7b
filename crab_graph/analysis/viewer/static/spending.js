import { called, drawJump, headed, make, plural } from "./elements.js";

/* What an episode took, where it was measured: a strip of its steps, and what was read most. */

const sum = (rows, name) => rows.reduce((total, row) => total + (row[name] ?? 0), 0);
const number = (value) => value.toLocaleString("en-US");
const time = (seconds) => (seconds >= 100 ? `${Math.round(seconds)} s` : `${seconds.toFixed(1)} s`);
const money = (rows) => (rows.every((row) => row.dollars !== null) ? `$${sum(rows, "dollars").toFixed(4)}` : "cost not known");

function tellTokens(rows) {
  const uncounted = sum(rows, "uncounted_calls");
  const told = `${number(sum(rows, "input_tokens"))} tokens read (${number(sum(rows, "cached_tokens"))} cached), ${number(sum(rows, "output_tokens"))} written`;
  if (uncounted === sum(rows, "calls")) return "tokens not measured";
  return uncounted ? `${told}, ${plural(uncounted, "answer")} not counted` : told;
}

function tell(party, rows) {
  const who = party === "agent" ? "Agent" : "User";
  if (!rows.length) return `${who}: not measured, as it asked no model.`;
  return `${who}: ${plural(rows.length, "step")}, ${plural(sum(rows, "calls"), "model call")}, ${time(sum(rows, "seconds"))}, ${tellTokens(rows)}, ${money(rows)}.`;
}

function drawStrip(steps) {
  const whole = Math.max(sum(steps, "seconds"), 0.001);
  const says = (step) => `${step.party}, message ${step.turn}: ${time(step.seconds)}, ${tellTokens([step])}, ${money([step])}`;
  return make("ol", { class: "strip", "aria-label": "Steps by the time they took" }, steps.map((step) => {
    const mark = make("li", { class: step.party, title: says(step) }, make("span", { class: "unseen" }, says(step)));
    mark.style.flexGrow = Math.max(step.seconds / whole, 0.002);
    return mark;
  }));
}

function drawTools(tools) {
  if (!tools.length) return null;
  const head = (text, kind) => make("th", { scope: "col", class: kind }, text);
  const cell = (value) => make("td", { class: "number" }, number(value));
  return make("details", { class: "fold" },
    make("summary", {}, "Answers of tools that were read again and again (estimates)"),
    make("p", { class: "quiet" }, "How long tools worked is not measured. An answer stays in the context of every later step of the agent. No provider tells the tokens of one answer: they are estimated as bytes / 4."),
    make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Answers read again" }, make("table", { class: "rereads" },
      make("thead", {}, make("tr", {}, head(called("tool")), head(called("answers"), "number"), head(called("tokens_in_all"), "number"), head(called("dearest")))),
      make("tbody", {}, tools.map((tool) => make("tr", {}, make("th", { scope: "row" }, make("code", {}, tool.name)), cell(tool.answers), cell(tool.tokens),
        make("td", {}, drawJump(`call-${tool.call}`, `call ${tool.call}`), `: ${number(tool.once)} tokens, read by ${plural(tool.reads, "later step")}`)))))));
}

export function drawSpending(spending) {
  if (!spending) return make("p", { class: "quiet" }, "Tokens, money and time: not measured, as no model was asked.");
  const parties = ["agent", "user"].map((party) => [party, spending.steps.filter((step) => step.party === party)]);
  return make("section", { "aria-label": headed("took") },
    make("h2", {}, headed("took")),
    parties.map(([party, rows]) => make("p", { class: "took" }, tell(party, rows))),
    drawStrip(spending.steps),
    drawTools(spending.tools));
}
