import { make, unbroken, words } from "./elements.js";

/* Tool calls: folded, what they wrote in the open. */

function brief(value) {
  if (Array.isArray(value)) return value.length === 1 ? brief(value[0]) : `${value.length} items`;
  if (value !== null && typeof value === "object") return Object.values(value).map(brief).slice(0, 2).join(" ");
  return String(value);
}

function briefArguments(given) {
  if (given === null || typeof given !== "object") return brief(given);
  const text = Object.values(given).map(brief).join(", ");
  return text.length > 90 ? `${text.slice(0, 90)}…` : text;
}

const asText = (value) => (typeof value === "string" ? value : JSON.stringify(value, null, 2));

function drawWritten(changes) {
  return make("ul", { class: "written", "aria-label": "Rows written" }, changes.map((change) => make("li", {},
    make("span", { class: change.sign === "+" ? "sign" : "sign changed" }, change.sign),
    `${words(change.table)} `, make("span", { class: "key" }, change.key), " ", unbroken(change.text))));
}

function drawCall(call, prefix) {
  const secret = call.owner === "user";
  const kind = `call${call.error ? " refused" : ""}${secret ? " private" : ""}`;
  const answer = call.error ?? call.result ?? "no answer";
  const details = make("details", { class: kind, id: `${prefix}call-${call.number}` },
    make("summary", {}, make("code", {}, call.name), " ", make("small", {}, briefArguments(call.arguments ?? {}))),
    make("h3", {}, "Arguments"), make("pre", { tabindex: "0" }, asText(call.arguments ?? {})),
    make("h3", {}, call.error ? "Refused" : "Result"), make("pre", { tabindex: "0" }, asText(answer)));
  const refusal = call.error && (call.error.message || call.error.error);
  return make("div", { class: secret ? "theirs" : "ours" }, details,
    refusal ? make("p", { class: "refusal" }, asText(refusal)) : null,
    call.changes ? drawWritten(call.changes) : null);
}

function drawLookups(lookups, prefix) {
  if (lookups.length < 3) return lookups.map((call) => drawCall(call, prefix));
  const counts = new Map();
  for (const call of lookups) counts.set(call.name, (counts.get(call.name) || 0) + 1);
  const listed = [...counts].map(([name, count]) => (count > 1 ? `${name} ×${count}` : name)).join(", ");
  return make("details", { class: "lookups" },
    make("summary", {}, `${lookups.length} lookups: ${listed}`), lookups.map((call) => drawCall(call, prefix)));
}

/* Runs of three and more lookups fold into one line, so that writes stand out. */
export function drawCalls(calls, prefix = "") {
  const parts = [];
  let lookups = [];
  for (const call of calls) {
    if (!call.changes && !call.error && call.owner === "agent") lookups.push(call);
    else {
      parts.push(drawLookups(lookups, prefix), drawCall(call, prefix));
      lookups = [];
    }
  }
  return [...parts, drawLookups(lookups, prefix)];
}
