import { make, plural } from "./elements.js";
import { startViewer } from "./viewer.js";

/* The viewer over the server's interface, kept up with the runs while they go on. */

const PAUSE = 1500;

async function get(path) {
  const answer = await fetch(path, { headers: { accept: "application/json" } });
  const document = await answer.json();
  if (!answer.ok) throw new Error(document.error || answer.statusText);
  return document;
}

const token = document.querySelector('meta[name="notes-token"]')?.content;

async function post(path, fields) {
  const headers = { "content-type": "application/json", "x-notes-token": token };
  const answer = await fetch(path, { method: "POST", headers, body: JSON.stringify(fields) });
  const document = await answer.json();
  if (!answer.ok) throw new Error(document.error || answer.statusText);
  return document;
}

const asKey = (pair) => (pair ? { run: pair[0], id: pair[1] } : null);

const source = {
  page: (query) => get(`api/episodes?${query}`),
  async episode(key, query) {
    const view = await get(`api/episodes/${key.run}/${encodeURIComponent(key.id)}?${query}`);
    return { ...view, before: asKey(view.before), after: asKey(view.after) };
  },
  write: token ? (run, note) => post(`api/notes/${run}`, note) : null,
};

function drawRuns(runs) {
  document.getElementById("runs").replaceChildren(...runs.map((run) => make("li", {},
    make("b", {}, run.name), run.agent === run.name ? " " : ` ${run.agent}, `, `${run.finished} of ${plural(run.planned, "episode")} finished`,
    run.engine === "rules" ? make("span", { class: "tag" }, "rule-based user") : null,
    run.damaged.map((line) => make("p", { class: "refusal" }, line)))));
}

const [labels, state] = await Promise.all([get("api/labels"), get("api/state")]);
const runs = state.runs;
document.title = runs.map((run) => run.name).join(", ");
document.getElementById("title").textContent = document.title;
drawRuns(runs);
const viewer = startViewer(source, {
  labels,
  runs,
  list: document.getElementById("viewer-list"),
  article: document.getElementById("episode"),
  around: document.getElementById("around"),
});
await viewer.ready;

let version = state.version;
const live = document.getElementById("live");
const isOver = (list) => list.every((run) => run.finished >= run.planned);

async function keepUp() {
  try {
    const now = await get("api/state");
    const before = runs.reduce((sum, run) => sum + run.finished, 0);
    runs.splice(0, runs.length, ...now.runs);
    const added = runs.reduce((sum, run) => sum + run.finished, 0) - before;
    if (now.version !== version) {
      version = now.version;
      drawRuns(runs);
      await viewer.refresh();
      if (added > 0) live.textContent = `${plural(added, "new episode")}.`;
    } else if (isOver(runs)) live.textContent = "All planned episodes are finished.";
    else live.textContent = "New episodes appear here as they are finished.";
    live.classList.remove("lost");
  } catch {
    live.textContent = "The viewer's server has stopped; what is shown stays.";
    live.classList.add("lost");
  }
  setTimeout(keepUp, PAUSE);
}
keepUp();
