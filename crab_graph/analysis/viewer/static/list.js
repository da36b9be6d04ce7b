import { called, capitalised, compareHash, drawBadge, episodeHash, make, plural, titled, words } from "./elements.js";

/* The list of episodes: filters, search, pages, and two to compare. */

export const PAGE = 50;

/* The axes of the tasks' domains stand after the strata. */
function filtersOf(labels) {
  const own = (names) => names.map((name) => [name, titled(FILTER_WORDS[name] ?? name)]);
  const axes = Object.entries(labels.axes).map(([name, title]) => [`axis.${name}`, capitalised(title)]);
  return [...own(["outcome", "agent", "user", "persona", "stratum", "level", "difficulty"]), ...axes, ...own(["check", "mode", "tag", "run"])];
}

const FILTER_WORDS = { check: "failed_check", tag: "notes" };

const HEADS = ["episode", "agent", "user", "outcome", "first_failure", "failed_checks"];
const COUNTS = ["messages", "tool_calls"];

/* What models took stands in the list where it was measured. */
const TAKEN = ["tokens", "seconds", "dollars"];

function drawTaken(name, value) {
  if (value === null || value === undefined) return "–";
  return name === "tokens" ? value.toLocaleString("en-US") : value.toFixed(name === "seconds" ? 1 : 4);
}

function nameOf(filter, value, { labels, runs }) {
  if (filter === "outcome") return labels.outcomes[value] || value;
  if (filter === "stratum") return `S${value}`;
  if (filter === "mode") return words(value);
  if (filter === "run") return runs[Number(value)]?.name ?? value;
  return value;
}

function fill(select, filter, values, context) {
  const chosen = select.value;
  const options = Object.entries(values).map(([value, count]) => make("option", { value }, `${nameOf(filter, value, context)} (${count})`));
  if (filter === "outcome") options.unshift(make("option", { value: "!pass" }, called("not_passed")));
  const wanted = [make("option", { value: "" }, "any"), ...options];
  if (chosen && !wanted.some((option) => option.value === chosen)) wanted.push(make("option", { value: chosen }, chosen));
  select.replaceChildren(...wanted);
  select.value = chosen;
}

export function drawListFrame(labels) {
  const search = make("input", { type: "search", name: "q", placeholder: "in ids, words said, tools, notes", title: "Search (/)", autocomplete: "off", spellcheck: "false" });
  return [
    make("form", { class: "filters", id: "filters", "aria-label": "Filter the episodes" },
      make("label", { class: "search" }, "Search", search),
      filtersOf(labels).map(([name, title]) => make("label", { hidden: name === "run" }, title, make("select", { name }, make("option", { value: "" }, "any")))),
      make("button", { type: "reset" }, "Clear"),
      make("output", { id: "count", "aria-live": "polite" })),
    make("div", { class: "picked", id: "picked", hidden: true }),
    make("table", { class: "list", id: "list" },
      make("thead", {}, make("tr", {}, HEADS.map((name) => make("th", { scope: "col" }, titled(name))),
        COUNTS.map((name) => make("th", { scope: "col", class: "number" }, titled(name))),
        TAKEN.map((name) => make("th", { scope: "col", class: "number taken" }, titled(name))),
        make("th", { scope: "col" }, make("span", { class: "unseen" }, titled("compare"))))),
      make("tbody", {})),
    make("p", { id: "nothing", hidden: true }, "No episode fits these filters."),
    make("div", { class: "pages", id: "pages" }),
  ];
}

function drawRow(row, { labels, runs }, query, isPicked) {
  const pick = make("input", { type: "checkbox", class: "pick", "aria-label": `Compare ${row.id} by ${row.agent}` });
  pick.checked = isPicked;
  return make("tr", { "data-run": row.run, "data-id": row.id, "data-outcome": row.outcome, "data-agent": row.agent },
    make("th", { scope: "row" }, row.absent ? row.task : make("a", { href: episodeHash(row, query) }, row.task), row.trial ? make("small", {}, ` #${row.trial}`) : null, row.turn ? make("small", {}, ` from message ${row.turn}`) : null,
      runs.length > 1 ? make("small", { class: "run" }, ` ${runs[row.run]?.name ?? row.run}`) : null),
    make("td", {}, row.agent, " ", row.reference ? make("span", { class: "tag" }, "reference") : null),
    make("td", {}, row.user, row.persona && row.persona !== "none" && !row.user.includes(row.persona) ? make("small", {}, ` ${row.persona}`) : null),
    make("td", {}, drawBadge(row.outcome, labels), row.tags.length ? make("span", { class: "tag" }, row.tags.includes("disputed") ? "disputed" : "noted") : null),
    make("td", {}, words(row.failure ?? "")),
    make("td", { class: "codes" }, row.failed.map((check) => [make("code", { title: labels.checks[row.run]?.[check] }, check), " "])),
    make("td", { class: "number" }, row.turns), make("td", { class: "number" }, row.calls ?? ""),
    TAKEN.map((name) => make("td", { class: "number taken" }, drawTaken(name, row[name]))),
    make("td", { class: "pickcell" }, row.absent ? make("small", { title: "Its dialogue was left out to keep this page small" }, "left out") : make("label", { title: titled("compare") }, pick)));
}

export function readFilters(form) {
  const given = Object.fromEntries([...new FormData(form)].filter(([, value]) => value));
  return new URLSearchParams(given);
}

export function setFilters(form, query) {
  const wanted = new URLSearchParams(query);
  for (const field of form.elements) {
    if (!field.name) continue;
    const value = wanted.get(field.name) ?? "";
    if (field.tagName === "SELECT" && value && ![...field.options].some((option) => option.value === value)) field.append(make("option", { value }, value));
    field.value = value;
  }
  return Math.max(0, Number(wanted.get("offset")) || 0);
}

export function drawList(root, page, context, query, picked) {
  const body = root.querySelector("#list tbody");
  const focused = document.activeElement?.closest?.("#list tr")?.dataset;
  const wasBox = document.activeElement?.classList?.contains("pick");
  for (const [name] of filtersOf(context.labels)) {
    const select = root.querySelector(`select[name="${name}"]`);
    const values = page.facets[name] || {};
    if (document.activeElement !== select) fill(select, name, values, context);
    const offered = name === "run" ? context.runs.length : Object.keys(values).length;
    select.parentElement.hidden = offered < (name === "run" || name === "level" ? 2 : 1) && !select.value;
  }
  const isPicked = (row) => picked.some((key) => key.run === row.run && key.id === row.id);
  body.replaceChildren(...page.rows.map((row) => drawRow(row, context, query, isPicked(row))));
  root.querySelector("#list").classList.toggle("untaken", !page.rows.some((row) => row.tokens !== null));
  root.querySelector("#count").value = `${page.found} of ${page.total}`;
  root.querySelector("#nothing").hidden = page.found > 0 || page.total === 0;
  root.querySelector("#list").hidden = page.found === 0;
  drawPages(root.querySelector("#pages"), page, query);
  drawPicked(root.querySelector("#picked"), picked);
  if (focused) {
    const row = [...body.rows].find((one) => one.dataset.run === focused.run && one.dataset.id === focused.id);
    row?.querySelector(wasBox ? ".pick" : "a").focus({ preventScroll: true });
  }
}

function drawPages(root, page, query) {
  const link = (offset, text) => {
    const wanted = new URLSearchParams(query);
    if (offset) wanted.set("offset", offset);
    else wanted.delete("offset");
    return make("a", { class: "button", href: `#episodes?${wanted}` }, text);
  };
  const last = page.offset + page.rows.length;
  const isWhole = page.offset === 0 && last >= page.found;
  root.replaceChildren(...(isWhole ? [] : [
    page.offset > 0 ? link(Math.max(0, page.offset - PAGE), "Previous page") : make("span", { class: "button off" }, "Previous page"),
    make("span", {}, page.rows.length ? `${page.offset + 1}–${last} of ${page.found}` : `${plural(page.found, "episode")}`),
    last < page.found ? link(last, "Next page") : make("span", { class: "button off" }, "Next page"),
  ]));
}

function drawPicked(root, picked) {
  root.hidden = picked.length === 0;
  const names = picked.map((key) => key.id).join(" and ");
  root.replaceChildren(...(picked.length === 2
    ? [make("a", { class: "button", href: compareHash(...picked) }, titled("compare")), ` ${names}`]
    : [`${names} is marked; mark another to compare them.`]));
}
