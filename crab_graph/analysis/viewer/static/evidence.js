import { drawJump, drawPieces, headed, make, plural, present, titled, unbroken, words } from "./elements.js";

/* What the verdict rests on: checks with their evidence, claims beside deeds, and facts. */

function drawCheck(check, verdicts) {
  const mark = { pass: "✓", fail: "✗" }[check.verdict] || "–";
  return make("li", { class: check.verdict },
    make("span", { class: check.verdict in { pass: 1, fail: 1 } ? "mark" : "mark idle", "aria-hidden": "true" }, mark),
    make("code", {}, check.id),
    make("span", {}, check.title,
      make("small", { class: check.verdict === "fail" ? "unseen" : "" }, ` ${verdicts[check.verdict] || words(check.verdict)}`),
      check.evidence.map((pieces) => make("span", { class: "evidence" }, drawPieces(pieces)))));
}

export function drawChecks(view, { verdicts }) {
  const { checks, head } = view;
  if (!checks.length) return null;
  const failed = checks.filter((check) => check.verdict === "fail");
  const others = checks.filter((check) => check.verdict !== "fail");
  const counts = Object.entries(verdicts).map(([verdict, name]) => [others.filter((check) => check.verdict === verdict).length, name]);
  return make("section", { "aria-label": "Checks" },
    make("h2", {}, failed.length ? `${failed.length} of ${checks.length} checks ${verdicts.fail}` : "No check failed"),
    failed.length ? make("ul", { class: "checks" }, failed.map((check) => drawCheck(check, verdicts))) : null,
    head.strict.length ? make("p", { class: "quiet" }, `Strict grading fails ${head.strict.join(", ")} too.`) : null,
    make("details", { class: "fold" },
      make("summary", {}, counts.filter(([count]) => count).map(([count, name]) => `${count} ${name}`).join(", ")),
      make("ul", { class: "checks" }, others.map((check) => drawCheck(check, verdicts)))));
}

export function drawUserErrors(errors) {
  if (!errors.length) return null;
  return make("section", { "aria-label": "Errors of the user" },
    make("h2", {}, headed("user_errors")),
    make("ul", { class: "errors" }, errors.map((pieces) => make("li", {}, drawPieces(pieces)))));
}

export function drawWhy(lines) {
  if (!lines.length) return null;
  return make("section", { "aria-label": "Why it failed" },
    make("h2", {}, headed("why")),
    make("ul", { class: "why" }, lines.map((pieces) => make("li", {}, drawPieces(pieces)))));
}

/* ---- said against done ---- */

const MARKS = new Map([[true, ["✓", "agree", "pass"]], [false, ["✗", "disagree", "fail"]], [null, ["–", "nothing was said", "idle"]]]);

export function drawMatch(match) {
  const [mark, meaning, kind] = MARKS.get(match) || MARKS.get(null);
  return make("span", { class: `mark ${kind}`, role: "img", "aria-label": meaning, title: meaning }, mark);
}

const drawMessage = (number) => (number ? drawJump(`turn-${number}`, `message ${number}`) : "–");

function drawDeedTable(deeds) {
  const row = (deed) => make("tr", {},
    make("td", {}, drawMatch(deed.match)),
    make("td", {}, drawMessage(deed.message)),
    make("td", {}, unbroken(deed.claim)),
    make("td", {}, deed.call ? drawJump(`call-${deed.call}`, deed.action) : unbroken(deed.action)));
  return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Claims and deeds" },
    make("table", { class: "deeds" },
      make("thead", {}, make("tr", {}, make("th", { scope: "col" }, make("span", { class: "unseen" }, titled("match"))),
        ["said_in", "claim", "done"].map((name) => make("th", { scope: "col" }, titled(name))))),
      make("tbody", {}, deeds.map(row))));
}

/* What was contradicted stands in the open, the rest is folded. */
export function drawDeeds(deeds) {
  if (!deeds.length) return null;
  const wrong = deeds.filter((deed) => deed.match === false);
  const others = deeds.filter((deed) => deed.match !== false);
  return make("section", { "aria-label": headed("deeds") },
    make("h2", {}, headed("deeds")),
    wrong.length ? make("p", {}, `${plural(wrong.length, "claim")} of ${deeds.length} contradicted by what was done`) : null,
    wrong.length ? drawDeedTable(wrong) : null,
    others.length ? make("details", { class: "fold" },
      make("summary", {}, `${wrong.length ? `${others.length} others` : plural(others.length, "claim")}, none contradicted`), drawDeedTable(others)) : null);
}

/* ---- facts ---- */

export function drawFacts(facts) {
  if (!facts.length) return null;
  const said = facts.filter((fact) => fact.turn).length;
  const known = facts.some((fact) => fact.value);
  const heads = ["fact", ...(known ? ["value"] : []), "level", "said_in", "why", "how"].map(titled);
  const row = (fact) => make("tr", {},
    make("th", { scope: "row" }, words(fact.key)),
    [...(known ? [unbroken(fact.value ?? "")] : []), fact.level || "", fact.turn ? drawMessage(fact.turn) : "never", words(fact.reason || ""),
      fact.said ? `${fact.how}: “${fact.said}”` : fact.how || ""].map((value, place) => make("td", { "data-label": heads[place + 1] }, value)));
  return make("details", { class: "fold" },
    make("summary", {}, `${headed("facts")}: ${said} of ${plural(facts.length, "fact")} ${said === 1 ? "was" : "were"} said`),
    make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Facts of the user" },
      make("table", { class: "known stack" },
        make("thead", {}, make("tr", {}, heads.map((name) => make("th", { scope: "col" }, name)))),
        make("tbody", {}, present(facts.map(row))))));
}
