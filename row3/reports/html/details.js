// One case, opened: its figures, its text with everything marked, the two answers, and how every item was matched.

let marksBaseline = false;

function openedCase(row, body, meta) {
  const parts = [head(row, body, meta)];
  if (body.problem) parts.push(el("p", { class: "trouble", role: "note" }, row.status === "failed" ? "No answer: " : "This answer cannot be used, so every metric is 0: ", body.problem));
  if (body.raw) parts.push(folding("The answer as it came", foreign("pre", body.raw), true));
  parts.push(figures(row, body, meta));
  parts.push(flips(body));
  const answer = body.extraction ? extractionOf(body) : null;
  if (answer) statesBefore(body, answer);
  parts.push(texts(body, answer));
  parts.push(...(answer ? extraction(body, answer) : generic(body)));
  parts.push(...remarks(body));
  return parts.filter(Boolean);
}

function head(row, body, meta) {
  const badges = [
    row.move && el("span", { class: "move " + moveTone(row.move) }, row.move),
    row.status !== "scored" && el("span", { class: "state bad" }, spaced(row.status)),
    zoneBadge(row.zone),
    row.critical && el("span", { class: "state even" }, "critical"),
    row.resting && el("span", { class: "state warn" }, "in quarantine until " + row.resting + ", not counted"),
    row.domain && el("span", { class: "state even" }, row.domain),
    body.repeats && el("span", { class: "state even" }, "asked " + body.repeats + " times"),
  ];
  return el("header", { class: "case-head" },
    el("div", { class: "case-title" },
      el("button", { type: "button", class: "tool back", id: "back" }, "← All cases"),
      el("h3", { tabindex: "-1", id: "case-title" }, row.id),
      row.title && row.title !== row.id ? foreign("p", row.title, { class: "quiet" }) : null,
      el("p", { class: "badges" }, badges)),
    el("div", { class: "steps" },
      el("button", { type: "button", class: "tool", id: "previous", title: "Previous case (k)" }, "↑", el("span", { class: "hidden" }, "Previous case")),
      el("button", { type: "button", class: "tool", id: "next", title: "Next case (j)" }, "↓", el("span", { class: "hidden" }, "Next case"))));
}

function figures(row, body, meta) {
  const line = ([name, value, delta, zone]) => {
    const [title, higher] = meta.metrics[name] || [name, true];
    const better = delta === null || Math.abs(delta) < 0.0005 ? "even" : (delta > 0) === higher ? "good" : "bad";
    return el("tr", { class: name === meta.primary ? "primary" : null },
      el("th", { scope: "row" }, title),
      el("td", { class: "num" }, delta === null ? "–" : percent(Math.max(0, value - delta))),
      el("td", { class: "num now" }, percent(value)),
      el("td", { class: "num delta " + better }, points(delta)),
      el("td", null, zoneBadge(zone)));
  };
  const table = (list) => el("div", { class: "scroll" }, el("table", { class: "figures" },
    el("thead", null, el("tr", null, ["Metric", "Before", "Now", "Points", "Zone"].map((name, i) => el("th", { scope: "col", class: i && i < 4 ? "num" : null }, name)))),
    el("tbody", null, list.map(line))));
  const companion = ([name]) => (meta.metrics[name] || [])[2];
  const beside = body.metrics.filter(companion);
  return el("section", { class: "part" },
    table(body.metrics.filter((one) => !companion(one))),
    beside.length ? folding("Companions", table(beside)) : null);
}

function folding(title, content, open) {
  return el("details", { class: "more", open: open || null }, el("summary", null, title), content);
}

const MISSED = /^missed/;
const SHOWN_FLIPS = 12;

function flips(body) {
  const lines = [];
  for (const [lists, good] of [[body.gained, true], [body.lost, false]]) {
    for (const [name, items] of Object.entries(lists || {})) {
      if (!items.length) continue;
      const what = spaced(name.replace(MISSED, "").replace(/^wrong/, ""));
      const noun = items.length === 1 ? what.replace(/s$/, "") : what;
      const word = MISSED.test(name) ? (good ? "found" : "lost") : good ? "no longer wrong" : "now wrong";
      const chips = items.map((item) => foreign("span", item, { class: "chip-text" }));
      lines.push(el("li", { class: good ? "good" : "bad" },
        el("span", { class: "sign", "aria-hidden": "true" }, good ? "▲" : "▼"),
        el("div", null, el("b", null, items.length + " " + noun + " " + word), " ", chips.slice(0, SHOWN_FLIPS),
          chips.length > SHOWN_FLIPS ? folding("and " + (chips.length - SHOWN_FLIPS) + " more", el("div", null, chips.slice(SHOWN_FLIPS))) : null)));
    }
  }
  if (body.note) lines.push(el("li", null, body.note));
  return lines.length ? el("section", { class: "part" }, el("h4", null, "What changed"), el("ul", { class: "flips" }, lines)) : null;
}

const SHORT = 80;
const QUOTES = ["evidence", "sourceQuote", "source_quote", "quote", "mention", "mentions"];

function quotesOf(item) {
  if (item === null || typeof item !== "object") return [];
  return QUOTES.flatMap((field) => item[field] || []).filter((text) => typeof text === "string" && text.trim());
}

function toMark(body, answer) {
  const items = [];
  const quotes = [];
  if (!answer) {
    for (const list of Object.values(body.matches || {})) {
      for (const item of Array.isArray(list) ? list : []) {
        const missed = "foundBy" in item && item.foundBy === null;
        const kind = missed ? "missed" : item.state && tone(item.state) === "bad" ? "invented" : "matched";
        if (typeof item.label === "string") items.push({ names: [item.label], kind, title: missed ? "missed" : item.state || "expected" });
      }
    }
    for (const [, list] of listsOf(body.answer)) quotes.push(...list.flatMap(quotesOf));
    return { items, quotes };
  }
  const side = marksBaseline && answer.before ? answer.before.concepts : answer.concepts;
  const lost = new Set((body.lost && body.lost.missedConcepts) || []);
  const gained = new Set((body.gained && body.gained.missedConcepts) || []);
  for (const one of side) {
    if (one.place) quotes.push(one.place);
    const kind = one.state === "canary" ? "canary" : one.state === "unmatched" ? "invented" : "matched";
    items.push({ names: [one.label], kind, title: one.state === "found" ? "in the baseline's answer" : spaced(one.state) });
  }
  for (const one of answer.expected) {
    const missed = marksBaseline && answer.before ? gained.has(one.label) || (one.foundBy === null && !lost.has(one.label)) : one.foundBy === null;
    items.push({ names: [one.label, ...one.aliases], kind: missed ? "missed" : "matched", title: missed ? "expected and missed" : "expected and found" });
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
      el("div", { class: isSource ? "source" : "source small", dir: "auto", lang: "" }, isSource || !answer ? marked(text, items, quotes) : visible(text)),
    ];
  };
  const legend = [["matched", "found"], ["missed", "missed"], ["invented", "invented"], ["canary", "canary"], ["q", "quoted"]];
  const both = answer && answer.before;
  return el("section", { class: "part", id: "text" },
    el("div", { class: "text-head" }, el("h4", null, "Text"),
      el("p", { class: "legend" }, legend.map(([kind, word]) => el("mark", { class: kind === "q" ? "q" : "m " + kind }, word))),
      both ? el("div", { class: "switch", role: "group", "aria-label": "Whose answer is marked" },
        ["Now", "Baseline"].map((word, i) => el("button", { type: "button", class: "chip", "data-marks": String(i), "aria-pressed": String(marksBaseline === Boolean(i)) }, word))) : null),
    facts.length ? el("dl", { class: "pairs facts-of" }, facts.flatMap(([name, text]) => [el("dt", null, spaced(name)), foreign("dd", text)])) : null,
    body.texts.filter((one) => !facts.includes(one) && one[0] !== "topic").map(draw));
}

function noBaseline(body) {
  const { same, raw, problem } = body.baseline;
  if (same) return el("p", { class: "quiet small" }, "The baseline gave the same answer, word for word.");
  if (raw) return el("div", null, el("p", { class: "trouble" }, "The baseline's answer could not be used: ", problem), folding("The baseline's answer as it came", foreign("pre", raw)));
  return problem ? el("p", { class: "quiet small" }, "No answer of the baseline to show: ", problem, ".") : null;
}

function extraction(body, answer) {
  const before = answer.before;
  const link = (item) => item.triple.map(key).join("\t");
  const parts = [noBaseline(body)];
  if (before) {
    parts.push(sideBySide("Concepts", before.concepts, answer.concepts, (item) => key(item.label), conceptCell,
      (a, b) => a.quote !== b.quote || (tone(a.state) === "bad") !== (tone(b.state) === "bad")));
    parts.push(missedConcepts(body, answer));
    parts.push(sideBySide("Relationships", before.links, answer.links, link, linkCell, (a, b) => (a.state === "wrong") === GOOD.has(b.state)));
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
  return missed.length ? el("section", { class: "part" },
    el("h4", null, "Missed concepts", el("span", { class: "count" }, missed.length + " of " + answer.expected.length)),
    el("ul", { class: "items" }, missed.map((one) => el("li", null,
      el("button", { type: "button", class: "label", "data-find": key(one.label), title: "Show it in the text" }, one.label), " ",
      stateBadge("missed"), one.required ? null : el("span", { class: "state even" }, "optional"),
      lost.has(one.label) ? el("span", { class: "state warn" }, "the baseline found it") : null,
      one.nearest ? el("div", { class: "remark" }, "nearest ", foreign("span", one.nearest), " (" + percent(one.score) + ")") : null)))) : null;
}

function missedLinks(body, answer) {
  const missed = answer.wanted.filter((one) => !one.found);
  const lost = new Set((body.lost && body.lost.missedRelationships) || []);
  return missed.length ? el("section", { class: "part" },
    folding("Missed relationships: " + missed.length + " of " + answer.wanted.length,
      el("ul", { class: "items" }, missed.map((one) => el("li", null, tripleText(one.triple), " ",
        lost.has(one.triple.join(" ")) ? el("span", { class: "state warn" }, "the baseline found it") : null))))) : null;
}

function generic(body) {
  const parts = [noBaseline(body)];
  for (const [name, list] of Object.entries(body.matches || {})) if (Array.isArray(list)) parts.push(matchTable(name, list));
  const then = new Map(listsOf(body.before));
  for (const [name, list] of listsOf(body.answer)) {
    if (then.has(name)) {
      parts.push(sideBySide("Answer: " + spaced(name), then.get(name), list, (item) => key(itemName(item)), itemCell,
        (a, b) => JSON.stringify(a) !== JSON.stringify(b)));
    } else {
      parts.push(folding("Answer: " + spaced(name), oneSided(spaced(name), list, itemCell), !body.matches));
    }
  }
  return parts;
}

// How items were matched, of any kind: a column for every key that any of them has.
function matchTable(title, list) {
  const columns = [...new Set(list.flatMap((item) => Object.keys(item)))];
  const value = (item, column) => {
    const found = item[column];
    if (column === "state") return found ? stateBadge(found) : null;
    if (column === "foundBy" && found === null) return stateBadge("missed");
    if (found === null || found === undefined || found === "") return el("span", { class: "none" }, "–");
    if (column === "score") return Number(found).toFixed(2);
    return Array.isArray(found) ? found.map(String).join(" ") : typeof found === "object" ? JSON.stringify(found) : String(found);
  };
  return el("section", { class: "part" },
    el("h4", null, spaced(title), el("span", { class: "count" }, String(list.length))),
    list.length ? el("div", { class: "scroll" }, el("table", { class: "matches" },
      el("thead", null, el("tr", null, columns.map((column) => el("th", { scope: "col" }, spaced(column))))),
      el("tbody", null, list.map((item) => el("tr", null, columns.map((column) => el("td", { dir: "auto" }, value(item, column)))))))) : null);
}

function remarks(body) {
  const skipped = Object.entries(body.skipped || {});
  const spread = Object.entries(body.spread || {}).filter(([, value]) => value > 0);
  return [
    body.notes ? el("section", { class: "part" }, el("h4", null, "Notes"), el("ul", { class: "items" }, body.notes.map((note) => el("li", null, note)))) : null,
    skipped.length ? el("section", { class: "part" }, el("h4", null, "Skipped"), el("ul", { class: "items" }, skipped.map(([name, why]) => el("li", null, spaced(name) + ": " + why)))) : null,
    spread.length ? folding("Spread over the repeats", el("ul", { class: "items" }, spread.map(([name, value]) => el("li", null, spaced(name) + ": ±" + points(value).replace("+", "") + " points")))) : null,
  ];
}
