// Answers as lists of items, whatever the kind: what the baseline said beside what is said now, differences first.

// What the state of an item says of it, in whatever kind; any other word says neither good nor bad.
function wordSet(list) {
  return new Set(list.split(" "));
}

const GOOD = wordSet(
  "exact alias fuzzy semantic inverse inverse-fuzzy match normalised verified right relevant found connected",
);

const SOFT = wordSet("duplicate missing unverified unjudged reversed");

const HARD = wordSet("canary forbidden unmatched missed wrong wrong-both irrelevant not-connected");

function tone(state) {
  if (GOOD.has(state)) return "good";
  if (HARD.has(state)) return "bad";
  return SOFT.has(state) || String(state).startsWith("wrong-") ? "warn" : "even";
}

function stateBadge(state, more) {
  return el("span", { class: "state " + tone(state) }, more ? spaced(state) + " " + more : spaced(state));
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
    el(
      "td",
      { class: (item ? "has" : "lacks") + (kind ? " alone " + kind : ""), "data-side": name },
      item ? [mark, cell(item, other)] : null,
    );
  const line =
    (kind) =>
    ([a, b]) =>
      el("tr", { class: kind }, side("Baseline", a, b), side("Now", b, a));
  // What stands on one side only is set side by side to save room; the two cells of such a row are no pair.
  const alone = Array.from({ length: Math.max(gone.length, added.length) }, (_, i) => {
    const [a] = gone[i] || [null];
    const [, b] = added[i] || [null, null];
    return el(
      "tr",
      { class: "alone" },
      side("Baseline", a, null, sign("−", "only in the baseline's answer"), a && worth(a, true)),
      side("Now", b, null, sign("+", "only in the current answer"), b && worth(b, false)),
    );
  });
  const body = el("tbody", null, alone, changed.map(line("changed")), same.map(line("same")));
  const counts = [
    gone.length && gone.length + " gone",
    added.length && added.length + " new",
    changed.length && changed.length + " changed",
    same.length && same.length + " the same",
  ].filter(Boolean);
  return el(
    "section",
    { class: "part" },
    el("h4", null, title, el("span", { class: "count" }, counts.join(" · ") || "none")),
    el(
      "div",
      { class: "scroll" },
      el(
        "table",
        { class: "sides-table" },
        el("thead", null, el("tr", null, el("th", { scope: "col" }, "Baseline"), el("th", { scope: "col" }, "Now"))),
        body,
      ),
    ),
  );
}

// Whether it is good that an item is gone, or new.
function worth(item, gone) {
  const now = item && typeof item === "object" && item.state ? tone(item.state) : "even";
  return !gone || now === "even" ? now : now === "good" ? "bad" : "good";
}

function sign(mark, word) {
  return el(
    "span",
    { class: "sign", title: word },
    el("span", { "aria-hidden": "true" }, mark),
    el("span", { class: "hidden" }, word),
  );
}

// One list of items, where there is no other side.
function oneSided(title, items, cell) {
  return el(
    "section",
    { class: "part" },
    el("h4", null, title, el("span", { class: "count" }, String(items.length))),
    items.length
      ? el(
          "ul",
          { class: "items" },
          items.map((item) => el("li", null, cell(item, null))),
        )
      : el("p", { class: "quiet small" }, "None."),
  );
}
