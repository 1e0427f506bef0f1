// The answers of a case, of whatever kind: lists of items, each with what it was matched to, marked in the text too.

const wordSet = (list) => new Set(list.split(" "));
const GOOD = wordSet(
  "exact alias fuzzy semantic inverse inverse-fuzzy match normalised verified right relevant connected passed won",
);
const SOFT = wordSet("duplicate missing unverified reversed not-judged tie");
const HARD = wordSet("canary forbidden unmatched missed wrong wrong-both not-relevant not-connected failed lost");

// What the state of an item says of it; any other word says neither good nor bad.
function tone(state) {
  if (GOOD.has(state)) return "good";
  if (HARD.has(state)) return "bad";
  return SOFT.has(state) || String(state).startsWith("wrong-") ? "warning" : "even";
}

function badge(word, itsTone = tone(word)) {
  return word && el("span.state." + itsTone, spaced(word));
}

// What names an item, the best first; what it quotes; what is shown of it in words of its own.
const NAMES = ["label", "name", "title", "description", "text", "id", "document_id", "documentId", "document"];
const QUOTES = ["evidence", "sourceQuote", "source_quote", "quote", "mention", "mentions"];
const TOLD = wordSet("triple source predicate target state expected score nearest foundBy required grounded");
// Where "true" does not say that all is well.
const EITHER = wordSet("judgeSaysFullWins flipped");
// States in which `expected` is no match.
const NEAR = { unmatched: "nearest", canary: "canary", forbidden: "forbidden" };

// A relationship, which is named by its ends and stands nowhere in a text.
function tripleOf(item) {
  return item.triple || (item.predicate && [item.source, item.predicate, item.target]);
}

function nameOf(item) {
  if (item === null || typeof item !== "object") return String(item);
  if (tripleOf(item)) return tripleOf(item).join(" ");
  const field = NAMES.find((name) => typeof item[name] === "string" && item[name]);
  return field ? item[field] : JSON.stringify(item);
}

function textsIn(value) {
  if (typeof value === "string") return value.trim() ? [value] : [];
  return value && typeof value === "object" ? Object.values(value).flatMap(textsIn) : [];
}

function textOf(value) {
  if (Array.isArray(value)) return value.map(textOf).join(", ");
  if (value === null || typeof value !== "object") return String(value);
  return Object.entries(value)
    .map(([name, each]) => spaced(name) + ": " + textOf(each))
    .join(", ");
}

// What else is told of an item and its match, in words; what is empty or only says that all is well is left out.
function fieldsOf(item, match, name) {
  const said = Object.values(match);
  const given = Object.entries(typeof item === "object" ? item || {} : {});
  const told = given.filter(([field, value]) => !QUOTES.includes(field) && !said.includes(value));
  // A judge's reason is its grades and issues in a line.
  const spoken = (match.issues || []).length + (match.strengths || []).length;
  const kept = [...told, ...Object.entries(match)].filter(
    ([field, value]) =>
      !TOLD.has(field) &&
      !(spoken && field === "reason") &&
      ![null, name, ""].includes(value) &&
      (value !== true || EITHER.has(field)) &&
      !(Array.isArray(value) && !value.length) &&
      !GOOD.has(value),
  );
  return new Map(kept.map(([field, value]) => [spaced(field), value]));
}

function expectedOf(side) {
  return Object.entries((side && side.matches) || {}).filter(([, list]) => list.some((one) => "foundBy" in one));
}

// The lists of one answer by name. The matches of a list are in its order.
function listsOf(side) {
  const asked = new Map(expectedOf(side).flatMap(([, list]) => list.map((one) => [nameOf(one), one])));
  const lists = Object.entries((side && side.answer) || {}).filter(([, list]) => Array.isArray(list));
  return lists.map(([title, list]) => {
    const found = (side.matches && (side.matches[title] || side.matches.items)) || [];
    const items = list.map((item, i) => {
      const name = nameOf(item);
      const match = found[i] && key(nameOf(found[i])) === key(name) ? found[i] : {};
      const wanted = [match.expected || []].flat().join(" ");
      const quotes = QUOTES.flatMap((field) => textsIn(item && item[field]));
      const fields = fieldsOf(item, match, name);
      const other = NEAR[match.state] ? [] : fieldsOf(asked.get(wanted), {}, wanted);
      for (const [field, value] of other) {
        if (textOf(fields.get(field) ?? "") !== textOf(value)) fields.set("expected " + field, value);
      }
      return { name, match, wanted, quotes, fields, triple: item && tripleOf(item) };
    });
    return [title, items];
  });
}

// A name that leads to its places in the text, if it has any.
function label(body, name, triple) {
  body.folded ??= body.texts.map(([, text]) => folded(text));
  return !triple && body.marked && body.folded.some((text) => places(text, name).length)
    ? el("button.label", { type: "button", "data-find": key(name), title: "Show it in the text" }, name)
    : el("span.label", { dir: "auto" }, name);
}

function fieldList(fields, others) {
  const long = (value) => Array.isArray(value) && textOf(value).length > SHORT;
  const text = (value) =>
    long(value) ? value.map((each) => el("div", textOf(each))) : tone(value) === "even" ? textOf(value) : badge(value);
  const lines = [...fields].map(([name, value]) => {
    const differs = others && textOf(others.get(name) ?? "") !== textOf(value);
    return [el("dt", name), el(differs ? "dd.differs" : "dd", { dir: "auto" }, text(value))];
  });
  return lines.length ? el("dl.pairs", lines) : null;
}

// One item; `other` is the same one in the other answer.
function itemCell(body, one, other) {
  const { wanted } = one;
  const { state, score } = one.match;
  const how = score > 0 && score < 1 ? " (" + percent(score) + ")" : "";
  return [
    label(body, one.name, one.triple),
    " ",
    badge(state),
    wanted && key(wanted) !== key(one.name)
      ? el(
          "div.remark",
          { dir: "auto" },
          (NEAR[state] || (GOOD.has(state) ? "counts as" : "expected")) + " ",
          wanted,
          how,
        )
      : null,
    one.quotes.map((quote) => el(other && !other.quotes.includes(quote) ? "q.differs" : "q", { dir: "auto" }, quote)),
    fieldList(one.fields, other && other.fields),
  ];
}

function part(title, count, ...content) {
  return el("section.part", el("h4", title, el("span.count", count)), ...content);
}

// A list of one answer, where there is no other to set beside it.
function oneSided(body, title, items) {
  const lines = items.map((one) => el("li", itemCell(body, one, null)));
  return part(title, String(items.length), lines.length ? el("ul.items", lines) : el("p.quiet.small", "None."));
}

// Pairs items of two lists, by name and then by what they were matched to; the rest stands in one list only.
function paired(before, now) {
  const both = [];
  let [gone, added] = [before, now];
  for (const same of [(one) => key(one.name), (one) => (GOOD.has(one.match.state) ? key(one.wanted) : one)]) {
    const left = Map.groupBy(gone, same);
    added = added.filter((one) => {
      const other = (left.get(same(one)) || []).shift();
      if (other) both.push([other, one]);
      return !other;
    });
    gone = [...left.values()].flat();
  }
  return { gone, added, both };
}

function sign(mark, word) {
  return el("span.sign", { title: word }, el("span", { "aria-hidden": "true" }, mark), el("span.hidden", word));
}

// Two answers side by side, differences first; results that have a rank in its order.
function sideBySide(body, title, before, now) {
  const { gone, added, both } = paired(before, now);
  const differs = ([a, b]) =>
    tone(a.match.state) !== tone(b.match.state) ||
    JSON.stringify([a.quotes, ...a.fields]) !== JSON.stringify([b.quotes, ...b.fields]);
  const changed = both.filter(differs);
  const same = both.filter((pair) => !differs(pair));
  const cell = (side, one, other, mark, kinds) =>
    el("td." + (one ? "has" : "lacks") + kinds, { "data-side": side }, one && [mark, itemCell(body, one, other)]);
  const lines = (kind, pairs) =>
    pairs.map(([a, b]) => [
      b.match.rank,
      el("tr." + kind, cell("Baseline", a, b, null, ""), cell("Now", b, a, null, "")),
    ]);
  // What stands on one side only shares its row to save room; the two cells of such a row are no pair.
  const lost = { good: "bad", bad: "good" };
  const rankOf = ([a, b]) => (b || a).match.rank;
  const ranked = [...before, ...now].every((one) => one.match.rank);
  const single = ranked
    ? [...gone.map((one) => [one]), ...added.map((one) => [undefined, one])]
    : Array.from({ length: Math.max(gone.length, added.length) }, (_, i) => [gone[i], added[i]]);
  const alone = ([a, b]) => {
    const [was, is] = [a, b].map((one) => tone(one && one.match.state));
    return el(
      "tr.alone",
      cell("Baseline", a, null, sign("−", "only in the baseline's answer"), ".alone." + (lost[was] || was)),
      cell("Now", b, null, sign("+", "only in the current answer"), ".alone." + is),
    );
  };
  const rows = [
    ...single.map((pair) => [rankOf(pair), alone(pair)]),
    ...lines("changed", changed),
    ...lines("same", same),
  ];
  if (ranked) rows.sort(([a], [b]) => a - b);
  const counts = [
    [gone, "gone"],
    [added, "new"],
    [changed, "changed"],
    [same, "the same"],
  ].filter(([list]) => list.length);
  return part(
    title,
    counts.map(([list, word]) => list.length + " " + word).join(" · ") || "none",
    el(
      "table.sides-table",
      el("thead", el("tr", el("th", { scope: "col" }, "Baseline"), el("th", { scope: "col" }, "Now"))),
      el("tbody", rows.map(([, row]) => row)),
    ),
  );
}

const OPEN_MISSED = 12;

function missedParts(body) {
  const before = expectedOf(body.before).flatMap(([, list]) => list.filter((one) => one.foundBy !== null));
  const known = new Set(before.map(nameOf));
  return expectedOf(body.now).map(([title, list]) => {
    const missed = list.filter((one) => one.foundBy === null);
    const lines = missed.map((one) => {
      const name = nameOf(one);
      return el("li", [
        label(body, name, tripleOf(one)),
        " ",
        badge("missed"),
        one.required === false && badge("optional"),
        known.has(name) && badge("the baseline found it", "warning"),
        one.nearest && el("div.remark", { dir: "auto" }, "nearest " + one.nearest + " (" + percent(one.score) + ")"),
        fieldList(fieldsOf({}, one, name)),
      ]);
    });
    const words = spaced(title).replace("expected", "Missed") + ": " + missed.length + " of " + list.length;
    return missed.length && el("section.part", folding(words, el("ul.items", lines), missed.length <= OPEN_MISSED));
  });
}

// An answer that is no list: as it is, beside the baseline's.
function said(body) {
  const whole = (title, side) => side && side.said && part(title, "", el("pre", { dir: "auto" }, side.said));
  return [whole("Answer", body.now), whole("The baseline's answer", body.before)];
}

function answers(body) {
  const before = new Map(body.before ? listsOf(body.before) : []);
  const all = listsOf(body.now);
  const filled = all.filter(([title, items]) => items.length || before.get(title)?.length);
  const lists = (filled.length ? filled : all).map(([title, items]) =>
    before.has(title)
      ? sideBySide(body, spaced(title), before.get(title), items)
      : oneSided(body, spaced(title), items),
  );
  return [noBaseline(body), said(body), lists, missedParts(body)];
}

// What is marked in a text: names of items and of what was expected. An item whose name is not in it has its quotes.
function marksOf(side, aliases, text) {
  const items = [];
  const quotes = [];
  for (const one of listsOf(side).flatMap(([, list]) => list.filter(({ triple }) => !triple))) {
    const { state } = one.match;
    const kind = state === "canary" ? "canary" : tone(state) === "bad" ? "invented" : "matched";
    const names = places(text, one.name).length ? [one.name] : one.quotes;
    if (names.length) items.push({ names, kind, title: spaced(state || "in the answer") });
    quotes.push(...one.quotes);
  }
  for (const one of expectedOf(side).flatMap(([, list]) => list.filter((each) => !tripleOf(each)))) {
    const kind = one.foundBy === null ? "missed" : "matched";
    items.push({ names: [nameOf(one), ...(aliases.get(nameOf(one)) || [])], kind, title: "expected and " + kind });
  }
  return { items, quotes };
}

const SHORT = 80;
const LEGEND = {
  "m.matched": "found",
  "m.missed": "missed",
  "m.invented": "unexpected",
  "m.canary": "canary",
  q: "quoted",
};

// The texts of a case, where labels come from them with everything marked; whose answer, is a choice of two.
function textPart(body, beforeMarked) {
  if (!body.texts.length) return null;
  const side = beforeMarked ? body.before : body.now;
  const longest = Math.max(...body.texts.map(([, text]) => text.length));
  const short = body.texts.filter(([, text]) => text.length < SHORT && text.length < longest);
  const chip = (word, i) =>
    el(
      "button.chip",
      { type: "button", "data-marks": String(i), "aria-pressed": String(Boolean(beforeMarked) === Boolean(i)) },
      word,
    );
  const source = ([name, text]) => {
    const aliases = new Map(Object.entries(body.aliases));
    const { items, quotes } = body.marked ? marksOf(side, aliases, folded(text)) : { items: [], quotes: [] };
    return [
      body.texts.length > 1 + short.length && el("h5", spaced(name)),
      el("div.source", { dir: "auto", lang: "" }, marked(text, items, quotes)),
    ];
  };
  return el(
    "section.part",
    { id: "text" },
    el(
      "div.text-head",
      el("h4", "Text"),
      body.marked && el(
        "p.legend",
        Object.entries(LEGEND).map(([kind, word]) => el("mark." + kind, word)),
      ),
      body.marked &&
        body.before &&
        el("div.switch", { role: "group", "aria-label": "Whose answer is marked" }, ["Now", "Baseline"].map(chip)),
    ),
    fieldList(new Map(short.map(([name, text]) => [spaced(name), text]))),
    body.texts.filter((one) => !short.includes(one)).map(source),
  );
}
