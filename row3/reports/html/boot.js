// The page comes to life: data, addresses, keys, paper.

const PRINTED_ROWS = 2000;

class Page {
  constructor(rows, meta) {
    this.meta = meta;
    this.beforeMarked = false;
    this.byAddress = new Map(rows.map((row) => [address(row), row]));
    this.article = byId("case");
    this.article.addEventListener("click", (event) => this.clicked(event));
    window.addEventListener("hashchange", () => this.follow());
    window.addEventListener("beforeprint", () => this.onPaper());
    byId("browser").hidden = false;
    this.list = new CaseList(rows, meta);
    const named = this.byAddress.get(location.hash);
    const first = named || rows.find((row) => row.id === meta.worst) || this.list.shown[0];
    this.arrived = first && this.open(first, !named);
  }

  // Paper cannot be scrolled or unfolded.
  onPaper() {
    this.list.draw(PRINTED_ROWS);
    for (const part of document.querySelectorAll("main details")) part.open = true;
  }

  // An address names a case; so the browser's own back and forward work.
  go(row) {
    if (row) location.hash = address(row);
  }

  follow() {
    const row = this.byAddress.get(location.hash);
    if (row) this.open(row);
    else this.close();
  }

  // On arrival the worst case is shown without leaving the top of the page.
  async open(row, arriving) {
    this.row = row;
    const link = this.list.current(row);
    if (link && !arriving) link.scrollIntoView({ block: "nearest" });
    const bodies = await chunk(Math.floor(row.place / this.meta.chunk));
    if (this.row !== row) return;
    this.body = bodies[row.place % this.meta.chunk];
    this.article.replaceChildren(...openedCase(row, this.body, this.meta, this.beforeMarked && this.body.before));
    byId("previous").disabled = !this.list.step(-1);
    byId("next").disabled = !this.list.step(1);
    document.body.classList.add("opened");
    document.body.classList.toggle("arrived", Boolean(arriving));
    if (arriving) return;
    const top = this.article.getBoundingClientRect().top;
    if (top < 0 || top > innerHeight * 0.6) byId("browser").scrollIntoView({ block: "start" });
    byId("case-title").focus({ preventScroll: true });
  }

  close() {
    document.body.classList.remove("opened");
    const link = this.row && this.list.current(this.row);
    if (link) link.focus();
  }

  back() {
    history.pushState(null, "", location.pathname + location.search + "#cases");
    this.close();
  }

  clicked(event) {
    const button = event.target.closest("button");
    if (!button) return;
    if (button.id === "back") this.back();
    else if (button.id === "previous") this.go(this.list.step(-1));
    else if (button.id === "next") this.go(this.list.step(1));
    else if (button.dataset.marks) this.mark(button.dataset.marks === "1");
    else if (button.dataset.find) this.find(button.dataset.find);
  }

  mark(beforeMarked) {
    if (!this.body || !this.body.before) return;
    this.beforeMarked = beforeMarked;
    byId("text").replaceWith(textPart(this.body, beforeMarked));
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
    if (typing && event.key === "Escape") return typing.blur();
    if (typing) return;
    const search = byId("search");
    const act = {
      Escape: () => this.back(),
      j: () => this.go(this.list.step(1)),
      k: () => this.go(this.list.step(-1)),
      "/": () => (search.focus(), search.select()),
      r: () => this.list.only("regressed"),
      i: () => this.list.only("improved"),
      a: () => this.list.only("all"),
      b: () => this.mark(!this.beforeMarked),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }
}

async function boot() {
  try {
    if (!("DecompressionStream" in window))
      throw new Error("this browser cannot unpack them; use one of 2024 or newer");
    const meta = JSON.parse(await unpack("meta"));
    const quarantined = new Map(Object.entries(meta.quarantined));
    const rows = JSON.parse(await unpack("rows")).map((row, place) => {
      const found = (row.id + "\n" + row.title + "\n" + row.domain).toLowerCase();
      return { ...row, place, found, resting: quarantined.get(row.id) };
    });
    const page = new Page(rows, meta);
    document.addEventListener("keydown", (event) => page.pressed(event));
    await page.arrived;
    document.documentElement.dataset.ready = "yes";
  } catch (error) {
    byId("trouble").replaceChildren(visible("The cases cannot be shown: " + error.message + "."));
    byId("trouble").hidden = false;
  }
}

boot();
