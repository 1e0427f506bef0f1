// The page comes to life: data, addresses, keys, colours, paper.

const PRINTED_ROWS = 2000;
const THEMES = ["auto", "light", "dark"];
const byId = (id) => document.getElementById(id);

function remembered(name, value) {
  try {
    if (value === undefined) return localStorage.getItem(name);
    localStorage.setItem(name, value);
  } catch (refused) {
    // A file opened from disk may have no storage: the choice then lasts as long as the page.
  }
  return null;
}

function paint(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  byId("theme-name").textContent = theme[0].toUpperCase() + theme.slice(1);
  paint.now = theme;
}

function nextTheme() {
  const theme = THEMES[(THEMES.indexOf(paint.now) + 1) % THEMES.length];
  paint(theme);
  remembered("row3-theme", theme);
}

class Page {
  constructor(rows, meta) {
    this.meta = meta;
    this.unfolded = [];
    this.byName = new Map(rows.map((row) => [row.id, row]));
    this.list = new CaseList(rows, meta, (row) => this.go(row));
    this.article = byId("case");
    this.article.addEventListener("click", (event) => this.clicked(event));
    window.addEventListener("hashchange", () => this.follow());
    window.addEventListener("beforeprint", () => this.onPaper());
    window.addEventListener("afterprint", () => this.unfolded.forEach((part) => (part.open = false)));
    byId("browser").hidden = false;
    this.list.apply();
    this.follow();
  }

  // Paper cannot be scrolled or unfolded.
  onPaper() {
    this.list.draw(PRINTED_ROWS);
    this.unfolded = [...document.querySelectorAll("main details:not([open])")];
    this.unfolded.forEach((part) => (part.open = true));
  }

  // An address names a case; so the browser's own back and forward work.
  go(row) {
    const wanted = "#case=" + encodeURIComponent(row.id);
    if (location.hash === wanted) this.open(row);
    else location.hash = wanted;
  }

  follow() {
    if (!location.hash.startsWith("#case=")) return this.close(location.hash === "");
    let name = "";
    try {
      name = decodeURIComponent(location.hash.slice("#case=".length));
    } catch (malformed) {
      return;
    }
    const row = this.byName.get(name);
    if (row) this.open(row);
  }

  async open(row) {
    this.row = row;
    const link = this.list.current(row);
    if (link) link.scrollIntoView({ block: "nearest" });
    const body = await bodyOf(row.place, this.meta);
    if (this.row !== row) return;
    this.body = body;
    this.article.replaceChildren(...openedCase(row, body, this.meta));
    this.ends();
    document.body.classList.add("opened");
    this.article.scrollTop = 0;
    const top = this.article.getBoundingClientRect().top;
    if (top < 0 || top > innerHeight * 0.6) byId("browser").scrollIntoView({ block: "start" });
    byId("case-title").focus({ preventScroll: true });
  }

  ends() {
    byId("previous").disabled = !this.list.step(-1);
    byId("next").disabled = !this.list.step(1);
  }

  close(clear) {
    document.body.classList.remove("opened");
    if (!clear || !this.row) return;
    const link = this.list.current(this.row);
    if (link) link.focus();
  }

  back() {
    history.pushState(null, "", location.pathname + location.search + "#cases");
    this.close(true);
  }

  step(by) {
    const row = this.list.step(by);
    if (row) this.go(row);
  }

  clicked(event) {
    const button = event.target.closest("button");
    if (!button) return;
    if (button.id === "back") this.back();
    else if (button.id === "previous") this.step(-1);
    else if (button.id === "next") this.step(1);
    else if (button.dataset.marks) this.mark(button.dataset.marks === "1");
    else if (button.dataset.find) this.find(button.dataset.find);
  }

  mark(baseline) {
    if (!this.body || !this.body.extraction || !this.body.extraction.before) return;
    marksBaseline = baseline;
    const answer = extractionOf(this.body);
    statesBefore(this.body, answer);
    byId("text").replaceWith(texts(this.body, answer));
  }

  find(name) {
    const found = [...this.article.querySelectorAll("mark[data-key]")].filter((mark) => mark.dataset.key === name);
    for (const mark of this.article.querySelectorAll("mark.hot")) mark.classList.remove("hot");
    found.forEach((mark) => mark.classList.add("hot"));
    (found[0] || byId("text")).scrollIntoView({ block: "center" });
  }

  pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const typing = event.target.closest("input, select, textarea");
    if (event.key === "Escape") {
      if (typing) typing.blur();
      else if (!byId("help").open) this.back();
      return;
    }
    if (typing || byId("help").open) return;
    const act = {
      j: () => this.step(1),
      k: () => this.step(-1),
      "/": () => (byId("search").scrollIntoView({ block: "nearest" }), byId("search").focus(), byId("search").select()),
      "?": () => byId("help").showModal(),
      r: () => this.list.only("regressed"),
      i: () => this.list.only("improved"),
      a: () => this.list.only("all"),
      b: () => this.mark(!marksBaseline),
      t: nextTheme,
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }
}

async function boot() {
  paint(THEMES.includes(remembered("row3-theme")) ? remembered("row3-theme") : "auto");
  byId("theme").addEventListener("click", nextTheme);
  byId("keys").addEventListener("click", () => byId("help").showModal());
  byId("help-close").addEventListener("click", () => byId("help").close());
  try {
    if (!("DecompressionStream" in window))
      throw new Error("this browser cannot unpack them; use one of 2023 or newer");
    const meta = await unpack("meta");
    const page = new Page(rowsOf(await unpack("rows"), meta), meta);
    document.addEventListener("keydown", (event) => page.pressed(event));
    document.documentElement.dataset.ready = "yes";
  } catch (error) {
    byId("trouble").replaceChildren(visible("The cases cannot be shown: " + error.message + "."));
    byId("trouble").hidden = false;
  }
}

boot();
