"use strict";
// Text into the page. Everything goes in as text nodes: nothing that came from a model or a case is ever markup.

// Controls, marks that turn or hide text, and halves of surrogate pairs are named in place of being obeyed.
const HIDDEN = new RegExp(
  "[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u061c\\u200b\\u200e\\u200f\\u2028-\\u202e" +
    "\\u2060-\\u2069\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}\\ud800-\\udfff]",
  "gu",
);

// Characters of one text that are shown: a model may say megabytes, and a page of them does not open.
const MOST = 50000;

function visible(text) {
  const whole = String(text);
  const source = whole.slice(0, MOST);
  const parts = document.createDocumentFragment();
  let done = 0;
  for (const match of source.matchAll(HIDDEN)) {
    if (match.index > done) parts.append(source.slice(done, match.index));
    const mark = document.createElement("span");
    mark.className = "ctl";
    mark.textContent = "⟨U+" + match[0].codePointAt(0).toString(16).toUpperCase().padStart(4, "0") + "⟩";
    parts.append(mark);
    done = match.index + match[0].length;
  }
  if (done < source.length) parts.append(source.slice(done));
  if (whole.length > MOST) {
    const rest = document.createElement("span");
    rest.className = "ctl";
    rest.textContent = "⟨… " + (whole.length - MOST).toLocaleString("en") + " more characters⟩";
    parts.append(rest);
  }
  return parts;
}

function plain(text) {
  return visible(text).textContent;
}

// An element with attributes and children; children that are text are made visible, others are nodes of ours.
function el(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") for (const [event, act] of Object.entries(value)) node.addEventListener(event, act);
    else node.setAttribute(name, value === true ? "" : plain(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false || child === "") continue;
    node.append(child instanceof Node ? child : visible(child));
  }
  return node;
}

function foreign(tag, text, extra) {
  return el(tag, { dir: "auto", ...extra }, text);
}

function percent(value) {
  return value === null || value === undefined ? "–" : (100 * value).toFixed(1) + "%";
}

function points(delta) {
  if (delta === null || delta === undefined) return "";
  const text = (100 * delta).toFixed(1);
  if (Number(text) === 0) return "0.0";
  return delta > 0 ? "+" + text : text.replace("-", "−");
}

function counted(number, noun) {
  return number.toLocaleString("en") + " " + noun + (number === 1 ? "" : "s");
}

const ZONE_MARKS = { fail: "✗", marginal: "!", pass: "✓", excellent: "★" };

function zoneBadge(zone) {
  return zone
    ? el("span", { class: "zone " + (zone in ZONE_MARKS ? zone : "") }, (ZONE_MARKS[zone] || "") + " " + zone)
    : null;
}

function spaced(word) {
  return String(word)
    .replace(/[_-]+/g, " ")
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase();
}

// The packed data of the page: unpacked when it is needed, and only as much as is needed.

const KEPT_CHUNKS = 12;

async function unpack(id) {
  const island = document.getElementById(id);
  if (!island) throw new Error("the part " + id + " is missing: the file was cut off");
  const letters = atob(island.textContent);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

// The script runs before the cases below it are read.
function pageRead() {
  if (document.readyState !== "loading") return Promise.resolve();
  return new Promise((done) => document.addEventListener("DOMContentLoaded", done, { once: true }));
}

const chunks = new Map();

async function chunk(number) {
  if (!chunks.has(number)) {
    if (!document.getElementById("cases-" + number)) await pageRead();
    chunks.set(number, unpack("cases-" + number));
    if (chunks.size > KEPT_CHUNKS) chunks.delete(chunks.keys().next().value);
  }
  return chunks.get(number);
}

async function bodyOf(place, meta) {
  const bodies = await chunk(Math.floor(place / meta.chunk));
  return bodies[place % meta.chunk];
}

const ROW = ["id", "title", "domain", "status", "move", "value", "delta", "zone", "critical"];

function rowsOf(lists, meta) {
  return lists.map((list, place) => {
    const row = { place };
    ROW.forEach((name, i) => (row[name] = list[i]));
    row.resting = meta.quarantined[row.id] || "";
    row.found = (row.id + "\n" + row.title + "\n" + row.domain).toLowerCase();
    return row;
  });
}

// Whether any text of a case holds the words; keys of ours do not count.
function holds(value, words) {
  if (typeof value === "string") return value.toLowerCase().includes(words);
  if (Array.isArray(value)) return value.some((each) => holds(each, words));
  return value !== null && typeof value === "object" && Object.values(value).some((each) => holds(each, words));
}
