import { drawComparison } from "./compare.js";
import { episodeHash, make, present, readHash, speak } from "./elements.js";
import { drawEpisode } from "./episode.js";
import { drawList, drawListFrame, PAGE, readFilters, setFilters } from "./list.js";
import { listenForNotes } from "./notes.js";

/* The viewer: a list, an episode, or two; which one stands in the address.

   A source answers `page(query)` and `episode(key, query)`, both as promises; one that can `write(run, note)`
   lets notes be written. */

export function startViewer(source, { labels, runs, list, article, around }) {
  speak(labels);
  const title = document.title;
  const context = { labels, runs, showsPrivate: false, query: "", draft: null, canWrite: Boolean(source.write) };
  let position = 0;
  let shown = null;
  let picked = [];
  let page = null;
  let drawing = 0;

  list.replaceChildren(...present(drawListFrame(labels)));
  const filters = list.querySelector("#filters");
  const skip = document.querySelector(".skip");
  const skipsTo = skip?.getAttribute("href");

  /* ---- the list ---- */

  async function showList() {
    const mine = ++drawing;
    const found = await source.page(`${context.query}${context.query ? "&" : ""}limit=${PAGE}`);
    if (mine !== drawing) return;
    page = found;
    drawList(list, page, context, context.query, picked);
  }

  function applyFilters() {
    const wanted = readFilters(filters);
    context.query = String(wanted);
    history.replaceState(null, "", context.query ? `#episodes?${context.query}` : "#episodes");
    return guarded(showList);
  }

  function pick(row, isOn) {
    const key = { run: Number(row.dataset.run), id: row.dataset.id };
    picked = picked.filter((one) => one.run !== key.run || one.id !== key.id);
    if (isOn) picked = [...picked, key].slice(-2);
    drawList(list, page, context, context.query, picked);
  }

  function moveInList(step) {
    const links = [...list.querySelectorAll("#list tbody a")];
    const place = links.indexOf(document.activeElement);
    links[Math.min(links.length - 1, Math.max(0, place + step))]?.focus();
  }

  /* ---- one episode, or two ---- */

  function open(parts, name) {
    if (!around.hidden) position = window.scrollY;
    article.replaceChildren(...present(parts));
    document.title = `${name} · ${title}`;
    around.hidden = true;
    article.hidden = false;
    skip?.setAttribute("href", "#episode-title");
  }

  function drawShown() {
    const [first, second] = shown.views;
    if (second) open(drawComparison(first, second, context), "Two episodes");
    else open(drawEpisode(first, context), first.head.title);
  }

  async function showArticle(place) {
    const mine = ++drawing;
    context.query = place.query;
    const views = await Promise.all(place.keys.map((key) => source.episode(key, place.query)));
    if (mine !== drawing) return;
    shown = { ...place, views };
    drawShown();
    window.scrollTo(0, 0);
    document.getElementById("episode-title").focus({ preventScroll: true });
  }

  async function showAround(place) {
    const before = shown;
    const wasOpen = !article.hidden;
    shown = null;
    article.hidden = true;
    around.hidden = false;
    skip?.setAttribute("href", skipsTo);
    document.title = title;
    if (place.anchor === "episodes" || !page) {
      setFilters(filters, place.query);
      context.query = place.query;
      await showList();
    }
    if (wasOpen) {
      window.scrollTo(0, position);
      const rows = [...list.querySelectorAll("#list tbody tr")];
      const row = rows.find((one) => before?.keys.some((key) => String(key.run) === one.dataset.run && key.id === one.dataset.id));
      row?.querySelector("a").focus({ preventScroll: true });
    } else if (place.anchor === "episodes" && place.query) {
      list.scrollIntoView();
    }
  }

  function showProblem(error) {
    if (shown || readHash(location.hash).view !== "list") {
      open([make("div", { class: "bar" }, make("button", { type: "button", "data-close": true }, "All episodes")),
        make("h1", { id: "episode-title", tabindex: "-1" }, "This cannot be shown"), make("p", { role: "alert" }, error.message)], "Not shown");
      shown = { keys: [], views: [] };
    } else list.querySelector("#count").value = error.message;
  }

  async function guarded(action, ...given) {
    try { await action(...given); } catch (error) { showProblem(error); }
  }

  let typing = 0;

  function follow() {
    // What was typed a moment ago does not lead back from what is opened now.
    clearTimeout(typing);
    const place = readHash(location.hash);
    return guarded(place.view === "list" ? showAround : showArticle, place);
  }

  function close() {
    location.hash = context.query ? `episodes?${context.query}` : "episodes";
  }

  function redraw() {
    const y = window.scrollY;
    drawShown();
    window.scrollTo(0, y);
  }

  async function reload() {
    const views = await Promise.all(shown.keys.map((key) => source.episode(key, shown.query)));
    shown = { ...shown, views };
    redraw();
  }

  function togglePrivate() {
    if (!shown?.views.length) return;
    context.showsPrivate = !context.showsPrivate;
    redraw();
    document.getElementById("private")?.focus({ preventScroll: true });
  }

  function jump(id) {
    const find = () => document.getElementById(id) ?? document.getElementById(`left-${id}`);
    let target = find();
    if (!target && id.startsWith("call-") && !context.showsPrivate) {
      togglePrivate();
      target = find();
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

  /* ---- what people do ---- */

  /* Where an episode stands in the address, an anchor has no room there. */
  skip?.addEventListener("click", (event) => {
    if (article.hidden) return;
    event.preventDefault();
    document.getElementById("episode-title").focus();
  });

  filters.addEventListener("input", (event) => {
    clearTimeout(typing);
    if (event.target.name === "q") typing = setTimeout(applyFilters, 150);
    else applyFilters();
  });
  filters.addEventListener("reset", () => setTimeout(applyFilters));
  filters.addEventListener("submit", (event) => { event.preventDefault(); applyFilters(); });
  list.addEventListener("change", (event) => {
    if (event.target.classList.contains("pick")) pick(event.target.closest("tr"), event.target.checked);
  });
  list.addEventListener("click", (event) => {
    const row = event.target.closest("tr[data-id]");
    if (row?.querySelector("th a") && !event.target.closest("a, input, label") && !String(getSelection())) {
      location.hash = episodeHash({ run: row.dataset.run, id: row.dataset.id }, context.query);
    }
  });
  article.addEventListener("click", (event) => {
    const target = event.target.closest("[data-close],[data-jump],[data-reveal],#private");
    if (!target) return;
    if (target.id === "private" || "reveal" in target.dataset) togglePrivate();
    else if ("close" in target.dataset) close();
    else { event.preventDefault(); jump(target.dataset.jump); }
  });
  article.addEventListener("change", (event) => {
    if ("compare" in event.target.dataset && event.target.value) location.hash = event.target.value;
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest?.(".note-form")) return;
    const isTyping = event.target.closest?.("input:not([type=checkbox]), select, textarea");
    if (isTyping && event.key !== "Escape") return;
    if (article.hidden) {
      if (event.key === "j") moveInList(1);
      else if (event.key === "k") moveInList(-1);
      else if (event.key === "/") { event.preventDefault(); filters.elements.q.focus(); }
      else if (event.key === "Escape" && isTyping) event.target.blur();
      return;
    }
    const view = shown?.views.length === 1 ? shown.views[0] : {};
    if (event.key === "Escape") close();
    else if (event.key === "j" && view.after) location.hash = episodeHash(view.after, context.query);
    else if (event.key === "k" && view.before) location.hash = episodeHash(view.before, context.query);
    else if (event.key === "p") togglePrivate();
  });
  addEventListener("hashchange", follow);
  if (source.write) listenForNotes(article, context, { shown: () => shown.views[0], redraw, reload, write: source.write });

  return { ready: follow(), refresh: () => (article.hidden ? guarded(showList) : Promise.resolve()), context };
}
