"""The names that a collection of texts uses: found where they are capitalised, recognised in every text.

One text alone rarely tells a name from a word that starts a sentence. All of them together do: a word which they also
write small is no name, a title which follows a person's name is none either, and `KB` is a company with those letters.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher
from functools import cached_property

WORD = r"[A-Z][\w’'-]*\w|[A-Z]\d+"
PARTICLE = r"(?:de|del|der|den|di|da|du|la|le|van|von|ten|ter)"
NAME = re.compile(
    rf"(?:[A-Z][a-z]{{1,2}}\. )?(?:{WORD})(?: (?:{PARTICLE} )*(?:{WORD}|[A-Z]\.?(?![\w])|\d+[A-Za-z]?\b))*"
)
ADDRESS = re.compile(r"<[^>\s]*@[^>\s]*>|\S+@\S+|https?://\S+")
LABEL = re.compile(r"^[\W\d]*(?:[A-Z][\w-]*(?: [A-Za-z]+){0,2}: *)+")
"""What stands before a colon at the start of a line: `Subject: Re: Fwd:`, `Attendees:`, a speaker."""
LISTED = re.compile(r"^(?:From|To|Cc|Bcc|Attendees|Present|Participants|Owner|Stakeholders|Consulted)\b[^:]{0,20}: *")
"""Labels that people follow."""
SENTENCE = re.compile(r"(?<=[.!?]) +|\n+")
SHORT = re.compile(r"[A-Z]{2,5}|[A-Z]\d{1,2}")
TOKEN = re.compile(r"[^\W_]+")
ALIKE = 0.75
"""How much of two words is the same, from which one of them is the other misspelt."""
COMMON_WORDS = """a an the i we it this that these those and but so if or as at by for in of on to with no not yes
    our my your his her its their you they he she there here what when where which who how why can could will would
    should may do does did is are was were has have had be re fw fwd aw wg ok thanks thank hello hi dear regards
    best please all mr mrs ms dr monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat
    sun january february march april june july august september october november december jan feb mar apr jun jul
    aug sep sept oct nov dec"""
ORDINARY = frozenset(re.findall(r"\w+", COMMON_WORDS))


class Names:
    """The names of a collection of texts. Building takes a millisecond a text; the same texts give the same names."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._small: Counter[str] = Counter()
        """Words written small, in the texts that write sentences with a capital."""
        self._seen: Counter[str] = Counter()
        self._starts: Counter[str] = Counter()
        """Those of several words that start a sentence: the first word may be no part of them."""
        self._titles: Counter[str] = Counter()
        self._sentences: list[tuple[str, bool]] = []
        self._people: Counter[str] = Counter()
        self.roles: dict[str, str] = {}
        cased = [ADDRESS.sub(" ", text) for text in texts if is_cased(text)]
        for text in cased:
            self._small.update(re.findall(r"\b[a-z][a-z’'-]*[a-z]\b", text))
        for text in cased:
            self._read(text)
        for sentence, listed in self._sentences:
            self._note_names(sentence, listed=listed)
        self._same: dict[str, str] = {}
        """The usual spelling of a name that is seldom spelt so."""
        self.names = self._kept()
        self._forms = self._all_forms()

    def type_of(self, name: str) -> str:
        """PERSON where the texts list it as sender or attendee or with a title; PROJECT with that word; else ORG."""
        if self._people[name]:
            return "PERSON"
        return "PROJECT" if re.search(r"\d|^(?:Project|Operation|Programme)\b", name) else "ORG"

    def find(self, text: str) -> dict[str, list[str]]:
        """Every name in a text and its mentions; a form of two names is the one that is also named otherwise."""
        sure: dict[str, set[str]] = defaultdict(set)
        unsure: list[tuple[str, frozenset[str]]] = []
        cased = is_cased(text)
        for mention in self._pattern.findall(text):
            owners = self._owners(mention, cased=cased)
            if len(owners) == 1:
                sure[next(iter(owners))].add(mention)
            elif owners:
                unsure.append((mention, owners))
        for mention, owners in unsure:
            here = owners & sure.keys()
            if len(here) == 1:
                sure[next(iter(here))].add(mention)
        return {name: sorted(sure[name]) for name in sorted(sure)}

    def _owners(self, mention: str, *, cased: bool) -> frozenset[str]:
        form = key(mention)
        owners = self._forms.get(form) or self._forms.get(re.sub(r"s$", "", form)) or frozenset()
        small = mention[0].islower() and " " not in form and (self._small[form] or (cased and len(form) < 4))
        return frozenset() if small or (len(form) < 3 and not mention.isupper()) else owners

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        forms = sorted(self._forms, key=lambda form: (-len(form), form))
        body = "|".join(r"[\W_]{1,2}".join(map(re.escape, form.split(" "))) for form in forms) or r"(?!)"
        return re.compile(rf"(?<![^\W_])(?:{body})(?:[’']?s)?(?![^\W_])", re.I)

    def _read(self, text: str) -> None:
        lines = text.split("\n")
        for number, line in enumerate(map(str.rstrip, lines)):
            if line.startswith("#") or not re.search(r"[a-z]", line):
                continue  # a heading is capitalised whatever it says
            label = LABEL.match(line)
            listed = LISTED.match(line) is not None
            body = line[label.end() :] if label else line
            titled = self._titled(body) if listed else []
            for name, title in titled:
                self._note_title(name, title)
            before = lines[number - 1].strip(" ,-*") if number else ""
            if before and NAME.fullmatch(before) and " " in before and len(line.split()) <= 7 and NAME.match(line):
                self._note_title(before, line.split(",")[0])  # a signature: the name, and below it the title
                body = line.partition(",")[2]
            if listed and not (titled and "(" not in body):
                for one in re.split(r"[,;] *", re.sub(r"\([^)]*\)", "", body)):
                    if (match := NAME.fullmatch(one.strip())) and " " in one.strip():
                        self._people[self._cleaned(match[0], start=False)] += 1
            self._sentences += [(sentence, listed) for sentence in SENTENCE.split(body)]

    def _note_names(self, sentence: str, *, listed: bool) -> None:
        for match in NAME.finditer(sentence):
            start = not listed and not sentence[: match.start()].strip(" -*\"'“([#>_0123456789.")
            name = self._cleaned(match[0], start=start)
            if name and start and " " in name:
                self._starts[name] += 1
            elif name:
                self._seen[name] += 1

    def _titled(self, body: str) -> list[tuple[str, str]]:
        """`Ada Lund (Head of Sales)`, or `Ada Lund, Head of Sales` where that is all."""
        found = re.findall(rf"({NAME.pattern}) \(([^(),]+)", body)
        match = re.match(rf"({NAME.pattern}), ([A-Z][^(),]*)(?:,|$)", body) if "(" not in body else None
        if match and (match[2].isupper() or any(self._is_word(word) for word in match[2].split())):
            found.append((match[1], match[2]))
        return found

    def _note_title(self, name: str, title: str) -> None:
        self._people[name] += 1
        self.roles.setdefault(name, title.strip())
        for match in NAME.finditer(title):
            self._titles[match[0]] += 1

    def _cleaned(self, name: str, *, start: bool) -> str:
        """A name without the ordinary words before it, and without those that only start a sentence."""
        words = re.sub(r"[’'](?:s|d|ll|m|re|t|ve)\b", "", name).strip(" .'’-").split()
        while words and (words[0].lower().strip(".") in ORDINARY or words[0] in self._titles
                         or words[0].isdigit() or (start and self._is_word(words[0]))):  # fmt: skip
            words, start = words[1:], False
        while words and words[-1].lower() in ORDINARY:
            words = words[:-1]
        alone = len(words) == 1 and (start or len(words[0]) < 2) and not re.search(r"[A-Z]{2}|[A-Z]-?\d", words[0])
        return "" if alone else " ".join(words)

    def _is_word(self, word: str) -> bool:
        return bool(self._small[word.lower()]) and not word.isupper()

    def _kept(self) -> list[str]:
        known = {word for name in self._seen for word in name.split()}
        for name, times in self._starts.items():
            first, _, rest = name.partition(" ")
            self._seen[rest if rest.split()[0] in known and first not in known else name] += times
        for name in [name for name, times in self._seen.items() if times == 1 and re.search(r" \d+$", name)]:
            self._seen[name.rpartition(" ")[0]] += self._seen.pop(name)  # a number once after a name is an amount
        kept = []
        for name, times in self._seen.items():
            words = [word for word in name.split() if not word.isdigit()]
            title = self._titles[name] + sum(n for other, n in self._titles.items() if name in other.split())
            if 2 * title < times and not all(self._small[word.lower()] for word in words):
                kept.append(name)
        for name in kept:
            alike = [other for other in kept if self._seen[other] > self._seen[name] and misspelt(name, other)]
            if alike:
                self._same[name] = max(alike, key=lambda other: (self._seen[other], other))
        return sorted(kept)

    def _all_forms(self) -> dict[str, frozenset[str]]:
        """Every form by which a text may name something, and what it may name."""
        forms: dict[str, set[str]] = defaultdict(set)
        usual = sorted((name for name in self.names if name not in self._same), key=lambda n: (-self._seen[n], n))
        whole: dict[str, str] = {}
        """Names of several words: what is a part of another is the same, under the name that is seen most."""
        for name in (name for name in usual if " " in name):
            whole[name] = next((whole[other] for other in whole if _part(name, other) or _part(other, name)), name)
        for name in (name for name, owner in whole.items() if name == owner and self._people[name]):
            for form in [*handles(name), key(name.split()[0]), key(name.split()[-1])]:
                forms[form].add(name)
        accounts = set(forms)
        for name in (name for name in whole if not self._people[name] and len(name.split()[0]) > 3):
            if not self._is_word(first := name.split()[0]):
                forms[key(first)] |= self._usual({owner for other, owner in whole.items() if _part(first, other)})
        for name in (*usual, *self._same):
            spelt = self._same.get(name, name)
            owners = {owner for other, owner in whole.items() if _part(spelt, other)}
            owners = self._usual(owners)
            owners |= set() if owners or not SHORT.fullmatch(name) else self._spelt_out(name, whole)
            if owners or (key(name) not in accounts and (re.search(r"\d", name) or not SHORT.fullmatch(name))):
                forms[key(name)] |= owners or {spelt}
        return {form: frozenset(owners) for form, owners in forms.items() if form}

    def _usual(self, owners: set[str]) -> set[str]:
        """Without those that are seen once, unless all are."""
        return {owner for owner in owners if self._seen[owner] > 1} or owners

    def _spelt_out(self, short: str, whole: Mapping[str, str]) -> set[str]:
        initials = {name: "".join(word[0] for word in name.split()).upper() for name in whole}
        things = [name for name, owner in whole.items() if not self._people[owner]]
        tried = (
            {whole[name] for name in whole if initials[name] == short},
            {whole[name] for name in things if abbreviates(short, name)},
            {whole[name] for name in things if short.startswith(initials[name])},  # of a name that is never in full
        )
        return next((self._usual(owners) for owners in tried if len(self._usual(owners)) == 1), tried[0])


def _part(name: str, other: str) -> bool:
    return f" {key(name)} " in f" {key(other)} "


def abbreviates(short: str, name: str) -> bool:
    """Whether the letters of an abbreviation are in this order first letters, consonants or digits of a name."""
    letters = iter("".join(word[0] + re.sub(r"[aeiou]", "", word[1:]) for word in key(name).split()))
    first = next(letters, "")
    return short[0].lower() == first and all(letter in letters for letter in short[1:].lower())


def misspelt(name: str, other: str) -> bool:
    """Whether two names differ in one long word, and there by little, as `Katrin Berg` from `Kathrin Berg`."""
    pairs = [(a, b) for a, b in zip(key(name).split(), key(other).split(), strict=False) if a != b]
    if len(name.split()) != len(other.split()) or len(pairs) != 1:
        return False
    (a, b) = pairs[0]
    alike: float = SequenceMatcher(None, a, b).ratio()
    return bool(a[0] == b[0] and min(len(a), len(b)) > 3 and alike >= ALIKE)


def handles(name: str) -> list[str]:
    """What a person's accounts are usually called, as forms: `tlee`, `tom l`, `t lee`, `tom lee`, `tl`."""
    first, *_, last = words = key(name).split()
    initials = "".join(word[:1] for word in words)
    return [first[:1] + last, first + last[:1], f"{first} {last[:1]}", f"{first[:1]} {last}", initials]


def key(mention: str) -> str:
    """A mention as it is compared: small, its parts separated by one space."""
    return " ".join(TOKEN.findall(mention.lower().replace("’", "'").replace("'", "")))


def is_cased(text: str) -> bool:
    """Whether a text starts its sentences with a capital; what does not says nothing about which words are names."""
    starts: list[str] = re.findall(r"(?:^|[.!?] )(?:\[[\d:]+\] *\S+: *|[-*>#\d.() ]+)?([A-Za-z])", text, re.M)
    return 2 * sum(letter.isupper() for letter in starts) > len(starts)
