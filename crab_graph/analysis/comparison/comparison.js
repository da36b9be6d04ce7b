/* The grid of a comparison: filters, and one tab stop for all pips. */

function startGrid(grid, form) {
  const rows = [...grid.tBodies[0].rows];
  const columns = JSON.parse(grid.dataset.pairs);
  const standingsOf = (row) => row.dataset.standings.split(",");

  function stands(row, pair) {
    const own = standingsOf(row);
    return pair === "" ? own.filter(Boolean) : [own[Number(pair)]].filter(Boolean);
  }

  function setShown(element, isShown) { element.hidden = !isShown; }

  function filter() {
    const pair = form.elements.pair?.value ?? "";
    const wanted = form.elements.standing.value;
    const counts = new Map();
    let shown = 0;
    for (const row of rows) {
      const own = stands(row, pair);
      for (const one of new Set(own)) counts.set(one, (counts.get(one) ?? 0) + 1);
      const isShown = (pair === "" || own.length > 0) && (wanted === "" || own.includes(wanted));
      setShown(row, isShown);
      if (isShown) shown += 1;
    }
    const inPair = (place) => pair === "" || columns[place].includes(Number(pair));
    grid.querySelectorAll("[data-arm]").forEach((cell) => setShown(cell, inPair(Number(cell.dataset.arm))));
    grid.querySelectorAll("thead [data-arms]").forEach((head) => {
      const left = head.dataset.arms.split(" ").filter((place) => inPair(Number(place))).length;
      setShown(head, left > 0);
      if (left) head.colSpan = left;
    });
    form.querySelectorAll(".choice").forEach((choice) => {
      const standing = choice.querySelector("input").value;
      const count = standing ? counts.get(standing) ?? 0 : rows.filter((row) => pair === "" || stands(row, pair).length).length;
      choice.querySelector("span").textContent = count;
    });
    form.querySelector("output").value = `${shown} of ${rows.length} tasks`;
    rest();
  }

  /* ---- the keyboard: one pip can be reached by Tab, arrows go on from it ---- */

  const seen = (pip) => pip.offsetParent !== null;
  const all = () => [...grid.querySelectorAll("a.pip")];

  function rest(chosen) {
    const stop = chosen ?? all().find(seen);
    all().forEach((pip) => { pip.tabIndex = pip === stop ? 0 : -1; });
  }

  function across(pip, step) {
    const own = [...pip.closest("tr").querySelectorAll("a.pip")].filter(seen);
    return own[own.indexOf(pip) + step];
  }

  function along(pip, step) {
    const cell = pip.closest("td");
    const place = [...cell.querySelectorAll("a.pip")].indexOf(pip);
    const shown = rows.filter((row) => !row.hidden);
    for (let at = shown.indexOf(cell.parentElement) + step; shown[at]; at += step) {
      const others = shown[at].querySelectorAll(`[data-arm="${cell.dataset.arm}"] a.pip`);
      if (others.length) return others[Math.min(place, others.length - 1)];
    }
    return undefined;
  }

  grid.addEventListener("keydown", (event) => {
    const moves = { ArrowLeft: [across, -1], ArrowRight: [across, 1], ArrowUp: [along, -1], ArrowDown: [along, 1] };
    const move = moves[event.key];
    if (!move || !event.target.matches("a.pip") || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const next = move[0](event.target, move[1]);
    if (next) { rest(next); next.focus(); }
  });
  grid.addEventListener("focusin", (event) => { if (event.target.matches("a.pip")) rest(event.target); });
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  filter();
}

/* A dialogue that was left out to keep the page small cannot be opened. */
function dimAbsent(grid) {
  const absent = new Set(data.rows.filter((row) => row.absent).map((row) => episodeHash(row).replace("#episode/", "")));
  if (!absent.size) return;
  grid.querySelectorAll("a.pip").forEach((pip) => {
    const parts = pip.getAttribute("href").split("/").slice(1);
    const keys = [parts.slice(0, 2).join("/"), parts.slice(2).join("/")];
    if (!keys.some((key) => absent.has(key))) return;
    pip.classList.add("left-out");
    pip.title += " (dialogue left out of this page)";
  });
}

function openPair() {
  const asked = /^#pair-\d+$/.test(location.hash) ? document.querySelector(location.hash) : null;
  if (asked) { asked.open = true; asked.scrollIntoView(); }
}

addEventListener("hashchange", openPair);
openPair();
dimAbsent(document.querySelector("table.grid"));
startGrid(document.querySelector("table.grid"), document.getElementById("grid-filters"));
