import { drawExchange, hasPrivate } from "./dialogue.js";
import { drawBadge, episodeHash, make, plural, words } from "./elements.js";

/* Two episodes side by side: what differs in their verdicts, then message beside message. */

function sameExchange(left, right) {
  return left && right && JSON.stringify([left.speaker, left.text, left.calls]) === JSON.stringify([right.speaker, right.text, right.calls]);
}

/* How many exchanges both begin with: a fork shares what came before it. */
function countShared(left, right) {
  let count = 0;
  while (sameExchange(left.exchanges[count], right.exchanges[count])) count += 1;
  return count;
}

function collect(left, right) {
  const verdict = (view, id) => words(view.checks.find((check) => check.id === id)?.verdict ?? "–");
  const titles = new Map([...right.checks, ...left.checks].map((check) => [check.id, check.title]));
  const ids = [...new Set([...left.checks, ...right.checks].map((check) => check.id))];
  const said = (view) => `${view.facts.filter((fact) => fact.turn).length} of ${view.facts.length}`;
  const last = (view) => view.held.at(-1)?.summary ?? "nothing booked";
  const calls = (view) => view.exchanges.reduce((sum, exchange) => sum + exchange.calls.filter((call) => call.owner === "agent").length, 0);
  const rows = [
    ["Task", left.head.task, right.head.task],
    ["Agent", left.head.agent, right.head.agent],
    ["User", left.head.user, right.head.user],
    ["Trial", left.head.trial, right.head.trial],
    ["First failure", words(left.head.failure ?? "–"), words(right.head.failure ?? "–")],
    ["Messages", left.exchanges.length, right.exchanges.length],
    ["Calls of the agent", calls(left), calls(right)],
    ["Facts said", said(left), said(right)],
    ["Held in the end", last(left), last(right)],
    ...ids.map((id) => [`${id} ${titles.get(id)}`, verdict(left, id), verdict(right, id)]),
  ];
  return rows.filter(([, a, b]) => String(a) !== String(b));
}

function drawDifferences(left, right, labels, runs) {
  const name = (view) => make("th", { scope: "col" }, make("a", { href: episodeHash(view) }, view.head.title),
    runs.length > 1 ? make("small", {}, ` ${runs[view.run]?.name ?? ""}`) : null);
  const rows = collect(left, right);
  return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "What differs" },
    make("table", { class: "differences" },
      make("thead", {}, make("tr", {}, make("td", {}), name(left), name(right))),
      make("tbody", {},
        make("tr", {}, make("th", { scope: "row" }, "Outcome"), make("td", {}, drawBadge(left.head.outcome, labels)), make("td", {}, drawBadge(right.head.outcome, labels))),
        rows.map(([what, a, b]) => make("tr", {}, make("th", { scope: "row" }, what), make("td", {}, a), make("td", {}, b))))));
}

function drawPair(left, right, place, showsPrivate) {
  const side = (view, prefix) => (place < view.exchanges.length
    ? drawExchange(view, place, showsPrivate, prefix) : make("div", { class: "exchange over" }, make("p", { class: "quiet" }, "over by then")));
  return make("div", { class: "pair" }, side(left, "left-"), side(right, "right-"));
}

export function drawComparison(left, right, { labels, runs, showsPrivate }) {
  const shared = countShared(left, right);
  const longest = Math.max(left.exchanges.length, right.exchanges.length);
  const places = [...Array(longest).keys()];
  const toggle = make("input", { type: "checkbox", id: "private" });
  toggle.checked = showsPrivate;
  const draw = (place) => drawPair(left, right, place, showsPrivate);
  const ends = shared === longest ? "The two dialogues are the same." : `They part at message ${shared + 1}.`;
  return [
    make("div", { class: "bar" },
      make("button", { type: "button", "data-close": true, title: "All episodes (Esc)" }, "All episodes"),
      make("span", { class: "gap" }),
      hasPrivate(left) || hasPrivate(right) ? make("label", {}, toggle, "User's private side") : null),
    make("h1", { id: "episode-title", tabindex: "-1" }, "Two episodes side by side"),
    drawDifferences(left, right, labels, runs),
    make("section", { class: "dialogue", "aria-label": "Both dialogues" },
      make("h2", {}, "Message beside message"),
      make("p", { class: "parting" }, ends),
      make("div", { class: "pair heads", "aria-hidden": "true" }, [left, right].map((view) => make("span", {}, view.head.title))),
      shared > 1 ? make("details", { class: "fold shared" }, make("summary", {}, `The first ${plural(shared, "message")} are the same`), places.slice(0, shared).map(draw)) : places.slice(0, shared).map(draw),
      places.slice(shared).map(draw)),
  ];
}
