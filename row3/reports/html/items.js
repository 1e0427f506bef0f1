// Cases of any other kind: every list of an answer, and how its items were matched, as tables.

// What names an item, the best first.
const NAMES = ["label", "name", "title", "description", "text", "id", "document_id", "documentId", "document"];

function itemName(item) {
  if (item === null || typeof item !== "object") return String(item);
  const found = NAMES.find((name) => typeof item[name] === "string" && item[name]);
  return found ? item[found] : JSON.stringify(item);
}

function itemCell(item, other) {
  if (item === null || typeof item !== "object") return [foreign("span", String(item))];
  const name = itemName(item);
  const rest = Object.entries(item).filter(([, value]) => value !== name && value !== null && value !== "");
  return [
    foreign("span", name, { class: "label-text" }),
    rest.length
      ? el(
          "dl",
          { class: "pairs" },
          rest.flatMap(([field, value]) => {
            const text = typeof value === "string" ? value : JSON.stringify(value);
            const there = other && typeof other === "object" ? other[field] : undefined;
            const was = typeof there === "string" ? there : JSON.stringify(there);
            return [
              el("dt", null, spaced(field)),
              foreign("dd", text, { class: other && was !== text ? "differs" : null }),
            ];
          }),
        )
      : null,
  ];
}

function listsOf(answer) {
  if (answer === null || typeof answer !== "object") return [];
  return Object.entries(answer).filter(([, value]) => Array.isArray(value));
}

function generic(body) {
  const parts = [noBaseline(body)];
  for (const [name, list] of Object.entries(body.matches || {}))
    if (Array.isArray(list)) parts.push(matchTable(name, list));
  const then = new Map(listsOf(body.before));
  for (const [name, list] of listsOf(body.answer)) {
    if (then.has(name)) {
      parts.push(
        sideBySide(
          "Answer: " + spaced(name),
          then.get(name),
          list,
          (item) => key(itemName(item)),
          itemCell,
          (a, b) => JSON.stringify(a) !== JSON.stringify(b),
        ),
      );
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
    return Array.isArray(found)
      ? found.map(String).join(" ")
      : typeof found === "object"
        ? JSON.stringify(found)
        : String(found);
  };
  return el(
    "section",
    { class: "part" },
    el("h4", null, spaced(title), el("span", { class: "count" }, String(list.length))),
    list.length
      ? el(
          "div",
          { class: "scroll" },
          el(
            "table",
            { class: "matches" },
            el(
              "thead",
              null,
              el(
                "tr",
                null,
                columns.map((column) => el("th", { scope: "col" }, spaced(column))),
              ),
            ),
            el(
              "tbody",
              null,
              list.map((item) =>
                el(
                  "tr",
                  null,
                  columns.map((column) => el("td", { dir: "auto" }, value(item, column))),
                ),
              ),
            ),
          ),
        )
      : null,
  );
}
