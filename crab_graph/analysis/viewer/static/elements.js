/* Elements are made from text alone: nothing anybody said is ever read as markup. */

export function present(children) {
  return children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== "" && child !== false);
}

export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, value);
  }
  element.append(...present(children).map((child) => (child instanceof Node ? child : String(child))));
  return element;
}

/* Ids and dates stay on one line: a break after their hyphen makes two words of them. */
export function unbroken(text) {
  return String(text).split(/([A-Z]{2}-\d{3,}|\d{4}-\d\d-\d\d)/).map((part, place) => (place % 2 ? make("span", { class: "id" }, part) : part));
}

/* What things are called is told once, by the vocabulary. */
let vocabulary = {};

export function speak(labels) { vocabulary = labels; }

export const called = (name) => vocabulary.labels[name];

export const capitalised = (text) => text.charAt(0).toUpperCase() + text.slice(1);

export const titled = (name) => capitalised(called(name));

export const headed = (name) => vocabulary.headings[name];

export const verdictWord = (verdict) => vocabulary.verdicts[verdict] ?? vocabulary.outcomes[verdict] ?? words(verdict);

export const words = (name) => String(name).replaceAll("_", " ");

export const plural = (count, one, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;

/* Text with links to the places in a dialogue that it speaks of. */
export function drawPieces(pieces) {
  return pieces.map((piece) => (piece.anchor ? drawJump(piece.anchor, piece.text) : unbroken(piece.text)));
}

export const drawJump = (anchor, text) => make("a", { href: `#${anchor}`, "data-jump": anchor, class: "jump" }, unbroken(text));

export function drawBadge(outcome, labels) {
  return make("span", { class: `badge ${outcome}` }, labels.outcomes[outcome] || words(outcome));
}

/* ---- where we are stands in the address, so Back works and everything can be linked ---- */

export const episodeHash = (key, query = "") => `#episode/${key.run}/${encodeURIComponent(key.id)}${query ? `?${query}` : ""}`;

export const compareHash = (left, right) => `#compare/${left.run}/${encodeURIComponent(left.id)}/${right.run}/${encodeURIComponent(right.id)}`;

export function readHash(hash) {
  const [path, query = ""] = hash.replace(/^#/, "").split("?");
  let parts;
  try { parts = path.split("/").map(decodeURIComponent); } catch { parts = [""]; }
  const [view, ...rest] = parts;
  const key = (run, id) => ({ run: Number(run), id });
  if (view === "episode" && rest.length === 2) return { view, keys: [key(rest[0], rest[1])], query };
  if (view === "compare" && rest.length === 4) return { view, keys: [key(rest[0], rest[1]), key(rest[2], rest[3])], query };
  return { view: "list", anchor: path, keys: [], query };
}
