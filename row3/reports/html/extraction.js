// Cases of kind `extraction`: concepts with their quotes, relationships, and what was missed of both.

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
      label: name(label),
      state,
      expected: name(expected),
      score,
      proof,
      grounded,
      quote: quote(text),
      place: text,
      remark,
    })),
    expected: packed.expected.map(([label, required, foundBy, nearest, score, aliases]) => ({
      label: name(label),
      required,
      foundBy: name(foundBy),
      nearest: name(nearest),
      score,
      aliases: aliases || [],
    })),
    links: packed.links.map((row) => ({ triple: triple(row), state: row[3], near: row[4] ? triple(row[4]) : null })),
    wanted: packed.wanted.map((row) => ({ triple: triple(row), required: row[3], found: row[4] })),
    before: packed.before
      ? {
          concepts: packed.before.concepts.map(([label, text]) => ({
            label: name(label),
            quote: quote(text),
            place: text,
          })),
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
  const wrong = wrongBefore(
    body,
    "wrongConcepts",
    pick(answer.concepts, "unmatched", (one) => one.label),
  );
  const canaries = wrongBefore(
    body,
    "canaries",
    pick(answer.concepts, "canary", (one) => one.label),
  );
  for (const one of answer.before.concepts) {
    one.state = canaries.has(one.label) ? "canary" : wrong.has(one.label) ? "unmatched" : "found";
  }
  const bad = answer.links.filter((one) => !GOOD.has(one.state)).map((one) => one.triple.join(" "));
  const wrongLinks = wrongBefore(body, "wrongRelationships", bad);
  for (const one of answer.before.links) one.state = wrongLinks.has(one.triple.join(" ")) ? "wrong" : "found";
}

function conceptCell(item, other) {
  const state =
    item.state && item.state !== "found"
      ? stateBadge(item.state, item.state === "fuzzy" || item.state === "semantic" ? item.score.toFixed(2) : "")
      : null;
  const expected = item.expected && key(item.expected) !== key(item.label);
  const word = item.state === "unmatched" ? "nearest " : item.state === "canary" ? "canary " : "counts as ";
  const quote = !item.quote
    ? null
    : other && other.quote && other.quote !== item.quote
      ? pieces(wordDiff(item.quote, other.quote)[0], "b")
      : item.quote;
  return [
    el(
      "button",
      { type: "button", class: "label", "data-find": key(item.label), title: "Show it in the text" },
      item.label,
    ),
    " ",
    state,
    expected ? el("div", { class: "remark" }, word, foreign("span", item.expected)) : null,
    item.remark ? el("div", { class: "remark" }, item.remark) : null,
    quote
      ? el("q", { dir: "auto" }, quote)
      : item.quote === ""
        ? el("div", { class: "remark warn" }, "no quote")
        : null,
    item.proof === "unverified" ? el("div", { class: "remark bad" }, "this quote is not in the text") : null,
  ];
}

function tripleText(triple) {
  return el(
    "span",
    { class: "triple", dir: "auto" },
    triple[0],
    " ",
    el("span", { class: "predicate" }, triple[1]),
    " ",
    triple[2],
  );
}

function linkCell(item) {
  return [
    tripleText(item.triple),
    " ",
    item.state && item.state !== "found" ? stateBadge(item.state) : null,
    item.near
      ? el("div", { class: "remark" }, item.state === "forbidden" ? "forbidden " : "expected ", tripleText(item.near))
      : null,
  ];
}

function extraction(body, answer) {
  const before = answer.before;
  const link = (item) => item.triple.map(key).join("\t");
  const parts = [noBaseline(body)];
  if (before) {
    parts.push(
      sideBySide(
        "Concepts",
        before.concepts,
        answer.concepts,
        (item) => key(item.label),
        conceptCell,
        (a, b) => a.quote !== b.quote || (tone(a.state) === "bad") !== (tone(b.state) === "bad"),
      ),
    );
    parts.push(missedConcepts(body, answer));
    parts.push(
      sideBySide(
        "Relationships",
        before.links,
        answer.links,
        link,
        linkCell,
        (a, b) => (a.state === "wrong") === GOOD.has(b.state),
      ),
    );
  } else {
    parts.push(oneSided("Concepts", answer.concepts, conceptCell), missedConcepts(body, answer));
    parts.push(oneSided("Relationships", answer.links, linkCell));
  }
  parts.push(missedLinks(body, answer));
  return parts;
}

function missedConcepts(body, answer) {
  const missed = answer.expected.filter((one) => one.foundBy === null);
  const lost = new Set((body.lost && body.lost.missedConcepts) || []);
  return missed.length
    ? el(
        "section",
        { class: "part" },
        el(
          "h4",
          null,
          "Missed concepts",
          el("span", { class: "count" }, missed.length + " of " + answer.expected.length),
        ),
        el(
          "ul",
          { class: "items" },
          missed.map((one) =>
            el(
              "li",
              null,
              el(
                "button",
                { type: "button", class: "label", "data-find": key(one.label), title: "Show it in the text" },
                one.label,
              ),
              " ",
              stateBadge("missed"),
              one.required ? null : el("span", { class: "state even" }, "optional"),
              lost.has(one.label) ? el("span", { class: "state warn" }, "the baseline found it") : null,
              one.nearest
                ? el(
                    "div",
                    { class: "remark" },
                    "nearest ",
                    foreign("span", one.nearest),
                    " (" + percent(one.score) + ")",
                  )
                : null,
            ),
          ),
        ),
      )
    : null;
}

function missedLinks(body, answer) {
  const missed = answer.wanted.filter((one) => !one.found);
  const lost = new Set((body.lost && body.lost.missedRelationships) || []);
  return missed.length
    ? el(
        "section",
        { class: "part" },
        folding(
          "Missed relationships: " + missed.length + " of " + answer.wanted.length,
          el(
            "ul",
            { class: "items" },
            missed.map((one) =>
              el(
                "li",
                null,
                tripleText(one.triple),
                " ",
                lost.has(one.triple.join(" ")) ? el("span", { class: "state warn" }, "the baseline found it") : null,
              ),
            ),
          ),
        ),
      )
    : null;
}
