import { headed, make, plural, titled, verdictWord } from "./elements.js";

/* What people noted on an episode and its messages; where the page may write, forms to write it.

   A draft lives in `context.draft` while it is written, so that drawing the page again keeps it. */

const isOn = (turn) => (note) => (note.turn ?? null) === (turn ?? null);

const titleOf = (view, id) => view.checks.find((check) => check.id === id)?.title ?? "";

function verdictOf(view, note) {
  const now = note.check_id ? view.checks.find((check) => check.id === note.check_id)?.verdict : view.head.outcome;
  return now && note.verdict && now !== note.verdict ? `, ${verdictWord(note.verdict)} then and ${verdictWord(now)} now` : "";
}

function drawNote(view, note, canWrite) {
  const what = note.check_id ? [make("code", {}, note.check_id), " ", titleOf(view, note.check_id)] : "the outcome";
  const tools = canWrite ? make("span", { class: "tools" },
    make("button", { type: "button", "data-note-change": note.id }, "Change"),
    make("button", { type: "button", "data-note-delete": note.id }, "Delete")) : null;
  return make("li", { class: note.disputed ? "person disputed" : "person" },
    note.disputed ? make("p", {}, make("b", {}, `${titled("disputed")}: `), what, verdictOf(view, note)) : null,
    note.text ? make("p", { class: "noted", dir: "auto" }, note.text) : null,
    make("p", { class: "about" }, note.tags.map((tag) => [make("span", { class: "tag" }, tag), " "]),
      make("time", { datetime: note.written }, `${note.written.slice(0, 16).replace("T", " ")} UTC`), tools));
}

function drawForm(view, draft) {
  const text = make("textarea", { name: "text", rows: "3", maxlength: "4000", dir: "auto" });
  text.value = draft.text;
  const tags = make("input", { name: "tags", autocomplete: "off", spellcheck: "false", placeholder: "with commas" });
  tags.value = draft.tags;
  const disputed = make("input", { type: "checkbox", name: "disputed" });
  disputed.checked = draft.disputed;
  const checks = [...view.checks].sort((a, b) => (b.verdict === "fail") - (a.verdict === "fail"));
  const check = make("select", { name: "check_id" }, make("option", { value: "" }, `the outcome: ${verdictWord(view.head.outcome)}`),
    checks.map((one) => make("option", { value: one.id }, `${one.id} ${one.title}: ${verdictWord(one.verdict)}`)));
  check.value = draft.check_id;
  const problem = make("p", { class: "refusal", role: "alert", hidden: !draft.problem }, draft.problem);
  return make("form", { class: "note-form", "aria-label": draft.id ? "Change a note" : "A new note" },
    make("label", {}, titled("note"), text),
    make("label", {}, titled("tags"), tags),
    make("label", { class: "inline" }, disputed, titled("disputed")),
    make("label", { class: "of", hidden: !draft.disputed }, "Which verdict", check),
    problem,
    make("p", { class: "tools" }, make("button", { type: "submit" }, "Save"), make("button", { type: "button", "data-note-cancel": true }, "Cancel")));
}

export function drawNotes(view, turn, { draft, ...context }) {
  const canWrite = context.canWrite && view.takes_notes;
  const own = view.notes.filter(isOn(turn));
  const open = canWrite && draft && draft.run === view.run && draft.episode_id === view.id && isOn(turn)(draft) ? draft : null;
  if (!own.length && !canWrite) return null;
  const listed = own.filter((note) => note.id !== open?.id || note.revision !== open.revision).map((note) => drawNote(view, note, canWrite));
  const add = canWrite && !open ? make("button", { type: "button", class: "add", "data-note-add": turn ?? "", "aria-label": turn ? `Add a note on message ${turn}` : "Add a note on the episode" }, "Add a note") : null;
  return make("div", { class: "notes" }, listed.length ? make("ul", { "aria-label": plural(listed.length, "note") }, listed) : null, open ? drawForm(view, open) : null, add);
}

export function drawNotesOfAll(view, context) {
  const drawn = drawNotes(view, null, context);
  const problem = context.problem && make("p", { class: "refusal", role: "alert" }, context.problem);
  return drawn && make("section", { "aria-label": "Notes" }, make("h2", {}, headed("notes")), problem, drawn);
}

/* Notes are written in an article that is drawn again by `redraw` and loaded again by `reload`. */
export function listenForNotes(article, context, { shown, redraw, reload, write }) {
  const begin = (note) => {
    const view = shown();
    context.draft = { run: view.run, episode_id: view.id, turn: note.turn ?? null, id: note.id ?? null, revision: note.revision ?? 0, text: note.text ?? "",
      tags: (note.tags ?? []).join(", "), disputed: note.disputed ?? false, check_id: note.check_id ?? "", problem: "" };
    redraw();
    article.querySelector(".note-form textarea")?.focus();
  };
  const end = (turn) => {
    context.draft = null;
    redraw();
    article.querySelector(`[data-note-add="${turn ?? ""}"]`)?.focus({ preventScroll: true });
  };
  const find = (id) => shown().notes.find((note) => note.id === id);

  async function send(fields, turn) {
    let problem = "";
    try { await write(shown().run, fields); } catch (error) { problem = error.message; }
    if (!problem) context.draft = null;
    else if (context.draft) context.draft.problem = problem;
    context.problem = context.draft ? "" : problem;
    try { await reload(); } catch { redraw(); }
    if (!problem) article.querySelector(`[data-note-add="${turn ?? ""}"]`)?.focus({ preventScroll: true });
  }

  article.addEventListener("click", (event) => {
    const data = event.target.closest("button")?.dataset ?? {};
    if ("noteAdd" in data) begin({ turn: data.noteAdd ? Number(data.noteAdd) : null });
    else if ("noteChange" in data) begin(find(data.noteChange));
    else if ("noteCancel" in data) end(context.draft?.turn);
    else if ("noteDelete" in data) {
      const { id, revision, turn, episode_id } = find(data.noteDelete);
      if (confirm("Delete this note?")) send({ id, revision, turn, episode_id, deleted: true }, turn);
    }
  });
  article.addEventListener("input", (event) => {
    const form = event.target.closest(".note-form");
    if (!form || !context.draft) return;
    const { text, tags, disputed, check_id } = form.elements;
    Object.assign(context.draft, { text: text.value, tags: tags.value, disputed: disputed.checked, check_id: check_id.value });
    form.querySelector(".of").hidden = !disputed.checked;
  });
  article.addEventListener("submit", (event) => {
    event.preventDefault();
    const { episode_id, turn, id, revision, text, tags, disputed, check_id } = context.draft;
    const listed = tags.split(",").map((tag) => tag.trim()).filter(Boolean);
    send({ episode_id, turn, id, revision, text, tags: listed, disputed, check_id: (disputed && check_id) || null }, turn);
  });
}
