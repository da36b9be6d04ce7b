/* The report around the viewer: one tab stop for each table and for the headings of each part, folds
   that open when they are asked for, and all of them on paper. */

function roam(table) {
  const links = [...table.querySelectorAll("a[href]")];
  links.forEach((link, place) => { link.tabIndex = place ? -1 : 0; });
  table.addEventListener("keydown", (event) => {
    const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    const step = steps[event.key];
    const cell = event.target.closest("th, td");
    if (!step || !cell) return;
    let row = cell.parentElement.rowIndex, column = cell.cellIndex, link = null;
    do {
      row += step[0];
      column += step[1];
      link = table.rows[row]?.cells[column]?.querySelector("a[href]");
    } while (!link && table.rows[row]?.cells[column]);
    event.preventDefault();
    link?.focus();
  });
  table.addEventListener("focusin", (event) => {
    if (links.includes(event.target)) links.forEach((link) => { link.tabIndex = link === event.target ? 0 : -1; });
  });
  const scroller = table.closest(".scroll");
  if (links.length) scroller?.removeAttribute("tabindex");
}

/* Arrows go from heading to heading of a part, as they do from figure to figure of a table. */
function walk(part) {
  const stops = [...part.querySelectorAll("summary")].filter((one) => one.tabIndex >= 0);
  const rest = (chosen) => stops.forEach((one) => { one.tabIndex = one === chosen ? 0 : -1; });
  rest(stops[0]);
  part.addEventListener("keydown", (event) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!step || !stops.includes(event.target)) return;
    const seen = stops.filter((one) => one.checkVisibility());
    event.preventDefault();
    seen[seen.indexOf(event.target) + step]?.focus();
  });
  part.addEventListener("focusin", (event) => { if (stops.includes(event.target)) rest(event.target); });
}

function openAsked() {
  const asked = /^#[a-z0-9-]+$/.test(location.hash) ? document.querySelector(location.hash) : null;
  const fold = asked?.querySelector(":scope > details");
  if (fold) fold.open = true;
}

/* A phone begins with headings alone; elsewhere nobody needs to stop at a heading to fold its figure. */
const isNarrow = matchMedia("(max-width: 52rem)").matches;
document.querySelectorAll("#main .fold[open]").forEach((fold) => {
  if (isNarrow) fold.open = false;
  else fold.querySelector("summary").tabIndex = -1;
});
document.querySelectorAll("table.exhibit").forEach(roam);
document.querySelectorAll(".part").forEach(walk);
addEventListener("hashchange", openAsked);
openAsked();

let unfolded = [];
addEventListener("beforeprint", () => {
  unfolded = [...document.querySelectorAll("#report details:not([open])")];
  unfolded.forEach((fold) => { fold.open = true; });
});
addEventListener("afterprint", () => unfolded.forEach((fold) => { fold.open = false; }));
