import { drawExchange, hasPrivate } from "./dialogue.js";
import { drawNotes } from "./notes.js";
import { drawBadge, drawJump, episodeHash, headed, make, plural, titled, words } from "./elements.js";

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

const written = (exchange) => (exchange?.calls ?? []).map((call) => (call.changes ?? []).map((change) => [change.sign, change.table, change.text]));

/* Where what they wrote differs for the first time; words may differ long before. */
function firstOtherWrite(left, right) {
  const longest = Math.max(left.exchanges.length, right.exchanges.length);
  for (let place = 0; place < longest; place += 1) {
    if (JSON.stringify(written(left.exchanges[place]).flat()) !== JSON.stringify(written(right.exchanges[place]).flat())) return place;
  }
  return -1;
}

function drawParting(shared, other, longest) {
  if (shared === longest) return make("p", { class: "parting" }, "The two dialogues are the same.");
  const jump = (place) => drawJump(`pair-${place + 1}`, `message ${place + 1}`);
  return make("p", { class: "parting" }, "They part at ", jump(shared), ".",
    other < 0 ? " Both wrote the same to the tables." : [" What they wrote to the tables differs first at ", jump(other), "."]);
}

function collect(left, right, labels) {
  const verdict = (view, id) => labels.verdicts[view.checks.find((check) => check.id === id)?.verdict] ?? "–";
  const titles = new Map([...right.checks, ...left.checks].map((check) => [check.id, check.title]));
  const ids = [...new Set([...left.checks, ...right.checks].map((check) => check.id))];
  const said = (view) => `${view.facts.filter((fact) => fact.turn).length} of ${view.facts.length}`;
  const last = (view) => view.held.at(-1)?.summary ?? "nothing booked";
  const calls = (view) => view.exchanges.reduce((sum, exchange) => sum + exchange.calls.filter((call) => call.owner === "agent").length, 0);
  const who = (view) => `${view.head.agent}${view.head.reference ? " (reference)" : ""}`;
  const rows = [
    [titled("task"), left.head.task, right.head.task],
    [titled("agent"), who(left), who(right)],
    [titled("user"), left.head.user, right.head.user],
    [titled("trial"), left.head.trial, right.head.trial],
    [titled("first_failure"), words(left.head.failure ?? "–"), words(right.head.failure ?? "–")],
    [titled("messages"), left.exchanges.length, right.exchanges.length],
    [titled("tool_calls"), calls(left), calls(right)],
    [titled("facts_said"), said(left), said(right)],
    [titled("held"), last(left), last(right)],
    ...ids.map((id) => [`${id} ${titles.get(id)}`, verdict(left, id), verdict(right, id)]),
  ];
  return rows.filter(([, a, b]) => String(a) !== String(b));
}

function drawDifferences(left, right, labels, runs) {
  const name = (view) => make("th", { scope: "col" }, make("a", { href: episodeHash(view) }, view.head.title),
    runs.length > 1 ? make("small", {}, ` ${runs[view.run]?.name ?? ""}`) : null);
  const rows = collect(left, right, labels);
  return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "What differs" },
    make("table", { class: "differences" },
      make("thead", {}, make("tr", {}, make("td", {}), name(left), name(right))),
      make("tbody", {},
        make("tr", {}, make("th", { scope: "row" }, titled("outcome")), make("td", {}, drawBadge(left.head.outcome, labels)), make("td", {}, drawBadge(right.head.outcome, labels))),
        rows.map(([what, a, b]) => make("tr", {}, make("th", { scope: "row" }, what), make("td", {}, a), make("td", {}, b))))));
}

function drawPair(left, right, place, showsPrivate) {
  const side = (view, prefix) => (place < view.exchanges.length
    ? drawExchange(view, place, showsPrivate, prefix, drawNotes(view, view.exchanges[place].turn, {})) : make("div", { class: "exchange over" }, make("p", { class: "quiet" }, "over by then")));
  return make("div", { class: "pair", id: `pair-${place + 1}` }, side(left, "left-"), side(right, "right-"));
}

export function drawComparison(left, right, { labels, runs, showsPrivate }) {
  const shared = countShared(left, right);
  const longest = Math.max(left.exchanges.length, right.exchanges.length);
  const places = [...Array(longest).keys()];
  const toggle = make("input", { type: "checkbox", id: "private" });
  toggle.checked = showsPrivate;
  const draw = (place) => drawPair(left, right, place, showsPrivate);
  return [
    make("div", { class: "bar" },
      make("button", { type: "button", "data-close": true, title: "All episodes (Esc)" }, "All episodes"),
      make("span", { class: "gap" }),
      hasPrivate(left) || hasPrivate(right) ? make("label", {}, toggle, "User's private side") : null),
    make("h1", { id: "episode-title", tabindex: "-1" }, "Two episodes side by side"),
    drawDifferences(left, right, labels, runs),
    make("section", { class: "dialogue", "aria-label": "Both dialogues" },
      make("h2", {}, headed("pair")),
      drawParting(shared, firstOtherWrite(left, right), longest),
      make("div", { class: "pair heads", "aria-hidden": "true" }, [left, right].map((view) => make("span", {}, view.head.title))),
      shared ? make("details", { class: "fold shared" }, make("summary", {}, shared > 1 ? `The first ${shared} messages are the same` : "The first message is the same"), places.slice(0, shared).map(draw)) : null,
      shared && shared < longest ? make("p", { class: "fork" }, "Here they part") : null,
      places.slice(shared).map(draw)),
  ];
}
