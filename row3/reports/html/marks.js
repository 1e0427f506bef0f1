// Where names and quotes stand in a text, compared much as the scorer compares: by letters and digits alone.

const LETTER = /[\p{L}\p{N}\p{M}]/u;

function folded(text) {
  let chars = " ";
  const starts = [0];
  const ends = [0];
  let at = 0;
  for (const char of text) {
    const next = at + char.length;
    for (const one of char.normalize("NFKD").toLowerCase()) {
      if (LETTER.test(one)) {
        chars += one;
        for (let i = 0; i < one.length; i++) (starts.push(at), ends.push(next));
      } else if (!chars.endsWith(" ")) {
        chars += " ";
        starts.push(at);
        ends.push(next);
      }
    }
    at = next;
  }
  if (!chars.endsWith(" ")) ((chars += " "), starts.push(at), ends.push(at));
  return { chars, starts, ends };
}

function key(name) {
  return folded(String(name)).chars.trim();
}

function places(text, name) {
  const wanted = key(name);
  const found = [];
  if (!wanted) return found;
  let at = text.chars.indexOf(" " + wanted + " ");
  while (at >= 0) {
    found.push([text.starts[at + 1], text.ends[at + wanted.length]]);
    at = text.chars.indexOf(" " + wanted + " ", at + 1);
  }
  return found;
}

// A quote may leave something out with an ellipsis: its parts are looked for, each by itself.
function quotePlaces(text, quote) {
  const whole = places(text, quote);
  if (whole.length) return whole.slice(0, 1);
  const parts = String(quote).split(/…|\.\s?\.\s?\./);
  return parts.length < 2 ? [] : parts.flatMap((part) => places(text, part).slice(0, 1));
}

// items: {names, kind, title}; quotes: texts. The source with all of them marked; what is longer wins.
function marked(source, items, quotes) {
  const text = folded(source);
  const owner = new Int32Array(source.length).fill(-1);
  const quoted = new Uint8Array(source.length);
  for (const quote of quotes) {
    for (const [start, end] of quotePlaces(text, quote)) quoted.fill(1, start, end);
  }
  const names = items.flatMap((item, i) => item.names.map((name) => [name, i]));
  names.sort((a, b) => b[0].length - a[0].length);
  for (const [name, i] of names) {
    for (const [start, end] of places(text, name)) {
      if (owner.subarray(start, end).every((one) => one < 0)) owner.fill(i, start, end);
    }
  }
  const out = document.createDocumentFragment();
  let at = 0;
  while (at < source.length) {
    let end = at + 1;
    while (end < source.length && owner[end] === owner[at] && quoted[end] === quoted[at]) end++;
    const piece = source.slice(at, end);
    const item = items[owner[at]];
    const quote = quoted[at] ? ".q" : "";
    if (item) {
      out.append(el("mark.m." + item.kind + quote, { title: item.title, "data-key": key(item.names[0]) }, piece));
    } else {
      out.append(quote ? el("mark" + quote, piece) : visible(piece));
    }
    at = end;
  }
  return out;
}
