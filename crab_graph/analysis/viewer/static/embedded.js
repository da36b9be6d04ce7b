import { startViewer } from "./viewer.js";

/* The viewer over the episodes that the page itself holds, each compressed until it is opened. */

const isParsed = document.readyState === "loading" ? new Promise((resolve) => { addEventListener("DOMContentLoaded", resolve); }) : null;

/* The list can be used before all dialogues have been read from the file. */
async function unpack(selector) {
  if (!document.querySelector(selector)) await isParsed;
  const element = document.querySelector(selector);
  const bytes = Uint8Array.from(atob(element.textContent.trim()), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
}

function embeddedSource(rows) {
  let searched = null;
  const several = { check: "failed", mode: "modes", tag: "tags", difficulty: "difficulties" };

  function fitsOne(row, text, name, value) {
    if (name === "q") return value.toLowerCase().split(/\s+/).filter(Boolean).every((word) => text.includes(word));
    if (name === "outcome" && value === "!pass") return row.outcome !== "pass";
    if (name in several) return row[several[name]].includes(value);
    if (name.startsWith("axis.")) return value === String(row.axes[name.slice(5)]);
    return !(name in row) || value === String(row[name]);
  }

  function valuesOf(row) {
    const axes = Object.entries(row.axes).map(([name, value]) => [`axis.${name}`, [value]]);
    const single = ["outcome", "agent", "user", "persona", "stratum", "level", "run"].map((name) => [name, [row[name]]]);
    return [...single, ["check", row.failed], ["mode", [...new Set(row.modes)]], ["tag", row.tags], ["difficulty", row.difficulties], ...axes];
  }

  /* Rows that fit, and how many fit all other filters for each value of one. */
  async function find(query) {
    const wanted = [...new URLSearchParams(query)].map(([name, value]) => [name, value.trim()]).filter(([, value]) => value);
    if (wanted.some(([name]) => name === "q")) searched ??= unpack("#viewer-texts");
    const said = searched ? await searched : [];
    const facets = {};
    const found = rows.filter((row, place) => {
      const missed = wanted.filter(([name, value]) => !fitsOne(row, said[place], name, value));
      for (const [name, values] of valuesOf(row)) {
        const counts = (facets[name] ??= {});
        const fits = missed.length === 0 || (missed.length === 1 && missed[0][0] === name);
        for (const value of values) counts[value] = (counts[value] ?? 0) + (fits ? 1 : 0);
      }
      return missed.length === 0;
    });
    for (const [name, counts] of Object.entries(facets)) facets[name] = Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)));
    return { found, facets };
  }

  const isSame = (a, b) => a.run === b.run && a.id === b.id;

  return {
    async page(query) {
      const wanted = new URLSearchParams(query);
      const { found, facets } = await find(query);
      const offset = Number(wanted.get("offset")) || 0;
      return { total: rows.length, found: found.length, offset, rows: found.slice(offset, offset + Number(wanted.get("limit"))), facets };
    },
    async episode(key, query) {
      const place = rows.findIndex((row) => isSame(row, key));
      if (place < 0) throw new Error(`This page holds no episode '${key.id}'.`);
      if (rows[place].absent) throw new Error(`The dialogue of '${key.id}' was left out to keep this page small; crab-graph show RUN ${key.id} reads it.`);
      const listed = (await find(query)).found.filter((row) => !row.absent);
      const at = listed.findIndex((row) => isSame(row, key));
      const others = rows.filter((row) => row.task === rows[place].task && !isSame(row, key) && !row.absent);
      return { ...(await unpack(`.episode-data[data-place="${place}"]`)), run: key.run, id: key.id, before: at > 0 ? listed[at - 1] : null, after: at >= 0 ? listed[at + 1] ?? null : null, others };
    },
  };
}

const data = JSON.parse(document.getElementById("viewer-data").textContent);
for (const place of data.absent ?? []) data.rows[place].absent = true;
startViewer(embeddedSource(data.rows), {
  labels: data.labels,
  runs: data.runs,
  list: document.getElementById("viewer-list"),
  article: document.getElementById("episode"),
  around: document.getElementById("report"),
});
