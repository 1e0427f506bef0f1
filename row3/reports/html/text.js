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
