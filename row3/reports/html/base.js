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

const byId = (id) => document.getElementById(id);

function visible(text) {
  const whole = String(text);
  const source = whole.slice(0, MOST);
  const parts = document.createDocumentFragment();
  const named = (name) => el("span.ctl", document.createTextNode("⟨" + name + "⟩"));
  let done = 0;
  for (const match of source.matchAll(HIDDEN)) {
    const code = match[0].codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
    parts.append(source.slice(done, match.index), named("U+" + code));
    done = match.index + match[0].length;
  }
  parts.append(source.slice(done));
  if (whole.length > MOST) parts.append(named("… " + (whole.length - MOST).toLocaleString("en") + " more characters"));
  return parts;
}

// `el("p.quiet", {dir: "auto"}, "text", node)`: children that are text are made visible, others are nodes of ours.
function el(name, ...children) {
  const [tag, ...classes] = name.split(".");
  const node = document.createElement(tag);
  node.className = classes.join(" ");
  if (!classes.length) node.removeAttribute("class");
  const attributes = children[0]?.constructor === Object ? children.shift() : {};
  for (const [name, value] of Object.entries(attributes)) {
    if (value || value === "") node.setAttribute(name, value === true ? "" : visible(value).textContent);
  }
  for (const child of children.flat(Infinity)) {
    if (child || child === 0) node.append(child instanceof Node ? child : visible(child));
  }
  return node;
}

function percent(value) {
  return value === null ? "–" : (100 * value).toFixed(1) + "%";
}

function points(delta) {
  if (delta === null) return "";
  const text = (100 * delta).toFixed(1);
  if (Number(text) === 0) return "0.0";
  return delta > 0 ? "+" + text : text.replace("-", "−");
}

function counted(number, noun) {
  return number.toLocaleString("en") + " " + noun + (number === 1 ? "" : "s");
}

const ZONES = {
  fail: ["✗", "bad"],
  marginal: ["!", "warning"],
  pass: ["✓", "good"],
  excellent: ["★", "excellent"],
};

function zoneBadge(zone) {
  return zone && el("span.zone." + ZONES[zone][1], ZONES[zone][0] + " " + zone);
}

function spaced(word) {
  return String(word)
    .replace(/[_-]+/g, " ")
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase();
}

// The packed data of the page: unpacked when it is needed, and only as much as is needed.

const KEPT_CHUNKS = 12;
const chunks = new Map();

async function unpack(id) {
  const island = byId(id);
  if (!island) throw new Error("the part " + id + " is missing: the file was cut off");
  const bytes = Uint8Array.from(atob(island.textContent), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

async function chunk(number) {
  if (!chunks.has(number)) {
    chunks.set(number, unpack("cases-" + number).then(JSON.parse));
    if (chunks.size > KEPT_CHUNKS) chunks.delete(chunks.keys().next().value);
  }
  return chunks.get(number);
}
