import { drawCalls } from "./calls.js";
import { drawJump, make, plural, unbroken, words } from "./elements.js";
import { drawMatch } from "./evidence.js";

/* The dialogue: each message beside what was done for it, and what the tables then held. */

function drawBooking(booking, showsPrivate) {
  const money = [`costs ${booking.total}`, `${booking.paid} paid`];
  if (showsPrivate && booking.approved) money.push(`${booking.approved} approved`);
  return make("li", {},
    make("span", { class: `status ${booking.status}` }, booking.status), " ",
    make("span", { class: "key" }, booking.id), ` ${booking.kind} `, unbroken(booking.entity), ", ", money.join(", "),
    booking.items.length ? make("ul", {}, booking.items.map((item) => make("li", {}, unbroken(item)))) : null);
}

function drawHeld(held, isNew, showsPrivate) {
  const stock = Object.entries(held.stock);
  if (!held.bookings.length && !stock.length && !held.others.length) return null;
  return make("details", { class: isNew ? "held new" : "held" },
    make("summary", {}, isNew ? "Held now: " : "Held as before: ", held.summary),
    make("ul", {}, held.bookings.map((booking) => drawBooking(booking, showsPrivate)),
      stock.map(([name, delta]) => make("li", {}, unbroken(words(name)), ` ${delta > 0 ? "+" : "−"}${Math.abs(delta)}`)),
      held.others.map((line) => make("li", {}, unbroken(line)))));
}

/* A claim stands beside the message that makes it; agreeing ones fold into one line. */
function drawClaims(deeds) {
  if (!deeds.length) return null;
  const line = (deed) => make("li", {}, drawMatch(deed.match), " ", unbroken(deed.claim), " · ",
    deed.call ? drawJump(`call-${deed.call}`, deed.action) : unbroken(deed.action));
  const wrong = deeds.filter((deed) => deed.match === false);
  const others = deeds.filter((deed) => deed.match !== false);
  return make("div", { class: "claims" },
    wrong.length ? make("ul", {}, wrong.map(line)) : null,
    others.length ? make("details", {}, make("summary", {}, `${plural(others.length, "claim")} borne out`), make("ul", {}, others.map(line))) : null);
}

function drawChangedMinds(minds) {
  return minds.map((one) => make("p", { class: "told changed" }, unbroken(`The user ${one.text}.`)));
}

function drawTold(facts) {
  if (!facts.length) return null;
  return make("p", { class: "told" }, "Told here: ", facts.map((fact) => words(fact.key)).join(", "));
}

export function drawExchange(view, place, showsPrivate, prefix = "", notes = null) {
  const exchange = view.exchanges[place];
  const turn = exchange.turn;
  const secret = exchange.calls.filter((call) => call.owner === "user").length;
  const calls = showsPrivate ? exchange.calls : exchange.calls.filter((call) => call.owner === "agent");
  const deeds = turn ? view.deeds.filter((deed) => deed.message === turn) : [];
  const facts = turn && showsPrivate ? view.facts.filter((fact) => fact.turn === turn) : [];
  const took = turn && view.spending ? view.spending.turns[turn] : null;
  const isNew = exchange.held !== (place ? view.exchanges[place - 1].held : 0);
  const reveal = secret && !showsPrivate && !prefix
    ? make("button", { type: "button", "data-reveal": true }, `Show ${plural(secret, "private call")} of the user`) : null;
  const said = turn && (exchange.text.trim() ? make("div", { class: "said", dir: "auto" }, unbroken(exchange.text)) : make("p", { class: "quiet" }, "empty message"));
  return make("div", { class: `exchange ${exchange.speaker}`, id: turn ? `${prefix}turn-${turn}` : null },
    make("div", {},
      make("p", { class: "speaker" }, make("b", {}, exchange.speaker === "agent" ? "Agent" : "User"), turn ? ` message ${turn}` : "", took ? make("span", { class: "spent" }, ` took ${took}`) : null),
      said || make("p", { class: "quiet" }, "no further message"),
      drawChangedMinds(view.changed_minds.filter((one) => one.turn === turn)), drawTold(facts), drawClaims(deeds), notes),
    make("div", { class: "done" }, drawCalls(calls, prefix), reveal, drawHeld(view.held[exchange.held], isNew, showsPrivate)));
}

export const hasPrivate = (view) => view.facts.length > 0 || view.exchanges.some((exchange) => exchange.calls.some((call) => call.owner === "user"));
