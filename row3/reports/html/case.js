// One case, opened: its figures, what changed, its text with everything marked, and the two answers.

const UNUSABLE = "This answer cannot be used, so every metric is 0: ";

function openedCase(row, body, meta, beforeMarked) {
  const parts = [
    head(row, body),
    body.problem && el("p.trouble", { role: "note" }, row.status === "failed" ? "No answer: " : UNUSABLE, body.problem),
    body.raw && folding("The answer as it came", el("pre", { dir: "auto" }, body.raw), true),
    changes(body),
    figures(body, meta),
    textPart(body, beforeMarked),
    answers(body),
    remarks("Notes", body.notes || []),
    remarks("Skipped", told(body.skipped, (why) => why)),
    remarks("Spread over the repeats", told(body.spread, (value) => "±" + (100 * value).toFixed(1) + " points")),
  ];
  return parts.flat(Infinity).filter(Boolean);
}

function folding(title, content, open) {
  return el("details", { open }, el("summary", title), content);
}

function told(fields, text) {
  return Object.entries(fields || {}).map(([name, value]) => spaced(name) + ": " + text(value));
}

function remarks(title, lines) {
  const items = lines.map((line) => el("li", line));
  return lines.length ? part(title, "", el("ul.items", items)) : null;
}

function head(row, body) {
  const step = (id, mark, title) => el("button.tool", { type: "button", id, title, "aria-label": title }, mark);
  return el(
    "header.case-head",
    el(
      "div.case-title",
      el("button.tool.back", { type: "button", id: "back" }, "← All cases"),
      el("h3", { tabindex: "-1", id: "case-title" }, row.id),
      row.title && row.title !== row.id ? el("p.quiet", { dir: "auto" }, row.title) : null,
      el(
        "p.badges",
        row.status !== "scored" && badge(row.status, "bad"),
        row.move !== row.status && badge(row.move, moveTone(row.move)),
        zoneBadge(row.zone),
        row.critical && badge("critical"),
        row.resting && el("span.state.warning", "in quarantine until " + row.resting + ", not counted"),
        badge(row.domain, "even"),
        body.repeats && badge("asked " + body.repeats + " times"),
      ),
    ),
    el("div.steps", step("previous", "↑", "Previous case (k)"), step("next", "↓", "Next case (j)")),
  );
}

function figures(body, meta) {
  const line = ([name, value, delta, zone]) => {
    const [title, higher] = meta.metrics[name];
    const better = delta === null || Math.abs(delta) < 0.0005 ? "even" : delta > 0 === higher ? "good" : "bad";
    return el(
      name === meta.primary ? "tr.primary" : "tr",
      el("th", { scope: "row" }, title),
      el("td.num", delta === null ? "–" : percent(Math.max(0, value - delta))),
      el("td.num", percent(value)),
      el("td.num." + better, points(delta)),
      el("td", zoneBadge(zone)),
    );
  };
  const heads = ["Metric", "Before", "Now", "Points", "Zone"];
  const cell = (name, i) => el(i % 4 ? "th.num" : "th", { scope: "col" }, name);
  const table = (list) =>
    el("table.figures", el("thead", el("tr", heads.map(cell))), el("tbody", list.map(line)));
  const companion = ([name]) => meta.metrics[name][2];
  const beside = body.metrics.filter(companion);
  const headline = body.metrics.filter((one) => !companion(one));
  return el("section.part", table(headline), beside.length ? folding("Companions", table(beside)) : null);
}

const SHOWN_CHANGES = 12;

function changes(body) {
  const lines = (lists, good) =>
    Object.entries(lists || {}).map(([name, items]) => {
      if (!items.length) return null;
      const missed = name.startsWith("missed");
      const what = spaced(name.replace(/^missed|^wrong/, ""));
      const noun = items.length === 1 ? what.replace(/ies$/, "y").replace(/s$/, "") : what;
      const word = missed ? (good ? "found" : "lost") : good ? "no longer wrong" : "now wrong";
      const chips = items.map((item) => el("span.chip-text", { dir: "auto" }, item));
      return el(
        good ? "li.good" : "li.bad",
        el("span.sign", { "aria-hidden": "true" }, good ? "▲" : "▼"),
        el(
          "div",
          el("b", items.length + " " + noun + " " + word + " "),
          chips.slice(0, SHOWN_CHANGES),
          chips.length > SHOWN_CHANGES
            ? folding("and " + (chips.length - SHOWN_CHANGES) + " more", chips.slice(SHOWN_CHANGES))
            : null,
        ),
      );
    });
  const all = [...lines(body.lost, false), ...lines(body.gained, true), body.note && el("li", body.note)].filter(Boolean);
  return all.length ? part("What changed", "", el("ul.changes", all)) : null;
}

function noBaseline(body) {
  const { same, raw, problem } = body.baseline;
  if (same) return el("p.quiet.small.part", "The baseline gave the same answer, word for word.");
  if (!raw) return problem ? el("p.quiet.small.part", "No answer of the baseline to show: ", problem, ".") : null;
  return [
    el("p.trouble", "The baseline's answer could not be used: ", problem),
    folding("The baseline's answer as it came", el("pre", { dir: "auto" }, raw)),
  ];
}
