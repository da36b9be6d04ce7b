import { drawExchange, hasPrivate } from "./dialogue.js";
import { called, compareHash, drawBadge, episodeHash, headed, make, titled, words } from "./elements.js";
import { drawNotes, drawNotesOfAll } from "./notes.js";
import { drawSpending } from "./spending.js";
import { drawChecks, drawDeeds, drawFacts, drawUserErrors, drawWhy } from "./evidence.js";

/* One episode in full. */

function drawHead(view, labels, runs) {
  const { head } = view;
  const pairs = [
    [titled("outcome"), drawBadge(head.outcome, labels)],
    [titled("agent"), head.agent + (head.reference ? " (reference)" : "")],
    [titled("user"), head.user],
    [titled("run"), runs.length > 1 ? runs[view.run]?.name : null],
    [titled("forked_from"), head.forked_from],
    [titled("trial"), head.trial],
    [titled("stratum"), `S${head.stratum}`],
    ...head.axes,
    [titled("ended"), head.ended],
    [titled("first_failure"), head.failure ? words(head.failure) : null],
    [titled("fault"), labels.faults[head.fault]],
    [titled("error"), head.error],
  ];
  return make("dl", { class: "facts" }, pairs
    .filter(([, value]) => value !== null && value !== undefined && value !== "")
    .map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))));
}

function step(key, text, shortcut, query) {
  return key
    ? make("a", { class: "button", href: episodeHash(key, query), title: `${text} episode (${shortcut})` }, text)
    : make("span", { class: "button off", "aria-disabled": "true" }, text);
}

function drawChoice(view, labels, runs) {
  if (!view.others.length && !view.origin) return null;
  const origin = view.origin ? make("option", { value: compareHash({ run: view.run, id: view.origin }, view) }, "what it goes on from") : null;
  const name = (row) => `${row.agent} · ${row.user}${row.trial ? ` · ${called("trial")} ${row.trial}` : ""}${runs.length > 1 ? ` · ${runs[row.run]?.name ?? row.run}` : ""}`;
  return make("label", { class: "others" }, "Compare with ",
    make("select", { "data-compare": true }, make("option", { value: "" }, "…"), origin,
      view.others.map((row) => make("option", { value: compareHash(view, row) }, `${name(row)} · ${labels.outcomes[row.outcome] || words(row.outcome)}`))));
}

export function drawEpisode(view, context) {
  const { labels, runs, showsPrivate, query } = context;
  const toggle = make("input", { type: "checkbox", id: "private" });
  toggle.checked = showsPrivate;
  return [
    make("div", { class: "bar" },
      make("button", { type: "button", "data-close": true, title: "All episodes (Esc)" }, "All episodes"),
      make("span", { class: "gap" }),
      hasPrivate(view) ? make("label", {}, toggle, "User's private side") : null,
      drawChoice(view, labels, runs),
      step(view.before, "Previous", "k", query), step(view.after, "Next", "j", query)),
    make("h1", { id: "episode-title", tabindex: "-1" }, view.head.title),
    drawHead(view, labels, runs),
    drawNotesOfAll(view, context),
    drawChecks(view, labels),
    view.last_word ? make("p", { class: "told" }, view.last_word) : null,
    drawWhy(view.why),
    drawUserErrors(view.user_errors),
    drawDeeds(view.deeds),
    drawFacts(view.facts),
    drawSpending(view.spending),
    make("section", { class: "dialogue", "aria-label": "Dialogue" },
      make("h2", {}, headed("dialogue")),
      make("div", { class: "columns", "aria-hidden": "true" }, make("span", {}, titled("said")), make("span", {}, `${headed("before")} · ${headed("after")}`)),
      view.exchanges.map((exchange, place) => drawExchange(view, place, showsPrivate, "", exchange.turn ? drawNotes(view, exchange.turn, context) : null))),
    make("p", { class: "hint" }, "Keys: j and k go to the next and the previous episode, p shows the private side, Esc goes back."),
  ];
}
