// One case, opened: its figures, its text with everything marked, the two answers, and how every item was matched.

function openedCase(row, body, meta) {
  const parts = [head(row, body, meta)];
  if (body.problem)
    parts.push(
      el(
        "p",
        { class: "trouble", role: "note" },
        row.status === "failed" ? "No answer: " : "This answer cannot be used, so every metric is 0: ",
        body.problem,
      ),
    );
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
  return el(
    "header",
    { class: "case-head" },
    el(
      "div",
      { class: "case-title" },
      el("button", { type: "button", class: "tool back", id: "back" }, "← All cases"),
      el("h3", { tabindex: "-1", id: "case-title" }, row.id),
      row.title && row.title !== row.id ? foreign("p", row.title, { class: "quiet" }) : null,
      el("p", { class: "badges" }, badges),
    ),
    el(
      "div",
      { class: "steps" },
      el(
        "button",
        { type: "button", class: "tool", id: "previous", title: "Previous case (k)" },
        "↑",
        el("span", { class: "hidden" }, "Previous case"),
      ),
      el(
        "button",
        { type: "button", class: "tool", id: "next", title: "Next case (j)" },
        "↓",
        el("span", { class: "hidden" }, "Next case"),
      ),
    ),
  );
}

function figures(row, body, meta) {
  const line = ([name, value, delta, zone]) => {
    const [title, higher] = meta.metrics[name] || [name, true];
    const better = delta === null || Math.abs(delta) < 0.0005 ? "even" : delta > 0 === higher ? "good" : "bad";
    return el(
      "tr",
      { class: name === meta.primary ? "primary" : null },
      el("th", { scope: "row" }, title),
      el("td", { class: "num" }, delta === null ? "–" : percent(Math.max(0, value - delta))),
      el("td", { class: "num now" }, percent(value)),
      el("td", { class: "num delta " + better }, points(delta)),
      el("td", null, zoneBadge(zone)),
    );
  };
  const table = (list) =>
    el(
      "div",
      { class: "scroll" },
      el(
        "table",
        { class: "figures" },
        el(
          "thead",
          null,
          el(
            "tr",
            null,
            ["Metric", "Before", "Now", "Points", "Zone"].map((name, i) =>
              el("th", { scope: "col", class: i && i < 4 ? "num" : null }, name),
            ),
          ),
        ),
        el("tbody", null, list.map(line)),
      ),
    );
  const companion = ([name]) => (meta.metrics[name] || [])[2];
  const beside = body.metrics.filter(companion);
  const headline = body.metrics.filter((one) => !companion(one));
  return el(
    "section",
    { class: "part" },
    table(headline),
    beside.length ? folding("Companions", table(beside), headline.length < 3) : null,
  );
}

function folding(title, content, open) {
  return el("details", { class: "more", open: open || null }, el("summary", null, title), content);
}

const MISSED = /^missed/;
const SHOWN_FLIPS = 12;

function flips(body) {
  const lines = [];
  for (const [lists, good] of [
    [body.gained, true],
    [body.lost, false],
  ]) {
    for (const [name, items] of Object.entries(lists || {})) {
      if (!items.length) continue;
      const what = spaced(name.replace(MISSED, "").replace(/^wrong/, ""));
      const noun = items.length === 1 ? what.replace(/s$/, "") : what;
      const word = MISSED.test(name) ? (good ? "found" : "lost") : good ? "no longer wrong" : "now wrong";
      const chips = items.map((item) => foreign("span", item, { class: "chip-text" }));
      lines.push(
        el(
          "li",
          { class: good ? "good" : "bad" },
          el("span", { class: "sign", "aria-hidden": "true" }, good ? "▲" : "▼"),
          el(
            "div",
            null,
            el("b", null, items.length + " " + noun + " " + word),
            " ",
            chips.slice(0, SHOWN_FLIPS),
            chips.length > SHOWN_FLIPS
              ? folding("and " + (chips.length - SHOWN_FLIPS) + " more", el("div", null, chips.slice(SHOWN_FLIPS)))
              : null,
          ),
        ),
      );
    }
  }
  if (body.note) lines.push(el("li", null, body.note));
  return lines.length
    ? el("section", { class: "part" }, el("h4", null, "What changed"), el("ul", { class: "flips" }, lines))
    : null;
}

function noBaseline(body) {
  const { same, raw, problem } = body.baseline;
  if (same) return el("p", { class: "quiet small" }, "The baseline gave the same answer, word for word.");
  if (raw)
    return el(
      "div",
      null,
      el("p", { class: "trouble" }, "The baseline's answer could not be used: ", problem),
      folding("The baseline's answer as it came", foreign("pre", raw)),
    );
  return problem ? el("p", { class: "quiet small" }, "No answer of the baseline to show: ", problem, ".") : null;
}

function remarks(body) {
  const skipped = Object.entries(body.skipped || {});
  const spread = Object.entries(body.spread || {}).filter(([, value]) => value > 0);
  return [
    body.notes
      ? el(
          "section",
          { class: "part" },
          el("h4", null, "Notes"),
          el(
            "ul",
            { class: "items" },
            body.notes.map((note) => el("li", null, note)),
          ),
        )
      : null,
    skipped.length
      ? el(
          "section",
          { class: "part" },
          el("h4", null, "Skipped"),
          el(
            "ul",
            { class: "items" },
            skipped.map(([name, why]) => el("li", null, spaced(name) + ": " + why)),
          ),
        )
      : null,
    spread.length
      ? folding(
          "Spread over the repeats",
          el(
            "ul",
            { class: "items" },
            spread.map(([name, value]) =>
              el("li", null, spaced(name) + ": ±" + points(value).replace("+", "") + " points"),
            ),
          ),
        )
      : null,
  ];
}
