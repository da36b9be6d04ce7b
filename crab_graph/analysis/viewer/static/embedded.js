import { startViewer } from "./viewer.js";

/* The viewer over the episodes that the page itself holds. */

function embeddedSource(rows, facets, blocks) {
  const isWhole = blocks.length === rows.length;
  const read = (place) => JSON.parse(blocks[place].textContent);
  const texts = new Map();

  function textOf(place) {
    if (!texts.has(place)) {
      const view = isWhole ? read(place) : { exchanges: [] };
      const said = view.exchanges.map((exchange) => [exchange.text, exchange.calls.map((call) => [call.name, (call.changes ?? []).map((change) => change.key)])]);
      texts.set(place, [rows[place].id, rows[place].agent, rows[place].persona, said].flat(Infinity).join(" ").toLowerCase());
    }
    return texts.get(place);
  }

  function fits(row, place, wanted) {
    const asked = (name) => wanted.get(name) ?? "";
    if (asked("outcome") === "!pass" ? row.outcome === "pass" : asked("outcome") && asked("outcome") !== row.outcome) return false;
    if (["agent", "user", "persona", "stratum", "run", "task"].some((name) => asked(name) && asked(name) !== String(row[name]))) return false;
    for (const [name, value] of wanted) if (name.startsWith("axis.") && value && value !== String(row.axes[name.slice(5)])) return false;
    if (asked("check") && !row.failed.includes(asked("check"))) return false;
    if (asked("mode") && !row.modes.includes(asked("mode"))) return false;
    return asked("q").toLowerCase().split(/\s+/).filter(Boolean).every((word) => textOf(place).includes(word));
  }

  const find = (query) => rows.filter((row, place) => fits(row, place, new URLSearchParams(query)));
  const isSame = (a, b) => a.run === b.run && a.id === b.id;

  return {
    async page(query) {
      const wanted = new URLSearchParams(query);
      const found = find(query);
      const offset = Number(wanted.get("offset")) || 0;
      return { total: rows.length, found: found.length, offset, rows: found.slice(offset, offset + Number(wanted.get("limit"))), facets };
    },
    async episode(key, query) {
      const place = rows.findIndex((row) => isSame(row, key));
      if (place < 0) throw new Error(`This page holds no episode '${key.id}'.`);
      if (!isWhole) throw new Error("There are too many episodes for one page to hold their dialogues; `crab-graph serve RUN` shows them.");
      const listed = find(query);
      const at = listed.findIndex((row) => isSame(row, key));
      const others = rows.filter((row) => row.task === rows[place].task && !isSame(row, key));
      return { ...read(place), run: key.run, id: key.id, before: at > 0 ? listed[at - 1] : null, after: at >= 0 ? listed[at + 1] ?? null : null, others };
    },
  };
}

const data = JSON.parse(document.getElementById("viewer-data").textContent);
startViewer(embeddedSource(data.rows, data.facets, document.querySelectorAll("script.episode-data")), {
  labels: data.labels,
  runs: data.runs,
  list: document.getElementById("viewer-list"),
  article: document.getElementById("episode"),
  around: document.getElementById("report"),
});
