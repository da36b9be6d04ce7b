import { drawJump, drawPieces, make, plural, present, unbroken, words } from "./elements.js";

/* What the verdict rests on: checks with their evidence, claims beside deeds, and facts. */

function drawCheck(check) {
  const mark = { pass: "✓", fail: "✗" }[check.verdict] || "–";
  return make("li", { class: check.verdict },
    make("span", { class: check.verdict in { pass: 1, fail: 1 } ? "mark" : "mark idle", "aria-hidden": "true" }, mark),
    make("code", {}, check.id),
    make("span", {}, check.title,
      make("small", { class: check.verdict === "fail" ? "unseen" : "" }, ` ${check.verdict === "fail" ? "failed" : words(check.verdict)}`),
      check.evidence.map((pieces) => make("span", { class: "evidence" }, drawPieces(pieces)))));
}

export function drawChecks(view) {
  const { checks, head } = view;
  if (!checks.length) return null;
  const failed = checks.filter((check) => check.verdict === "fail");
  const others = checks.filter((check) => check.verdict !== "fail");
  const passed = others.filter((check) => check.verdict === "pass").length;
  const idle = others.length - passed;
  return make("section", { "aria-label": "Checks" },
    make("h2", {}, failed.length ? `${failed.length} of ${checks.length} checks failed` : "No check failed"),
    failed.length ? make("ul", { class: "checks" }, failed.map((check) => drawCheck(check))) : null,
    head.strict.length ? make("p", { class: "quiet" }, `Strict grading fails ${head.strict.join(", ")} too.`) : null,
    make("details", { class: "fold" },
      make("summary", {}, `${passed} passed${idle ? `, ${idle} had nothing to judge` : ""}`),
      make("ul", { class: "checks" }, others.map((check) => drawCheck(check)))));
}

export function drawUserErrors(errors) {
  if (!errors.length) return null;
  return make("section", { "aria-label": "Errors of the user" },
    make("h2", {}, "What the user did wrong"),
    make("ul", { class: "errors" }, errors.map((pieces) => make("li", {}, drawPieces(pieces)))));
}

export function drawWhy(lines) {
  if (!lines.length) return null;
  return make("section", { "aria-label": "Why it failed" },
    make("h2", {}, "Beside the nearest solution"),
    make("ul", { class: "why" }, lines.map((pieces) => make("li", {}, drawPieces(pieces)))));
}

/* ---- claims against deeds ---- */

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
      make("thead", {}, make("tr", {}, make("th", { scope: "col" }, make("span", { class: "unseen" }, "Match")),
        ["Said in", "Claim", "What was done"].map((name) => make("th", { scope: "col" }, name)))),
      make("tbody", {}, deeds.map(row))));
}

/* What was contradicted stands in the open, the rest is folded. */
export function drawDeeds(deeds) {
  if (!deeds.length) return null;
  const wrong = deeds.filter((deed) => deed.match === false);
  const others = deeds.filter((deed) => deed.match !== false);
  return make("section", { "aria-label": "Said against done" },
    make("h2", {}, "Said against done"),
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
  const heads = ["Fact", ...(known ? ["Value"] : []), "Level", "Said", "Why", "How"];
  const row = (fact) => make("tr", {},
    make("th", { scope: "row" }, words(fact.key)),
    known ? make("td", {}, unbroken(fact.value ?? "")) : null,
    make("td", {}, fact.level || ""),
    make("td", {}, fact.turn ? drawMessage(fact.turn) : "never"),
    make("td", {}, words(fact.reason || "")),
    make("td", {}, fact.said ? `${fact.how}: “${fact.said}”` : fact.how || ""));
  return make("details", { class: "fold" },
    make("summary", {}, `What the user knew: ${said} of ${plural(facts.length, "fact")} ${said === 1 ? "was" : "were"} said`),
    make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Facts of the user" },
      make("table", {},
        make("thead", {}, make("tr", {}, heads.map((name) => make("th", { scope: "col" }, name)))),
        make("tbody", {}, present(facts.map(row))))));
}
