// The list of cases: filters, search and order. Rows are drawn a few hundred at a time, however many there are.

const DRAWN_AT_ONCE = 150;
const SEARCH_FROM = 2;
const MOVES = {
  regressed: ["regressed", "broke"],
  improved: ["improved", "fixed"],
  unchanged: ["unchanged"],
  other: ["new", "not comparable"],
};
const FILTERS = [
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

const ORDERS = {
  change: (a, b) => rank(a) - rank(b) || Math.abs(b.delta || 0) - Math.abs(a.delta || 0) || a.place - b.place,
  worst: (a, b) => (a.value ?? -1) - (b.value ?? -1) || a.place - b.place,
  name: (a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0),
  file: (a, b) => a.place - b.place,
};

function rank(row) {
  return row.status === "failed" ? 0 : row.move === "broke" ? 1 : 2;
}

class CaseList {
  constructor(rows, meta, choose) {
    this.rows = rows;
    this.meta = meta;
    this.choose = choose;
    this.active = new Set();
    this.words = "";
    this.domain = "";
    this.order = "change";
    this.shown = [];
    this.drawn = 0;
    this.turn = 0;
    this.list = document.getElementById("list");
    this.pane = document.getElementById("list-pane");
    this.more = el("li", { class: "more-rows", "aria-hidden": "true" });
    new IntersectionObserver((seen) => seen.some((each) => each.isIntersecting) && this.draw(), {
      rootMargin: "600px",
    }).observe(this.more);
    this.list.addEventListener("click", (event) => {
      const link = event.target.closest("a[data-place]");
      if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      this.choose(this.rows[Number(link.dataset.place)]);
    });
    this.filters();
  }

  filters() {
    const chips = document.getElementById("chips");
    const chip = (name, title, number) =>
      el(
        "button",
        { type: "button", class: "chip", "data-filter": name, "aria-pressed": "false", disabled: number === 0 },
        title + " ",
        el("span", { class: "n" }, number.toLocaleString("en")),
      );
    chips.append(chip("all", "All", this.rows.length));
    for (const [name, title, test] of FILTERS) {
      const number = this.rows.filter(test).length;
      if (number || name === "regressed" || name === "improved") chips.append(chip(name, title, number));
    }
    chips.addEventListener("click", (event) => {
      const button = event.target.closest("button[data-filter]");
      if (button) this.toggle(button.dataset.filter);
    });
    const domains = [...new Set(this.rows.map((row) => row.domain).filter(Boolean))].sort();
    if (domains.length > 1) {
      const select = document.getElementById("domain");
      select.append(
        el("option", { value: "" }, "All domains"),
        ...domains.map((name) => el("option", { value: name }, name)),
      );
      select.addEventListener("change", () => ((this.domain = domains[select.selectedIndex - 1] || ""), this.apply()));
      document.getElementById("domain-field").hidden = false;
    }
    const order = document.getElementById("order");
    order.addEventListener("change", () => ((this.order = order.value), this.apply()));
    const search = document.getElementById("search");
    let wait = 0;
    search.addEventListener("input", () => {
      clearTimeout(wait);
      wait = setTimeout(() => ((this.words = search.value.trim().toLowerCase()), this.apply()), 120);
    });
  }

  toggle(name) {
    if (name === "all") this.active.clear();
    else if (!this.active.delete(name)) this.active.add(name);
    this.apply();
  }

  only(name) {
    this.active = new Set(name === "all" ? [] : [name]);
    this.apply();
  }

  // Rows that fit the chips and the domain; the chips widen each other.
  candidates() {
    const tests = FILTERS.filter(([name]) => this.active.has(name)).map(([, , test]) => test);
    return this.rows.filter(
      (row) => (!this.domain || row.domain === this.domain) && (!tests.length || tests.some((test) => test(row))),
    );
  }

  async apply() {
    const turn = ++this.turn;
    for (const button of document.querySelectorAll("button[data-filter]")) {
      const name = button.dataset.filter;
      button.setAttribute("aria-pressed", String(name === "all" ? !this.active.size : this.active.has(name)));
    }
    const there = this.candidates();
    if (!this.words) return this.show(there, "");
    const hits = new Set(there.filter((row) => row.found.includes(this.words)));
    this.show([...hits], this.words.length < SEARCH_FROM ? "" : "searching texts and answers …");
    if (this.words.length < SEARCH_FROM) return;
    await this.searchBodies(
      there.filter((row) => !hits.has(row)),
      hits,
      turn,
    );
  }

  // The texts and answers of all cases, a part at a time, so that typing stays quick.
  async searchBodies(rows, hits, turn) {
    const byChunk = new Map();
    for (const row of rows) {
      const number = Math.floor(row.place / this.meta.chunk);
      if (!byChunk.has(number)) byChunk.set(number, []);
      byChunk.get(number).push(row);
    }
    await pageRead();
    let done = 0;
    let last = performance.now();
    for (const [number, members] of byChunk) {
      const bodies = chunks.has(number) ? await chunks.get(number) : await unpack("cases-" + number);
      if (turn !== this.turn) return;
      for (const row of members) if (holds(bodies[row.place % this.meta.chunk], this.words)) hits.add(row);
      done += members.length;
      if (performance.now() - last > 150) {
        last = performance.now();
        this.show([...hits], "searching texts and answers … " + Math.round((100 * done) / rows.length) + "%");
        await new Promise((next) => setTimeout(next));
        if (turn !== this.turn) return;
      }
    }
    this.show([...hits], "");
  }

  show(rows, remark) {
    this.shown = rows.sort(ORDERS[this.order]);
    this.drawn = 0;
    this.list.replaceChildren(this.more);
    this.draw();
    document.getElementById("nothing").hidden = this.shown.length > 0 || Boolean(remark);
    const all = this.shown.length === this.rows.length;
    document
      .getElementById("found")
      .replaceChildren(
        visible(
          (all
            ? counted(this.rows.length, "case")
            : this.shown.length.toLocaleString("en") + " of " + counted(this.rows.length, "case")) +
            (remark ? " · " + remark : ""),
        ),
      );
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
    const value = row.value === null ? "–" : (100 * row.value).toFixed(1);
    const word = row.status === "scored" ? row.move || "" : spaced(row.status);
    const delta = row.delta === null ? "" : points(row.delta);
    return el(
      "li",
      null,
      el(
        "a",
        {
          href: "#case=" + encodeURIComponent(row.id),
          "data-place": row.place,
          class: "row " + moveTone(row.move),
          "aria-current": row === this.chosen ? "true" : null,
        },
        el("span", { class: "edge " + (row.zone || "none"), "aria-hidden": "true" }),
        el("span", { class: "name" }, row.id, row.title ? foreign("small", row.title) : null),
        el(
          "span",
          { class: "value" },
          value,
          el(
            "small",
            { class: row.status === "scored" ? "" : "bad" },
            word && word !== "regressed" && word !== "improved" ? word : delta || word,
          ),
        ),
        el(
          "span",
          { class: "hidden" },
          [word, row.zone && row.zone + " zone", delta && delta + " points"].filter(Boolean).join(", "),
        ),
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
