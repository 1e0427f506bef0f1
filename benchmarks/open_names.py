"""Cases whose names are met once: an open vocabulary, where no cache helps. For `benchmarks/generate.py`.

Words are made of syllables: any 500 cases have more than 10,000 distinct ones. One name in ten is not ASCII; some have
capitals, a number, a hyphen or `of`. Each mention of a name, as a concept and as an end of a relationship, is spelt
anew: a given share of them is open, that is a slip, another inflection, a paraphrase or a name that the case does not
expect.
"""

from __future__ import annotations

import random
from typing import Any

from benchmarks.generate import CANARIES, CONCEPTS, FORBIDDEN, PREDICATES, RELATIONSHIPS, VERBS, Made, words

STARTS = words("b br c ch cl d dr f fl g gl gr h j k l m n p pl pr qu r s sc sl st str t tr v w")
MIDDLES = words("a e i o u ai ea ei ie io oa ou")
ENDS = words("l ll m n nd nt r rd rn s ss st t ck ct lm")
ENDINGS = words("ic al ous ive ary ment tion ity ism ure ance age er or in ite ade ole")
ACCENTED = {"a": "ä", "e": "é", "o": "ö", "u": "ü", "i": "í"}


def make_case(number: int, share: float = 0.1) -> Made:
    """Case number `number` with its outputs, in which `share` of the mentions are open; depends on nothing else."""
    chance = random.Random(f"open {number}")
    names = [_name(chance) for _ in range(CONCEPTS + CANARIES)]
    labels, canaries = names[:CONCEPTS], names[CONCEPTS:]
    concepts: list[dict[str, Any]] = []
    for i, label in enumerate(labels):
        concept: dict[str, Any] = {"label": label, "required": i % 4 != 3}
        if i % 3 == 0:
            concept["aliases"] = [_name(chance)]
        concepts.append(concept)
    pairs = chance.sample([(a, b) for a in labels for b in labels if a < b], RELATIONSHIPS + FORBIDDEN)
    links = [{"source": a, "predicate": chance.choice(PREDICATES), "target": b} for a, b in pairs]
    expected, forbidden = links[:RELATIONSHIPS], links[RELATIONSHIPS:]
    sentences = [f"The {e['source']} {VERBS[e['predicate']]} {e['target']}." for e in expected]
    golden = {
        "id": f"case-{number:06d}",
        "topic": labels[0],
        "domain": ("ecological", "technical", "social", "economic", "interdisciplinary")[number % 5],
        "origin": "Made by benchmarks/open_names.py.",
        "sourceText": "\n\n".join(" ".join(sentences[i : i + 10]) for i in range(0, len(sentences), 10)),
        "expectedConcepts": concepts,
        "expectedRelationships": expected,
        "forbiddenConcepts": canaries,
        "forbiddenRelationships": forbidden,
    }
    made = Made(golden)
    for version in ("1.0", "1.1"):
        made.outputs[version] = _output(random.Random(f"open {number} {version}"), golden, sentences, share)
    return made


def _word(chance: random.Random) -> str:
    body = "".join(
        chance.choice(STARTS) + chance.choice(MIDDLES) + (chance.choice(ENDS) if chance.random() < 0.4 else "")
        for _ in range(chance.choice((1, 2, 2)))
    )
    return body + chance.choice(ENDINGS)


def _name(chance: random.Random) -> str:
    spelt = [_word(chance) for _ in range(chance.choice((1, 2, 2, 2, 3)))]
    if chance.random() < 0.1:
        at = next(i for i, letter in enumerate(spelt[0]) if letter in ACCENTED)
        spelt[0] = spelt[0][:at] + ACCENTED[spelt[0][at]] + spelt[0][at + 1 :]
    roll = chance.random()
    if roll < 0.25:
        spelt = [word.capitalize() for word in spelt]
    elif roll < 0.30:
        spelt.append(str(chance.randrange(2, 2000)))
    elif roll < 0.35 and len(spelt) > 1:
        spelt[:2] = ["-".join(spelt[:2])]
    elif roll < 0.42 and len(spelt) > 1:
        spelt.insert(1, "of")
    return " ".join(spelt)


def _opened(chance: random.Random, name: str) -> str:
    """What a model says for a name, equal to no form of it."""
    roll = chance.random()
    if roll < 0.25:
        cut = chance.randrange(1, len(name) - 1)
        return name[:cut] + (chance.choice("aeinrst") if roll < 0.12 else "") + name[cut + 1 :]
    if roll < 0.50:
        return f"the {name}" if roll < 0.30 else f"{name}s" if roll < 0.45 else name.replace(" ", "-")
    if roll < 0.75:
        spelt = name.split()
        spelt[chance.randrange(len(spelt))] = _word(chance)
        return " ".join(spelt[::-1] if roll < 0.55 else spelt)
    return _name(chance)


def _said(chance: random.Random, expected: dict[str, Any], share: float) -> str:
    """One mention of an expected concept."""
    label, roll = expected["label"], chance.random()
    if roll < share:
        return _opened(chance, label)
    return str(expected.get("aliases", [label.upper()])[0] if roll < share + 0.04 else label)


def _output(chance: random.Random, golden: dict[str, Any], sentences: list[str], share: float) -> dict[str, Any]:
    by_label = {expected["label"]: expected for expected in golden["expectedConcepts"]}
    concepts = [
        {
            "label": _said(chance, expected, share),
            "sourceQuote": next((each for each in sentences if label in each), chance.choice(sentences)),
        }
        for label, expected in by_label.items()
    ]
    if chance.random() < 0.05:
        concepts.append({"label": chance.choice(golden["forbiddenConcepts"]), "sourceQuote": ""})
    chance.shuffle(concepts)
    links = []
    for expected in golden["expectedRelationships"]:
        predicate, roll = expected["predicate"], chance.random()
        source, target = (_said(chance, by_label[expected[end]], share) for end in ("source", "target"))
        if roll > 0.95:
            continue
        if roll > 0.88:
            predicate = chance.choice(PREDICATES)
        elif roll > 0.83:
            source, target = target, source
        links.append({"source": source, "predicate": predicate, "target": target})
    return {"concepts": concepts, "relationships": links}
