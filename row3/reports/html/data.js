// The packed data of the page: unpacked when it is needed, and only as much as is needed.

const KEPT_CHUNKS = 12;

async function unpack(id) {
  const island = document.getElementById(id);
  if (!island) throw new Error("the part " + id + " is missing: the file was cut off");
  const letters = atob(island.textContent);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

// The script runs before the cases below it are read.
function pageRead() {
  if (document.readyState !== "loading") return Promise.resolve();
  return new Promise((done) => document.addEventListener("DOMContentLoaded", done, { once: true }));
}

const chunks = new Map();

async function chunk(number) {
  if (!chunks.has(number)) {
    if (!document.getElementById("cases-" + number)) await pageRead();
    chunks.set(number, unpack("cases-" + number));
    if (chunks.size > KEPT_CHUNKS) chunks.delete(chunks.keys().next().value);
  }
  return chunks.get(number);
}

async function bodyOf(place, meta) {
  const bodies = await chunk(Math.floor(place / meta.chunk));
  return bodies[place % meta.chunk];
}

const ROW = ["id", "title", "domain", "status", "move", "value", "delta", "zone", "critical"];

function rowsOf(lists, meta) {
  return lists.map((list, place) => {
    const row = { place };
    ROW.forEach((name, i) => (row[name] = list[i]));
    row.resting = meta.quarantined[row.id] || "";
    row.found = (row.id + "\n" + row.title + "\n" + row.domain).toLowerCase();
    return row;
  });
}

// Whether any text of a case holds the words; keys of ours do not count.
function holds(value, words) {
  if (typeof value === "string") return value.toLowerCase().includes(words);
  if (Array.isArray(value)) return value.some((each) => holds(each, words));
  return value !== null && typeof value === "object" && Object.values(value).some((each) => holds(each, words));
}
