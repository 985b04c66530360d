/** What makes a page live: it hears of changes, opens links in place, and has buttons and keys. */

import { goTo, place, view } from "./article.js";
import { isAt, leadsHere, page, renew, save, scrolled, step, toFragment, visit } from "./page.js";

const CLOSED = 4000; // the app's code for a window that is closed
const [FIRST_PAUSE, LAST_PAUSE] = [500, 30_000];
const THEME = "strictcall-theme";
const STEP = 28; // pixels from one window to the next: their titles can be read
const WIDE = { tree: "(min-width: 72rem)", contents: "(min-width: 60rem)" };

const part = (id) => document.getElementById(id);
const [tree, contents, help, away] = ["tree", "contents", "help", "away"].map(part);
const [closed, floating] = ["closed", "floating"].map(part);
const [pinButton, backButton, forwardButton] = ["pin", "back", "forward"].map((name) => part(`${name}-button`));
const buttons = { tree: part("documents-button"), contents: part("contents-button") };
const movable = [...document.body.children].filter((one) => one !== closed && one !== floating);
const isFrame = matchMedia("not (display-mode: browser)");
const themes = new BroadcastChannel(THEME);
let [socket, pause, pinned] = [null, FIRST_PAUSE, false];

// The app

function connect() {
  socket = new WebSocket(`ws://${location.host}${page.home}~live`);
  socket.onopen = () => {
    pause = FIRST_PAUSE;
    away.hidden = true;
    say({ path: page.path, version: page.version });
  };
  socket.onmessage = ({ data }) => {
    const now = JSON.parse(data);
    showPinned(now.pinned);
    if (page.path && isAnother(now.version)) go(new URL(page.home, location), { push: true });
    else renew(now.version);
  };
  socket.onclose = ({ code }) => (code === CLOSED ? end() : reconnect());
}

/** Was something else opened in the window, while its person is in a document that the last one led to? */
const isAnother = (version) => version.split("-")[0] !== page.version.split("-")[0];

function reconnect() {
  away.hidden = pause === FIRST_PAUSE; // it may be a moment only
  setTimeout(connect, pause);
  pause = Math.min(pause * 2, LAST_PAUSE);
}

function say(message) {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

function end() {
  land();
  window.close();
  document.body.classList.add("ended"); // it is still there: browsers let script close only what script has opened
  closed.hidden = false;
}

// Links

async function go(url, options) {
  if (await visit(url, options)) say({ path: page.path, version: page.version });
}

function follow(event) {
  const link = event.target.closest("a[href]:not([target])"); // those to elsewhere open a window of their own
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const url = new URL(link.getAttribute("href"), location);
  const inside = isAt(url) && url.hash;
  shut();
  save();
  if (inside && view() === window) return;
  event.preventDefault();
  if (inside) toFragment(url.hash);
  else if (leadsHere(url)) go(url, { push: true });
  else view().open(url, "_blank", "noopener");
}

/** Leave the viewer: what a frame opens by itself is in the viewer's browser, not in that of its person. */
function leave(event) {
  const link = event.target.closest("a[target]");
  const isMeant = event.isTrusted && event.button < 2; // the right button has a menu
  if (!link || !isMeant || !isFrame.matches || socket?.readyState !== WebSocket.OPEN) return;
  event.preventDefault();
  say({ leave: link.href });
}

function travel({ state }) {
  if (!isAt(location)) go(new URL(location), { state });
  else if (state) goTo(state);
}

function showWays() {
  backButton.disabled = !navigation.canGoBack;
  forwardButton.disabled = !navigation.canGoForward;
}

// Buttons and keys

const actions = {
  documents: () => toggle(tree),
  contents: () => toggle(contents),
  back: () => history.back(),
  forward: () => history.forward(),
  theme: () => chooseTheme(isDark() ? "light" : "dark"),
  print: () => view().print(),
  pin: () => (pinned ? unpin() : pin()),
  unpin,
  keys: () => help.showModal(),
  close: () => help.close(),
};
const keys = {
  "?": actions.keys,
  t: actions.contents,
  s: actions.documents,
  d: actions.theme,
  p: actions.pin,
  j: () => view().scrollBy(0, 72),
  k: () => view().scrollBy(0, -72),
  "[": () => step(-1),
  "]": () => step(1),
  Escape: shut,
};

function press(event) {
  const button = event.target.closest("button");
  if (button?.matches(".copy")) copy(button);
  else if (button) actions[button.id.replace("-button", "")]?.();
  else if (!event.target.closest("nav")) shut();
}

function type(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
  // A Korean keyboard says ㅅ where t is, or only that it composes something.
  const latin = event.key.length === 1 && event.key <= "~" ? event.key : event.code.replace("Key", "").toLowerCase();
  (keys[event.key] ?? keys[latin])?.();
}

/** Columns of a wide window are there until they are shut; drawers of a narrow one only while they are open. */
function toggle(nav) {
  if (nav.hidden) return;
  const isWide = view().matchMedia(WIDE[nav.id]).matches;
  const isNow = nav.classList.toggle(isWide ? "shut" : "open");
  if (isNow && !isWide) (nav.querySelector("[aria-current]") ?? nav.querySelector("a")).focus();
  showExpanded(nav);
}

/** Shut the drawers. */
function shut() {
  for (const nav of [tree, contents].filter((one) => one.classList.contains("open"))) {
    if (nav.contains(nav.ownerDocument.activeElement)) buttons[nav.id].focus();
    nav.classList.remove("open");
    showExpanded(nav);
  }
}

function showExpanded(nav) {
  buttons[nav.id].setAttribute("aria-expanded", nav.checkVisibility());
}

async function copy(button) {
  const label = button.textContent;
  if (label === button.dataset.done) return;
  await view().navigator.clipboard.writeText(button.parentElement.textContent.slice(label.length));
  button.textContent = button.dataset.done;
  setTimeout(() => (button.textContent = label), 1500);
}

// Light and dark

function isDark() {
  const { theme } = document.documentElement.dataset;
  return theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function chooseTheme(theme) {
  document.cookie = `${THEME}=${theme}; path=/; max-age=31536000; samesite=strict`;
  themes.postMessage(theme);
  showTheme(theme);
}

function showTheme(theme) {
  for (const { documentElement } of [document, view().document]) documentElement.dataset.theme = theme;
}

// On top of all other windows

function showPinned(is) {
  pinned = is;
  pinButton.setAttribute("aria-pressed", is);
  if (!is) land();
}

async function pin() {
  say({ pinned: true });
  try {
    await float(await documentPictureInPicture.requestWindow({ width: innerWidth, height: innerHeight }));
  } catch {
    // This browser has no windows that stay on top; whoever opened this one may be able to keep it there.
  }
}

function unpin() {
  say({ pinned: false });
  land();
}

function land() {
  if (view() !== window) view().close();
}

/** Move everything into a window that stays on top, and back when that is closed. */
async function float(above) {
  const here = place();
  const sheet = document.querySelector("link[rel=stylesheet]").cloneNode();
  const styled = new Promise((done) => (sheet.onload = done));
  const quiet = document.createElement("meta"); // the header of the page that says so does not hold there
  Object.assign(quiet, { httpEquiv: "x-dns-prefetch-control", content: "off" });
  above.document.head.append(quiet, sheet);
  above.document.title = document.title;
  above.document.documentElement.lang = document.documentElement.lang;
  above.document.documentElement.dataset.theme = isDark() ? "dark" : "light"; // such windows would always be dark
  above.document.body.append(...movable);
  floating.hidden = false;
  attend(above);
  above.addEventListener("pagehide", () => {
    const there = place();
    document.body.prepend(...movable);
    floating.hidden = true;
    goTo(there);
    if (pinned) say({ pinned: false });
  });
  await styled;
  goTo(here);
}

function attend(target) {
  target.addEventListener("click", press);
  target.addEventListener("click", follow);
  target.addEventListener("click", leave);
  target.addEventListener("auxclick", leave);
  target.addEventListener("keydown", type);
  target.addEventListener("scroll", scrolled, { passive: true });
}

attend(window);
[tree, contents].forEach(showExpanded);
window.addEventListener("popstate", travel);
if (window.navigation) {
  navigation.addEventListener("currententrychange", showWays);
  showWays();
}
themes.onmessage = ({ data }) => showTheme(data);
if (page.home) {
  connect();
  resizeOnce();
  document.addEventListener("visibilitychange", resizeOnce);
}

// A resize would bring back a window that was opened minimized: it waits until it is seen. It would end full screen too,
// which is the screen's business but on Windows, where the screen cannot steer a window.
function resizeOnce() {
  if (sessionStorage.sized || document.hidden) return;
  sessionStorage.sized = true;
  if (page.width) takePlace(Number(page.width), Number(page.height));
  else if (navigator.userAgent.includes("Windows")) resizeTo(screen.availWidth, screen.availHeight);
}

// Browsers open all frames at the same place: each goes a little further than the one before, as far as the screen is.
function takePlace(width, height) {
  const within = (room) => (Number(page.number) * STEP) % Math.max(STEP, room);
  resizeTo(width, height);
  if (page.number !== "0") moveBy(within(screen.availWidth - width), within(screen.availHeight - height));
}
