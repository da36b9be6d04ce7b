import { drawExchange, hasPrivate } from "./dialogue.js";
import { compareHash, drawBadge, episodeHash, make, words } from "./elements.js";
import { drawChecks, drawDeeds, drawFacts, drawUserErrors, drawWhy } from "./evidence.js";

/* One episode in full. */

function drawHead(view, labels, runs) {
  const { head } = view;
  const pairs = [
    ["Outcome", drawBadge(head.outcome, labels)],
    ["Agent", head.agent + (head.reference ? " (reference)" : "")],
    ["User", head.user],
    ["Run", runs.length > 1 ? runs[view.run]?.name : null],
    ["Goes on from", head.forked_from],
    ["Trial", head.trial],
    ["Stratum", `S${head.stratum}`],
    ...head.axes,
    ["Ended by", head.ended],
    ["First failure", head.failure ? words(head.failure) : null],
    ["Fault", head.fault],
    ["Error", head.error],
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

function drawChoice(view, runs) {
  if (!view.others.length && !view.origin) return null;
  const origin = view.origin ? make("option", { value: compareHash({ run: view.run, id: view.origin }, view) }, "what it goes on from") : null;
  const name = (row) => `${row.agent} · ${row.user}${row.trial ? ` · trial ${row.trial}` : ""}${runs.length > 1 ? ` · ${runs[row.run]?.name ?? row.run}` : ""}`;
  return make("label", { class: "others" }, "Compare with ",
    make("select", { "data-compare": true }, make("option", { value: "" }, "…"), origin,
      view.others.map((row) => make("option", { value: compareHash(view, row) }, `${name(row)} · ${words(row.outcome)}`))));
}

export function drawEpisode(view, { labels, runs, showsPrivate, query }) {
  const toggle = make("input", { type: "checkbox", id: "private" });
  toggle.checked = showsPrivate;
  return [
    make("div", { class: "bar" },
      make("button", { type: "button", "data-close": true, title: "All episodes (Esc)" }, "All episodes"),
      make("span", { class: "gap" }),
      hasPrivate(view) ? make("label", {}, toggle, "User's private side") : null,
      drawChoice(view, runs),
      step(view.before, "Previous", "k", query), step(view.after, "Next", "j", query)),
    make("h1", { id: "episode-title", tabindex: "-1" }, view.head.title),
    drawHead(view, labels, runs),
    drawChecks(view),
    drawWhy(view.why),
    drawUserErrors(view.user_errors),
    drawDeeds(view.deeds),
    drawFacts(view.facts),
    make("section", { class: "dialogue", "aria-label": "Dialogue" },
      make("h2", {}, "What was said, and what was done"),
      make("div", { class: "columns", "aria-hidden": "true" }, make("span", {}, "Said"), make("span", {}, "Done before saying it, and held after it")),
      view.exchanges.map((_, place) => drawExchange(view, place, showsPrivate))),
    make("p", { class: "hint" }, "Keys: j and k go to the next and the previous episode, p shows the private side, Esc goes back."),
  ];
}
