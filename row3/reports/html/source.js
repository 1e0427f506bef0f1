// The text of a case with everything marked in it: whose answer, the current or the baseline's, is a choice.

let marksBaseline = false;
const SHORT = 80;
const QUOTES = ["evidence", "sourceQuote", "source_quote", "quote", "mention", "mentions"];

function quotesOf(item) {
  if (item === null || typeof item !== "object") return [];
  return QUOTES.flatMap((field) => item[field] || []).filter((text) => typeof text === "string" && text.trim());
}

// Of a kind that the page does not know: labels where they stand in the text, and what the items of the answer quote.
// The matches of an answer are in its order, so what is said of an item holds for its quotes.
function listsToMark(body) {
  const items = [];
  const quotes = [];
  const kindOf = (match) => (match && match.state && tone(match.state) === "bad" ? "invented" : "matched");
  for (const list of Object.values(body.matches || {})) {
    for (const item of Array.isArray(list) ? list : []) {
      const missed = "foundBy" in item && item.foundBy === null;
      const kind = missed ? "missed" : kindOf(item);
      if (typeof item.label === "string")
        items.push({ names: [item.label], kind, title: missed ? "missed" : item.state || "expected" });
    }
  }
  for (const [, list] of listsOf(body.answer)) {
    const matches = Object.values(body.matches || {}).find((one) => Array.isArray(one) && one.length === list.length);
    list.forEach((item, i) => {
      const names = quotesOf(item);
      const match = matches && matches[i];
      quotes.push(...names);
      if (names.length && match && match.state) items.push({ names, kind: kindOf(match), title: spaced(match.state) });
    });
  }
  return { items, quotes };
}

function toMark(body, answer) {
  if (!answer) return listsToMark(body);
  const items = [];
  const quotes = [];
  const side = marksBaseline && answer.before ? answer.before.concepts : answer.concepts;
  const lost = new Set((body.lost && body.lost.missedConcepts) || []);
  const gained = new Set((body.gained && body.gained.missedConcepts) || []);
  for (const one of side) {
    if (one.place) quotes.push(one.place);
    const kind = one.state === "canary" ? "canary" : one.state === "unmatched" ? "invented" : "matched";
    items.push({
      names: [one.label],
      kind,
      title: one.state === "found" ? "in the baseline's answer" : spaced(one.state),
    });
  }
  for (const one of answer.expected) {
    const missed =
      marksBaseline && answer.before
        ? gained.has(one.label) || (one.foundBy === null && !lost.has(one.label))
        : one.foundBy === null;
    items.push({
      names: [one.label, ...one.aliases],
      kind: missed ? "missed" : "matched",
      title: missed ? "expected and missed" : "expected and found",
    });
  }
  return { items, quotes };
}

function texts(body, answer) {
  if (!body.texts.length) return null;
  const { items, quotes } = toMark(body, answer);
  const longest = body.texts.reduce((best, one) => (one[1].length > best[1].length ? one : best));
  const facts = body.texts.filter((one) => one !== longest && one[0] !== "topic" && one[1].length < SHORT);
  const draw = ([name, text]) => {
    const isSource = text === longest[1];
    return [
      body.texts.length > 1 && (!isSource || !answer) ? el("h5", null, spaced(name)) : null,
      el(
        "div",
        { class: isSource ? "source" : "source small", dir: "auto", lang: "" },
        isSource || !answer ? marked(text, items, quotes) : visible(text),
      ),
    ];
  };
  const legend = [
    ["matched", "found"],
    ["missed", "missed"],
    ["invented", answer ? "unexpected" : "wrong"],
    ...(answer ? [["canary", "canary"]] : []),
    ["q", "quoted"],
  ];
  const both = answer && answer.before;
  return el(
    "section",
    { class: "part", id: "text" },
    el(
      "div",
      { class: "text-head" },
      el("h4", null, "Text"),
      el(
        "p",
        { class: "legend" },
        legend.map(([kind, word]) => el("mark", { class: kind === "q" ? "q" : "m " + kind }, word)),
      ),
      both
        ? el(
            "div",
            { class: "switch", role: "group", "aria-label": "Whose answer is marked" },
            ["Now", "Baseline"].map((word, i) =>
              el(
                "button",
                {
                  type: "button",
                  class: "chip",
                  "data-marks": String(i),
                  "aria-pressed": String(marksBaseline === Boolean(i)),
                },
                word,
              ),
            ),
          )
        : null,
    ),
    facts.length
      ? el(
          "dl",
          { class: "pairs facts-of" },
          facts.flatMap(([name, text]) => [el("dt", null, spaced(name)), foreign("dd", text)]),
        )
      : null,
    body.texts.filter((one) => !facts.includes(one) && one[0] !== "topic").map(draw),
  );
}
