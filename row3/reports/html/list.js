// The list of cases: filters and search, the largest change first. Rows are drawn a few hundred at a time, however many there are.

const DRAWN_AT_ONCE = 150;
const MOVES = {
  regressed: ["regressed", "broke"],
  improved: ["improved", "fixed"],
  unchanged: ["unchanged"],
  other: ["new", "not comparable"],
};
const FILTERS = [
  ["all", "All", () => true],
  ["regressed", "Regressed", (row) => MOVES.regressed.includes(row.move)],
  ["improved", "Improved", (row) => MOVES.improved.includes(row.move)],
  ["unchanged", "Unchanged", (row) => MOVES.unchanged.includes(row.move)],
  ["other", "New or changed", (row) => MOVES.other.includes(row.move)],
  ["fail", "Fail zone", (row) => row.zone === "fail"],
  ["bad", "Bad answer", (row) => row.status === "bad_answer"],
  ["failed", "No answer", (row) => row.status === "failed"],
];

function moveTone(move) {
  return MOVES.regressed.includes(move) || move === "failed" ? "bad" : MOVES.improved.includes(move) ? "good" : "even";
}

const rank = (row) => (row.status === "failed" ? 0 : row.move === "broke" ? 1 : 2);
const order = (a, b) => rank(a) - rank(b) || Math.abs(b.delta || 0) - Math.abs(a.delta || 0) || a.place - b.place;

// Whether any text of a case holds the words; keys of ours do not count.
function holds(value, words) {
  if (typeof value === "string") return value.toLowerCase().includes(words);
  return value !== null && typeof value === "object" && Object.values(value).some((each) => holds(each, words));
}

function address(row) {
  return "#case=" + encodeURIComponent(row.id);
}

class CaseList {
  constructor(rows, meta) {
    this.rows = rows;
    this.meta = meta;
    this.filter = "all";
    this.words = "";
    this.turn = 0;
    this.list = byId("list");
    this.more = el("li.more-rows", { "aria-hidden": "true" });
    new IntersectionObserver((seen) => seen.some((each) => each.isIntersecting) && this.draw(), {
      rootMargin: "600px",
    }).observe(this.more);
    for (const [name, title, test] of FILTERS) {
      const number = rows.filter(test).length;
      const button = el("button.chip", { type: "button", "data-filter": name, disabled: !number }, title + " ");
      button.append(el("span.n", number.toLocaleString("en")));
      button.addEventListener("click", () => this.only(name));
      if (number || name === "regressed" || name === "improved") byId("chips").append(button);
    }
    let wait = 0;
    byId("search").addEventListener("input", () => {
      clearTimeout(wait);
      wait = setTimeout(() => this.apply(), 120);
    });
    this.apply();
  }

  only(name) {
    this.filter = name;
    this.apply();
  }

  // Rows that fit the filter and the words; what is in texts and answers is looked for a part at a time.
  async apply() {
    const turn = ++this.turn;
    for (const button of document.querySelectorAll("button[data-filter]")) {
      button.setAttribute("aria-pressed", String(button.dataset.filter === this.filter));
    }
    const words = byId("search").value.trim().toLowerCase();
    const fits = FILTERS.find(([name]) => name === this.filter)[2];
    const hits = new Set(this.rows.filter((row) => fits(row) && row.found.includes(words)));
    this.show([...hits], words ? "searching texts and answers …" : "");
    if (!words) return;
    const packed = JSON.stringify(words).slice(1, -1); // most parts do not hold the words, and need not be parsed
    for (let first = 0; first < this.rows.length; first += this.meta.chunk) {
      const left = this.rows.slice(first, first + this.meta.chunk).filter((row) => fits(row) && !hits.has(row));
      const text = left.length ? await unpack("cases-" + first / this.meta.chunk) : "";
      if (turn !== this.turn) return;
      if (!text.toLowerCase().includes(packed)) continue;
      const bodies = JSON.parse(text);
      for (const row of left) if (holds(bodies[row.place - first], words)) hits.add(row);
    }
    this.show([...hits], "");
  }

  show(rows, remark) {
    this.shown = rows.sort(order);
    this.drawn = 0;
    this.list.replaceChildren(this.more);
    this.draw();
    byId("nothing").hidden = this.shown.length > 0 || Boolean(remark);
    const all = counted(this.rows.length, "case");
    const part = this.shown.length === this.rows.length ? all : this.shown.length.toLocaleString("en") + " of " + all;
    byId("found").replaceChildren(part + (remark && " · " + remark));
    this.current(this.chosen);
  }

  draw(upTo = this.drawn + DRAWN_AT_ONCE) {
    const end = Math.min(this.shown.length, upTo);
    const lines = document.createDocumentFragment();
    for (; this.drawn < end; this.drawn++) lines.append(this.line(this.shown[this.drawn]));
    this.more.before(lines);
    this.more.hidden = this.drawn >= this.shown.length;
  }

  line(row) {
    const word = row.status === "scored" ? row.move : spaced(row.status);
    const moved = row.status === "scored" && points(row.delta);
    const told = [word, row.zone && row.zone + " zone", moved && moved + " points"].filter(Boolean).join(", ");
    return el(
      "li",
      el(
        "a.row." + (row.status === "scored" ? moveTone(row.move) : "bad"),
        { href: address(row), "data-place": String(row.place) },
        el("span.edge." + (row.zone ? ZONES[row.zone][1] : "even"), { "aria-hidden": "true" }),
        el("span.name", row.id, row.title && el("small", { dir: "auto" }, row.title)),
        el("span.value", row.value === null ? "–" : (100 * row.value).toFixed(1), el("small", moved || word)),
        el("span.hidden", told),
      ),
    );
  }

  current(row) {
    this.chosen = row;
    for (const link of this.list.querySelectorAll("a[aria-current]")) link.removeAttribute("aria-current");
    const place = row ? this.shown.indexOf(row) : -1;
    if (place < 0) return null;
    if (place >= this.drawn) this.draw(place + DRAWN_AT_ONCE);
    const link = this.list.querySelector('a[data-place="' + row.place + '"]');
    link.setAttribute("aria-current", "true");
    return link;
  }

  step(by) {
    const place = this.chosen ? this.shown.indexOf(this.chosen) : -1;
    const next = place < 0 ? (by > 0 ? 0 : this.shown.length - 1) : place + by;
    return this.shown[next] || null;
  }
}
