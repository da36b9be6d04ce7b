"use strict";
(() => {
  const report = document.getElementById("report");
  const article = document.getElementById("episode");
  const filters = document.getElementById("filters");
  const rows = [...document.querySelectorAll("#list tbody tr")];
  const blocks = document.getElementsByClassName("episode-data");
  const labels = JSON.parse(document.getElementById("labels").textContent);
  const reportTitle = document.title;
  let position = 0;
  let showsPrivate = false;

  const present = (children) => children.flat().filter((child) => child !== null && child !== undefined && child !== "");

  /* Elements are made from text alone: nothing anybody said is ever read as markup. */
  function make(name, attributes = {}, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (value === true) element.setAttribute(key, "");
      else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, value);
    }
    element.append(...present(children));
    return element;
  }

  /* Ids stay on one line: a break after their hyphen makes two words of them. */
  const unbroken = (text) => text.split(/([A-Z]{2}-\d{3,}|\d{4}-\d\d-\d\d)/).map((part, place) => (place % 2 ? make("span", { class: "id" }, part) : part));

  const words = (name) => String(name).replaceAll("_", " ");

  /* ---- the table of episodes ---- */

  function fits(row, wanted) {
    const { outcome, agent, user, stratum, check } = wanted;
    if (outcome === "!pass" ? row.dataset.outcome === "pass" : outcome && outcome !== row.dataset.outcome) return false;
    return (!agent || agent === row.dataset.agent) && (!user || user === row.dataset.user) &&
      (!stratum || stratum === row.dataset.stratum) &&
      (!check || row.dataset.checks.split(" ").includes(check));
  }

  function applyFilters() {
    const wanted = Object.fromEntries(new FormData(filters));
    let shown = 0;
    for (const row of rows) {
      row.hidden = !fits(row, wanted);
      if (!row.hidden) shown += 1;
    }
    document.getElementById("count").value = `${shown} of ${rows.length}`;
    document.getElementById("nothing").hidden = shown > 0;
  }

  function filterBy(values) {
    filters.reset();
    for (const [name, value] of Object.entries(values)) filters.elements[name].value = value;
    applyFilters();
    document.getElementById("episodes").scrollIntoView();
    filters.elements.outcome.focus({ preventScroll: true });
  }

  /* ---- one episode ---- */

  const drawPieces = (pieces) => pieces.map((piece) => (piece.anchor
    ? make("a", { href: `#${piece.anchor}`, "data-jump": piece.anchor }, piece.text)
    : piece.text));

  function drawCheck(check) {
    const mark = { pass: "✓", fail: "✗" }[check.verdict] || "–";
    const evidence = check.evidence.map((pieces) => make("span", { class: "evidence" }, drawPieces(pieces)));
    return make("li", { class: check.verdict },
      make("span", { class: check.verdict in { pass: 1, fail: 1 } ? "mark" : "mark idle", "aria-hidden": "true" }, mark),
      make("code", {}, check.id),
      make("span", {}, labels.checks[check.id] || "",
        make("small", {}, check.verdict === "fail" ? "" : ` ${words(check.verdict)}`),
        evidence));
  }

  function drawChecks(checks) {
    const failed = checks.filter((check) => check.verdict === "fail");
    const others = checks.filter((check) => check.verdict !== "fail");
    const passed = others.filter((check) => check.verdict === "pass").length;
    const idle = others.length - passed;
    const title = failed.length ? `${failed.length} of ${checks.length} checks failed` : "No check failed";
    return make("section", { "aria-label": "Checks" },
      make("h2", {}, title),
      failed.length ? make("ul", { class: "checks" }, failed.map(drawCheck)) : null,
      make("details", { class: "fold" },
        make("summary", {}, `${passed} passed${idle ? `, ${idle} had nothing to judge` : ""}`),
        make("ul", { class: "checks" }, others.map(drawCheck))));
  }

  function drawUserErrors(errors) {
    if (!errors.length) return null;
    return make("section", { "aria-label": "Errors of the user" },
      make("h2", {}, "What the user did wrong"),
      make("ul", { class: "errors" }, errors.map((pieces) => make("li", {}, drawPieces(pieces)))));
  }

  function drawWhy(lines) {
    if (!lines.length) return null;
    return make("section", { "aria-label": "Why it failed" },
      make("h2", {}, "Beside the nearest solution"),
      make("ul", { class: "why" }, lines.map((pieces) => make("li", {}, drawPieces(pieces)))));
  }

  function drawFacts(facts) {
    if (!facts.length) return null;
    const said = facts.filter((fact) => fact.turn !== null && fact.turn !== undefined).length;
    return make("details", { class: "fold" },
      make("summary", {}, `What the user knew: ${said} of ${facts.length} facts were said`),
      make("table", {},
        make("thead", {}, make("tr", {}, ["Fact", "Level", "Said", "Why"].map((name) => make("th", { scope: "col" }, name)))),
        make("tbody", {}, facts.map((fact) => make("tr", {},
          make("th", { scope: "row" }, words(fact.key)),
          make("td", {}, fact.level || ""),
          make("td", {}, fact.turn ? make("a", { href: `#turn-${fact.turn}`, "data-jump": `turn-${fact.turn}` }, `message ${fact.turn}`) : "never"),
          make("td", {}, fact.reason || ""))))));
  }

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

  function drawCall(call) {
    const secret = call.owner === "user";
    const kind = `call${call.error ? " refused" : ""}${secret ? " private" : ""}`;
    const answer = call.error ?? call.result ?? "no answer";
    const details = make("details", { class: kind, id: `call-${call.number}` },
      make("summary", {}, make("code", {}, call.name), make("small", {}, briefArguments(call.arguments ?? {}))),
      make("h4", {}, "Arguments"), make("pre", { tabindex: "0" }, JSON.stringify(call.arguments ?? {}, null, 2)),
      make("h4", {}, call.error ? "Refused" : "Result"), make("pre", { tabindex: "0" }, typeof answer === "string" ? answer : JSON.stringify(answer, null, 2)));
    const parts = [details];
    if (call.error) parts.push(make("p", { class: "refusal" }, call.error.message || String(call.error.error)));
    if (call.changes) {
      parts.push(make("ul", { class: "written", "aria-label": "Rows written" }, call.changes.map((change) => make("li", {},
        make("span", { class: change.sign === "+" ? "sign" : "sign changed" }, change.sign),
        `${words(change.table)} `, make("span", { class: "key" }, change.key), " ", unbroken(change.text)))));
    }
    return make("div", { class: secret ? "theirs" : "ours" }, parts);
  }

  /* Runs of three and more lookups fold into one line, so that writes stand out. */
  function drawCalls(calls) {
    const parts = [];
    let lookups = [];
    const flush = () => {
      if (lookups.length < 3) parts.push(...lookups.map(drawCall));
      else {
        const counts = new Map();
        for (const call of lookups) counts.set(call.name, (counts.get(call.name) || 0) + 1);
        const listed = [...counts].map(([name, count]) => (count > 1 ? `${name} ×${count}` : name)).join(", ");
        parts.push(make("details", { class: "lookups" }, make("summary", {}, `${lookups.length} lookups: ${listed}`), lookups.map(drawCall)));
      }
      lookups = [];
    };
    for (const call of calls) {
      if (!call.changes && !call.error && call.owner === "agent") lookups.push(call);
      else { flush(); parts.push(drawCall(call)); }
    }
    flush();
    return parts;
  }

  function drawExchange(exchange) {
    const secret = exchange.calls.filter((call) => call.owner === "user").length;
    const calls = showsPrivate ? exchange.calls : exchange.calls.filter((call) => call.owner === "agent");
    const reveal = secret && !showsPrivate
      ? make("button", { type: "button", "data-reveal": true }, `${secret} private ${secret === 1 ? "call" : "calls"} of the user`) : null;
    return make("div", { class: `exchange ${exchange.speaker}`, id: exchange.turn ? `turn-${exchange.turn}` : null },
      make("div", {},
        make("p", { class: "speaker" }, make("b", {}, exchange.speaker === "agent" ? "Agent" : "User"), exchange.turn ? ` message ${exchange.turn}` : ""),
        exchange.turn ? (exchange.text.trim() ? make("div", { class: "said" }, exchange.text) : make("p", { class: "quiet" }, "empty message")) : make("p", { class: "quiet" }, "no further message")),
      make("div", { class: "done" }, drawCalls(calls), reveal));
  }

  function drawHead(head) {
    const pairs = [
      ["Outcome", make("span", { class: `badge ${head.outcome}` }, labels.outcomes[head.outcome] || head.outcome)],
      ["Agent", head.agent + (head.reference ? " (reference)" : "")],
      ["User", head.user],
      ["Trial", head.trial],
      ["Stratum", `S${head.stratum}`],
      ["Dates", head.dates],
      ["Travellers", head.party],
      ["Ended by", head.ended],
      ["First failure", head.failure ? words(head.failure) : null],
      ["Fault", head.fault],
      ["Error", head.error],
    ];
    return make("dl", { class: "facts" }, pairs
      .filter(([, value]) => value !== null && value !== undefined && value !== "")
      .map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))));
  }

  function neighbours(index) {
    const listed = rows.filter((row) => !row.hidden).map((row) => Number(row.dataset.index));
    const around = listed.includes(index) ? listed : rows.map((row) => Number(row.dataset.index));
    const place = around.indexOf(index);
    return [around[place - 1], around[place + 1]];
  }

  function step(index, text, key) {
    return index === undefined
      ? make("button", { type: "button", disabled: true }, text)
      : make("button", { type: "button", "data-open": index, title: `${text} (${key})` }, text);
  }

  function drawEpisode(index) {
    const view = JSON.parse(blocks[index].textContent);
    const [before, after] = neighbours(index);
    const toggle = make("input", { type: "checkbox", id: "private", checked: showsPrivate });
    toggle.checked = showsPrivate;
    const hasPrivate = view.exchanges.some((exchange) => exchange.calls.some((call) => call.owner === "user"));
    article.replaceChildren(...present([
      make("div", { class: "bar" },
        make("button", { type: "button", "data-close": true, title: "All episodes (Esc)" }, "All episodes"),
        make("span", { class: "gap" }),
        hasPrivate ? make("label", {}, toggle, "User's private side") : null,
        step(before, "Previous", "k"), step(after, "Next", "j")),
      make("h1", { id: "episode-title", tabindex: "-1" }, view.head.title),
      drawHead(view.head),
      drawChecks(view.checks),
      drawWhy(view.why),
      drawUserErrors(view.user_errors),
      drawFacts(view.facts),
      make("section", { class: "dialogue", "aria-label": "Dialogue" },
        make("h2", {}, "What was said, and what was done"),
        make("div", { class: "columns", "aria-hidden": "true" }, make("span", {}, "Said"), make("span", {}, "Done before saying it")),
        view.exchanges.map(drawExchange)),
      make("p", { class: "hint" }, "Keys: j and k go to the next and the previous episode, p shows the private side, Esc goes back."),
    ]));
    document.title = `${view.head.title} · ${reportTitle}`;
  }

  function openEpisode(index) {
    if (!report.hidden) position = window.scrollY;
    drawEpisode(index);
    report.hidden = true;
    article.hidden = false;
    window.scrollTo(0, 0);
    document.getElementById("episode-title").focus({ preventScroll: true });
  }

  function closeEpisode() {
    if (article.hidden) return;
    const open = current;
    article.hidden = true;
    report.hidden = false;
    document.title = reportTitle;
    window.scrollTo(0, position);
    rows[open]?.querySelector("a").focus({ preventScroll: true });
  }

  function togglePrivate() {
    const y = window.scrollY;
    showsPrivate = !showsPrivate;
    drawEpisode(current);
    window.scrollTo(0, y);
    document.getElementById("private")?.focus({ preventScroll: true });
  }

  function jump(id) {
    let target = document.getElementById(id);
    if (!target && id.startsWith("call-") && !showsPrivate) {
      togglePrivate();
      target = document.getElementById(id);
    }
    if (!target) return;
    for (let outer = target; outer; outer = outer.parentElement) if (outer.tagName === "DETAILS") outer.open = true;
    target.scrollIntoView({ block: "center" });
    target.classList.remove("flash");
    void target.offsetWidth;
    target.classList.add("flash");
    target.setAttribute("tabindex", "-1");
    target.focus({ preventScroll: true });
  }

  /* ---- where we are stands in the address, so Back works and an episode can be linked ---- */

  let current = -1;
  const go = (hash) => { location.hash = hash; };

  function follow() {
    const match = /^#episode\/(\d+)$/.exec(location.hash);
    if (match && Number(match[1]) < blocks.length) {
      current = Number(match[1]);
      openEpisode(current);
    } else closeEpisode();
  }

  filters.addEventListener("input", applyFilters);
  filters.addEventListener("reset", () => setTimeout(applyFilters));
  filters.addEventListener("submit", (event) => event.preventDefault());
  document.getElementById("list").addEventListener("click", (event) => {
    const row = event.target.closest("tr[data-index]");
    if (row && !event.target.closest("a") && !String(getSelection())) go(`episode/${row.dataset.index}`);
  });
  report.addEventListener("click", (event) => {
    const cell = event.target.closest("button.cell");
    if (cell) filterBy({ check: cell.dataset.check, agent: cell.dataset.agent, user: cell.dataset.user });
  });
  article.addEventListener("click", (event) => {
    const target = event.target.closest("[data-close],[data-open],[data-jump],[data-reveal],#private");
    if (!target) return;
    if (target.id === "private" || "reveal" in target.dataset) togglePrivate();
    else if ("close" in target.dataset) go("episodes");
    else if ("open" in target.dataset) go(`episode/${target.dataset.open}`);
    else { event.preventDefault(); jump(target.dataset.jump); }
  });
  document.addEventListener("keydown", (event) => {
    if (article.hidden || event.ctrlKey || event.metaKey || event.altKey) return;
    const [before, after] = neighbours(current);
    if (event.key === "Escape") go("episodes");
    else if (event.key === "j" && after !== undefined) go(`episode/${after}`);
    else if (event.key === "k" && before !== undefined) go(`episode/${before}`);
    else if (event.key === "p" && document.getElementById("private")) togglePrivate();
  });
  addEventListener("hashchange", follow);
  applyFilters();
  follow();
})();
