"use strict";
// Search, filters and keys; without them every case still opens.

const byId = (id) => document.getElementById(id);
const search = byId("search");
const items = [...byId("list").children];
const words = new Map();
let only = "all";

const shown = () => [...byId("list").children];
const opened = () => byId("list").querySelector("details[name][open]");
const current = () => items.find((item) => item.hasAttribute("aria-current"));

// What a case says: its names and texts, not the headings of ours.
function wordsOf(item) {
  if (!words.has(item)) {
    const parts = [...item.querySelectorAll(".id, [dir], .note, article > ul")];
    words.set(item, parts.map((part) => part.textContent).join("\n").toLowerCase());
  }
  return words.get(item);
}

// Taken out of the list, not hidden: ten thousand rows take a moment instead of ten seconds.
function apply() {
  const wanted = search.value.trim().toLowerCase();
  const fits = (item) => item.dataset.is.split(" ").includes(only) && (!wanted || wordsOf(item).includes(wanted));
  const left = items.filter(fits);
  const before = shown();
  if (left.length !== before.length || left.some((item, i) => item !== before[i])) byId("list").replaceChildren(...left);
  const all = items.length.toLocaleString("en") + (items.length === 1 ? " case" : " cases");
  byId("found").textContent = left.length === items.length ? all : left.length.toLocaleString("en") + " of " + all;
  byId("nothing").hidden = left.length > 0;
}

function choose(name) {
  only = name;
  for (const chip of document.querySelectorAll("[data-filter]")) {
    chip.setAttribute("aria-pressed", String(chip.dataset.filter === name));
  }
  apply();
}

// An address names a case; so the browser's own back and forward work.
function go(item) {
  if (!item) return;
  const address = "#case=" + encodeURIComponent(item.id.slice("case=".length));
  if (location.hash === address) follow();
  else location.hash = address;
}

function follow() {
  const item = items.find((each) => each.id === decodeURIComponent(location.hash.slice(1)));
  if (!item) return;
  if (!item.isConnected) {
    search.value = "";
    choose("all");
  }
  mark(item);
  const details = item.querySelector("details");
  if (details) details.open = true;
  (details ? details.querySelector("summary") : item).focus({ preventScroll: true });
  item.scrollIntoView({ block: "start" });
}

function mark(item) {
  current()?.removeAttribute("aria-current");
  item.setAttribute("aria-current", "true");
}

function step(by) {
  const left = shown();
  const at = left.indexOf(current());
  go(at < 0 ? left[by > 0 ? 0 : left.length - 1] : left[at + by]);
}

function close() {
  const details = opened();
  if (!details) return;
  details.open = false;
  details.querySelector("summary").focus();
}

function markAnswer(article, side) {
  for (const chip of article.querySelectorAll("[data-marks]")) {
    chip.setAttribute("aria-pressed", String(chip.dataset.marks === side));
  }
  for (const text of article.querySelectorAll("[data-marked]")) text.hidden = text.dataset.marked !== side;
}

function find(article, name) {
  const seen = [...article.querySelectorAll(".source:not([hidden]) mark[data-key]")];
  const found = seen.filter((mark) => mark.dataset.key === name);
  for (const mark of article.querySelectorAll("mark.hot")) mark.classList.remove("hot");
  for (const mark of found) mark.classList.add("hot");
  (found[0] || article.querySelector(".text")).scrollIntoView({ block: "center" });
}

function clicked(event) {
  const row = event.target.closest("summary.row");
  const button = event.target.closest("button");
  const article = button?.closest("article");
  if (row) {
    event.preventDefault();
    row.parentElement.open ? close() : go(row.closest("li"));
  } else if (button?.dataset.filter) choose(button.dataset.filter);
  else if (button?.dataset.marks) markAnswer(article, button.dataset.marks);
  else if (button?.dataset.find) find(article, button.dataset.find);
}

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const typing = event.target.closest("input");
  if (typing && event.key === "Escape") return typing.blur();
  if (typing) return;
  const act = {
    Escape: close,
    j: () => step(1),
    k: () => step(-1),
    "/": () => (search.focus(), search.select()),
    r: () => choose("regressed"),
    i: () => choose("improved"),
    a: () => choose("all"),
    b: () => opened()?.querySelector('[data-marks][aria-pressed="false"]')?.click(),
  }[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}

let wait = 0;
search.addEventListener("input", () => (clearTimeout(wait), (wait = setTimeout(apply, 120))));
document.addEventListener("click", clicked);
document.addEventListener("keydown", pressed);
window.addEventListener("hashchange", follow);
// Paper cannot be unfolded; of the cases, the one that is open is printed.
window.addEventListener("beforeprint", () => {
  for (const part of document.querySelectorAll("main details:not([name])")) part.open = true;
});
document.querySelector(".filters").hidden = false;
apply();
if (opened()) mark(opened().parentElement);
if (location.hash.startsWith("#case=")) follow();
document.documentElement.dataset.ready = "yes";
