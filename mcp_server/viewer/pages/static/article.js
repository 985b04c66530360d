/** The document on the page: takes over what is new in it, and leaves everything else as it is. */

export const article = document.getElementById("article");

/** The window that it is in: the page's own, or one that floats above all others. */
export const view = () => article.ownerDocument.defaultView;

/** How each block was written, before anything here was added to it. */
const written = new WeakMap();
const button = document.getElementById("copy");

/** Show the blocks of an article that was fetched, keeping those that are there already. */
export function take(fresh, isSame) {
  const old = [...article.childNodes];
  const now = [...fresh.childNodes];
  now.forEach(remember);
  // A window that floats has no address to find them from.
  for (const image of fresh.querySelectorAll("img[src]")) image.src = new URL(image.getAttribute("src"), location);
  const { head, tail } = common(old, now);
  const changed = reuse(old, now, head, tail);
  changed.forEach(equip);
  const kept = new Set(now);
  const left = old.filter((node) => !kept.has(node));
  if (isSame) keepOpen(left, changed);
  left.forEach((node) => node.remove());
  let next = article.firstChild;
  for (const node of now) {
    if (node === next) next = next.nextSibling;
    else article.insertBefore(node, next);
  }
  article.lang = fresh.lang;
  article.className = fresh.className;
  return changed.filter((node) => node.nodeType === Node.ELEMENT_NODE);
}

/** Where a reader is: in which block, counted, and how far from the top it begins. */
export function place() {
  const index = Math.max(0, lastAbove(article.children, 0));
  return { index, top: article.children[index]?.getBoundingClientRect().top };
}

/** Go where a reader was. */
export function goTo({ index, top }) {
  const block = article.children[Math.min(index, article.children.length - 1)];
  if (block) settle(() => view().scrollBy({ top: block.getBoundingClientRect().top - top, behavior: "instant" }));
}

/** Go to the end. */
export function goToEnd() {
  settle(() => view().scrollTo({ top: 1e9, behavior: "instant" }));
}

/** Go somewhere, for a few frames: what comes in sight only now may be higher than it was thought to be. */
function settle(go, frames = 4) {
  go();
  if (frames) view().requestAnimationFrame(() => settle(go, frames - 1));
}

/** Change the article without moving what a reader has before their eyes. */
export function still(change) {
  const before = inSight().map((block) => [block, block.getBoundingClientRect().top]);
  change();
  const stayed = before.find(([block]) => block.isConnected);
  if (stayed) view().scrollBy({ top: stayed[0].getBoundingClientRect().top - stayed[1], behavior: "instant" });
}

/** The last of a list of elements, in the order of the page, that begins above a line; -1 if none does. */
export function lastAbove(elements, line) {
  let [low, high] = [0, elements.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (elements[middle].getBoundingClientRect().top <= line) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function inSight() {
  const blocks = article.children;
  const found = [];
  for (let at = Math.max(0, lastAbove(blocks, 0)); at < blocks.length; at++) {
    const { top, bottom } = blocks[at].getBoundingClientRect();
    if (top > view().innerHeight) break;
    if (bottom > 0) found.push(blocks[at]);
  }
  return found;
}

function remember(node) {
  written.set(node, node.outerHTML ?? node.data);
}

const same = (one, other) => written.get(one) === written.get(other);

/** How many blocks are the same at the beginning and at the end. */
function common(old, now) {
  const least = Math.min(old.length, now.length);
  let [head, tail] = [0, 0];
  while (head < least && same(old[head], now[head])) head++;
  while (tail < least - head && same(old.at(-1 - tail), now.at(-1 - tail))) tail++;
  return { head, tail };
}

/** Put blocks that are there already in the place of the same ones in `now`; returns those that are new. */
function reuse(old, now, head, tail) {
  const places = new Map(); // of what is there once; what comes again and again would lead astray
  for (let at = head; at < old.length - tail; at++) {
    const text = written.get(old[at]);
    places.set(text, places.has(text) ? -1 : at);
  }
  const fresh = [];
  let last = head - 1;
  for (let at = 0; at < now.length; at++) {
    const place = places.get(written.get(now[at])) ?? -1;
    if (at < head) now[at] = old[at];
    else if (at >= now.length - tail) now[at] = old[at - now.length + old.length];
    else if (place > last) now[at] = old[(last = place)];
    else fresh.push(now[at]);
  }
  return fresh;
}

/** Leave open what the reader has opened, and shut what they have shut, when something in it changes. */
function keepOpen(old, fresh) {
  const nameOf = (details) => details.querySelector("summary")?.textContent;
  const known = new Map(old.flatMap((node) => all("details", node)).map((one) => [nameOf(one), one.open]));
  for (const one of fresh.flatMap((node) => all("details", node))) one.open = known.get(nameOf(one)) ?? one.open;
}

/** Give a block what script adds to it: code can be copied. */
function equip(node) {
  for (const code of all("pre", node)) code.prepend(button.content.cloneNode(true));
}

/** The elements of a kind in a block; it may be one itself. */
function all(kind, node) {
  if (node.nodeType !== Node.ELEMENT_NODE) return [];
  return [...(node.matches(kind) ? [node] : []), ...node.querySelectorAll(kind)];
}

article.childNodes.forEach(remember);
article.childNodes.forEach(equip);
