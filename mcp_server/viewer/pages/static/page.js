/** What the page shows: goes to other documents in place, and takes over the newest version of the one it has. */

import { article, goTo, goToEnd, lastAbove, place, still, take, view } from "./article.js";

/** What the page knows of itself: `home` and `path` of the document, its `version`, and whether to `follow` it. */
export const page = document.body.dataset;

const part = (id) => document.getElementById(id);
const [tree, contents, main, title] = ["tree", "contents", "document", "title"].map(part);
const [writing, away, gone] = ["writing", "away", "gone"].map(part);
const DOCUMENT = /\.(md|markdown|txt)$/i;
const MARKS = / (?:aria-current="\w+"|open="")/g;
const LINE = 96; // pixels below the top, where a heading becomes that of what is read

let [headings, links] = [[], []]; // those in the contents
let turn = 0; // counts the ways that were begun; only the last of them arrives
let [wanted, got, busy] = [page.version, page.version, false];
let [saving, quiet] = [0, 0];

/** Go to a document of the window; false if nothing came of it. */
export async function visit(url, { push = false, state = null } = {}) {
  const mine = ++turn;
  clearTimeout(saving);
  const fresh = await load(url);
  if (!fresh || mine !== turn) return false;
  if (push) history.pushState(null, "", fresh.address + url.hash);
  turn++; // what is still under way belongs to the document that was left
  gone.hidden = true;
  show(fresh);
  showInTree();
  wanted = got = page.version;
  if (state) goTo(state);
  else if (!toFragment(url.hash)) view().scrollTo({ top: 0, behavior: "instant" });
  save();
  main.focus({ preventScroll: true });
  return true;
}

/** There is a newer version: show it, or if newer ones come faster than they can be shown, the newest. */
export async function renew(version) {
  wanted = version;
  if (version === page.version) {
    got = version; // a file that was gone may be back as it was
    gone.hidden = true;
  }
  if (busy) return;
  busy = true;
  try {
    while (wanted !== got && (await fetchNewest()));
  } finally {
    busy = false;
  }
}

/** Fetch what is wanted; false if the app is away, and will say it again when it is back. */
async function fetchNewest() {
  const [asked, mine] = [wanted, turn];
  const fresh = await load(location);
  if (fresh && mine === turn) {
    got = asked;
    gone.hidden = fresh.ok || article.matches(".notice");
    if (fresh.ok) update(fresh);
  }
  return Boolean(fresh);
}

/** Is this the address of what is shown? */
export const isAt = (url) =>
  url.origin === location.origin && decoded(url.pathname) === page.home + page.path;

/** Is a link one to a document of this window? */
export const leadsHere = (url) =>
  url.origin === location.origin &&
  url.pathname.startsWith(page.home) &&
  (url.pathname === page.home || DOCUMENT.test(url.pathname));

/** Go to the next heading, or with -1 to the one before. */
export function step(by) {
  const here = lastAbove(headings, LINE);
  const near = by < 0 && here >= 0 && headings[here].getBoundingClientRect().top < 0 ? here : here + by;
  headings[near]?.scrollIntoView();
}

/** Go to what a link's fragment names, if there is such a thing. */
export function toFragment(hash) {
  const target = named(hash.slice(1)) ?? named(decoded(hash.slice(1)));
  target?.scrollIntoView();
  return Boolean(target);
}

/** The reader has moved: mark the heading of what is read, and remember the place once they stay. */
export function scrolled() {
  mark();
  clearTimeout(saving);
  saving = setTimeout(save, 150);
}

/** Remember where the reader is, for when they come back. */
export const save = () => history.replaceState(place(), "");

/** How far it is to the end. */
const toGo = () => view().document.documentElement.scrollHeight - view().innerHeight - view().scrollY;

async function load(url) {
  try {
    const response = await fetch(url);
    const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
    return Object.assign(fresh, { ok: response.ok, address: response.url.split("#")[0] });
  } catch {
    away.hidden = false;
    return null;
  }
}

function show(fresh) {
  document.title = fresh.title;
  title.textContent = fresh.getElementById("title").textContent;
  for (const nav of [tree, contents]) replace(nav, fresh.getElementById(nav.id));
  const isSame = fresh.body.dataset.path === page.path;
  Object.assign(page, fresh.body.dataset);
  const changed = take(fresh.getElementById("article"), isSame);
  collect();
  return changed;
}

function update(fresh) {
  const follows = "follow" in page && toGo() < LINE;
  still(() => {
    const changed = show(fresh);
    if (changed.length < article.children.length / 2) changed.forEach((block) => block.classList.add("fresh"));
  });
  if (follows) goToEnd();
  writing.hidden = false;
  clearTimeout(quiet);
  quiet = setTimeout(() => (writing.hidden = true), 2000);
}

function replace(nav, fresh) {
  const plain = (one) => one.innerHTML.replace(MARKS, "");
  nav.hidden = fresh.hidden;
  if (plain(nav) !== plain(fresh)) {
    const focused = nav.querySelector("a:focus");
    nav.replaceChildren(...fresh.childNodes);
    if (focused) linkLike(focused, nav)?.focus({ preventScroll: true });
    return;
  }
  const [before, now] = [nav, fresh].map((one) => one.querySelector("[aria-current]"));
  if (before) setCurrent(before, null);
  if (now) setCurrent(linkLike(now, nav), "page");
}

const linkLike = (link, nav) =>
  [...nav.querySelectorAll("a")].find((one) => one.getAttribute("href") === link.getAttribute("href"));

const setCurrent = (link, what) => (what ? link.setAttribute("aria-current", what) : link.removeAttribute("aria-current"));

const named = (id) => article.ownerDocument.getElementById(id);

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a lone % is only itself
  }
}

function collect() {
  const all = [...contents.querySelectorAll("a")].map((link) => [link, named(link.getAttribute("href").slice(1))]);
  const found = all.filter(([, heading]) => heading);
  links = found.map(([link]) => link);
  headings = found.map(([, heading]) => heading);
  mark();
}

/** Mark the heading of what is read in the contents. */
function mark() {
  const line = view().scrollY > 0 && toGo() < 2 ? view().innerHeight : LINE; // the last ones never get to the top
  const here = links[Math.max(0, lastAbove(headings, line))];
  const before = contents.querySelector("[aria-current]");
  if (!here || here === before) return;
  if (before) setCurrent(before, null);
  setCurrent(here, "location");
  reveal(here, contents);
}

/** Unfold the tree down to what is shown. */
function showInTree() {
  const here = tree.querySelector("[aria-current]");
  for (let branch = here?.closest("details"); branch; branch = branch.parentElement.closest("details")) branch.open = true;
  if (here) reveal(here, tree);
}

/** Scroll a column to a link in it, if that is not in sight. */
function reveal(link, nav) {
  const [box, mine] = [nav.getBoundingClientRect(), link.getBoundingClientRect()];
  if (mine.top < box.top || mine.bottom > box.bottom) nav.scrollTop += mine.top - box.top - box.height / 3;
}

collect();
showInTree();
history.scrollRestoration = "manual";
if (history.state) goTo(history.state);
else if ("follow" in page && !location.hash) goToEnd();
save();
