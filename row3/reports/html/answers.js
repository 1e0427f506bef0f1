// Answers as lists of items, whatever the kind: what the baseline said beside what is said now, differences first.

const GOOD = new Set(["exact", "alias", "fuzzy", "semantic", "inverse", "inverse-fuzzy", "match", "normalised", "verified", "right", "relevant", "found", "connected"]);
const SOFT = new Set(["duplicate", "missing", "unverified", "unjudged", "wrong-predicate", "wrong-end", "reversed", "wrong-category", "wrong-actor", "wrong-type", "wrong-path"]);
const HARD = new Set(["canary", "forbidden", "unmatched", "missed", "wrong", "wrong-both", "irrelevant", "not-connected"]);

function tone(state) {
  return GOOD.has(state) ? "good" : HARD.has(state) ? "bad" : SOFT.has(state) ? "warn" : "even";
}

function stateBadge(state, more) {
  return el("span", { class: "state " + tone(state) }, more ? spaced(state) + " " + more : spaced(state));
}

// An extraction as it was packed: names by number, quotes by place.
function extractionOf(body) {
  const packed = body.extraction;
  const source = (body.texts.find(([name]) => name === "source_text") || ["", ""])[1];
  const name = (number) => (number < 0 ? null : packed.names[number]);
  const quote = (given) => (given === 0 ? "" : Array.isArray(given) ? source.slice(given[0], given[1]) : given);
  const triple = (numbers) => numbers.slice(0, 3).map(name);
  return {
    source,
    concepts: packed.concepts.map(([label, state, expected, score, proof, grounded, text, remark]) => ({
      label: name(label), state, expected: name(expected), score, proof, grounded, quote: quote(text), place: text, remark,
    })),
    expected: packed.expected.map(([label, required, foundBy, nearest, score, aliases]) => ({
      label: name(label), required, foundBy: name(foundBy), nearest: name(nearest), score, aliases: aliases || [],
    })),
    links: packed.links.map((row) => ({ triple: triple(row), state: row[3], near: row[4] ? triple(row[4]) : null })),
    wanted: packed.wanted.map((row) => ({ triple: triple(row), required: row[3], found: row[4] })),
    before: packed.before
      ? {
          concepts: packed.before.concepts.map(([label, text]) => ({ label: name(label), quote: quote(text), place: text })),
          links: packed.before.links.map((row) => ({ triple: triple(row) })),
        }
      : null,
  };
}

// What was wrong in the baseline's answer: what is wrong now, without what has become wrong, with what was mended.
function wrongBefore(body, list, now) {
  const worse = new Set((body.lost && body.lost[list]) || []);
  return new Set([...now.filter((each) => !worse.has(each)), ...((body.gained && body.gained[list]) || [])]);
}

function statesBefore(body, answer) {
  if (!answer.before) return;
  const pick = (items, state, label) => items.filter((one) => one.state === state).map(label);
  const wrong = wrongBefore(body, "wrongConcepts", pick(answer.concepts, "unmatched", (one) => one.label));
  const canaries = wrongBefore(body, "canaries", pick(answer.concepts, "canary", (one) => one.label));
  for (const one of answer.before.concepts) {
    one.state = canaries.has(one.label) ? "canary" : wrong.has(one.label) ? "unmatched" : "found";
  }
  const bad = answer.links.filter((one) => !GOOD.has(one.state)).map((one) => one.triple.join(" "));
  const wrongLinks = wrongBefore(body, "wrongRelationships", bad);
  for (const one of answer.before.links) one.state = wrongLinks.has(one.triple.join(" ")) ? "wrong" : "found";
}

// Pairs items of two lists by a key; items that stand in one list only come first.
function paired(before, now, keyOf) {
  const left = new Map();
  for (const item of before) {
    const name = keyOf(item);
    if (!left.has(name)) left.set(name, []);
    left.get(name).push(item);
  }
  const both = [];
  const added = [];
  for (const item of now) {
    const same = left.get(keyOf(item));
    if (same && same.length) both.push([same.shift(), item]);
    else added.push([null, item]);
  }
  const gone = [...left.values()].flat().map((item) => [item, null]);
  return { gone, added, both };
}

// A table of two columns. `cell(item, other)` draws one side; `differs` says whether a pair is not quite the same.
function sideBySide(title, before, now, keyOf, cell, differs) {
  const { gone, added, both } = paired(before, now, keyOf);
  const changed = both.filter(([a, b]) => differs(a, b));
  const same = both.filter(([a, b]) => !differs(a, b));
  const side = (name, item, other, mark, kind) =>
    el("td", { class: (item ? "has" : "lacks") + (kind ? " alone " + kind : ""), "data-side": name }, item ? [mark, cell(item, other)] : null);
  const line = (kind) => ([a, b]) => el("tr", { class: kind }, side("Baseline", a, b), side("Now", b, a));
  // What stands on one side only is set side by side to save room; the two cells of such a row are no pair.
  const alone = Array.from({ length: Math.max(gone.length, added.length) }, (_, i) => {
    const [a] = gone[i] || [null];
    const [, b] = added[i] || [null, null];
    return el("tr", { class: "alone" },
      side("Baseline", a, null, sign("−", "only in the baseline's answer"), a && worth(a, true)),
      side("Now", b, null, sign("+", "only in the current answer"), b && worth(b, false)));
  });
  const body = el("tbody", null, alone, changed.map(line("changed")), same.map(line("same")));
  const counts = [
    gone.length && gone.length + " gone", added.length && added.length + " new",
    changed.length && changed.length + " changed", same.length && same.length + " the same",
  ].filter(Boolean);
  return el("section", { class: "part" },
    el("h4", null, title, el("span", { class: "count" }, counts.join(" · ") || "none")),
    el("div", { class: "scroll" },
      el("table", { class: "sides-table" },
        el("thead", null, el("tr", null, el("th", { scope: "col" }, "Baseline"), el("th", { scope: "col" }, "Now"))), body)));
}

// Whether it is good that an item is gone, or new.
function worth(item, gone) {
  const now = item && typeof item === "object" && item.state ? tone(item.state) : "even";
  return !gone || now === "even" ? now : now === "good" ? "bad" : "good";
}

function sign(mark, word) {
  return el("span", { class: "sign", title: word }, el("span", { "aria-hidden": "true" }, mark), el("span", { class: "hidden" }, word));
}

// One list of items, where there is no other side.
function oneSided(title, items, cell) {
  return el("section", { class: "part" },
    el("h4", null, title, el("span", { class: "count" }, String(items.length))),
    items.length ? el("ul", { class: "items" }, items.map((item) => el("li", null, cell(item, null)))) : el("p", { class: "quiet small" }, "None."));
}

function conceptCell(item, other) {
  const state = item.state && item.state !== "found" ? stateBadge(item.state, item.state === "fuzzy" || item.state === "semantic" ? item.score.toFixed(2) : "") : null;
  const expected = item.expected && key(item.expected) !== key(item.label);
  const word = item.state === "unmatched" ? "nearest " : item.state === "canary" ? "canary " : "counts as ";
  const quote = !item.quote ? null : other && other.quote && other.quote !== item.quote
    ? pieces(wordDiff(item.quote, other.quote)[0], "b") : item.quote;
  return [
    el("button", { type: "button", class: "label", "data-find": key(item.label), title: "Show it in the text" }, item.label), " ", state,
    expected ? el("div", { class: "remark" }, word, foreign("span", item.expected)) : null,
    item.remark ? el("div", { class: "remark" }, item.remark) : null,
    quote ? el("q", { dir: "auto" }, quote) : item.quote === "" ? el("div", { class: "remark warn" }, "no quote") : null,
    item.proof === "unverified" ? el("div", { class: "remark bad" }, "this quote is not in the text") : null,
  ];
}

function tripleText(triple) {
  return el("span", { class: "triple", dir: "auto" }, triple[0], " ", el("span", { class: "predicate" }, triple[1]), " ", triple[2]);
}

function linkCell(item) {
  return [
    tripleText(item.triple), " ", item.state && item.state !== "found" ? stateBadge(item.state) : null,
    item.near ? el("div", { class: "remark" }, item.state === "forbidden" ? "forbidden " : "expected ", tripleText(item.near)) : null,
  ];
}

// Answers of other kinds: every list of an answer, its items by what names them.
const NAMES = ["label", "name", "title", "description", "text", "id", "document_id", "documentId", "document"];

function itemName(item) {
  if (item === null || typeof item !== "object") return String(item);
  const found = NAMES.find((name) => typeof item[name] === "string" && item[name]);
  return found ? item[found] : JSON.stringify(item);
}

function itemCell(item, other) {
  if (item === null || typeof item !== "object") return [foreign("span", String(item))];
  const name = itemName(item);
  const rest = Object.entries(item).filter(([, value]) => value !== name && value !== null && value !== "");
  return [
    foreign("span", name, { class: "label-text" }),
    rest.length ? el("dl", { class: "pairs" }, rest.flatMap(([field, value]) => {
      const text = typeof value === "string" ? value : JSON.stringify(value);
      const there = other && typeof other === "object" ? other[field] : undefined;
      const was = typeof there === "string" ? there : JSON.stringify(there);
      return [el("dt", null, spaced(field)), foreign("dd", text, { class: other && was !== text ? "differs" : null })];
    })) : null,
  ];
}

function listsOf(answer) {
  if (answer === null || typeof answer !== "object") return [];
  return Object.entries(answer).filter(([, value]) => Array.isArray(value));
}
