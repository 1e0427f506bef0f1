"""Hypothesis strategies shared by the tests: names that are nearly equal, similarities, JSON."""

from __future__ import annotations

import string

from hypothesis import strategies as st

READABLE = (
    string.ascii_letters
    + string.digits
    + " -_.,;:!?()[]{}/\\'\"`+#%&*@~"
    + "äöüßéèñçøåÄÖÜİıŞşœŒαβγσςΑΒΣЖжЁё"
    + "–—‐‑“”‘’«»„…ﬁﬂ①²½™"
    + "\u00a0\u2009\u200b\u00ad\ufeff\n\t"
)
"""What stands in texts and model answers: letters with accents, typography, ligatures, odd spaces."""

STEMS = ("gradient flow", "gradient flows", "gradient glow", "back pressure", "back pressures")


def readable_text(max_size: int = 40) -> st.SearchStrategy[str]:
    """Any mixture of the characters that texts are made of."""
    return st.text(alphabet=READABLE, max_size=max_size)


@st.composite
def near_names(draw: st.DrawFn) -> str:
    """A name that is a few edits away from others of its kind, so that fuzzy matches compete."""
    name = list(draw(st.sampled_from(STEMS)))
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(name) - 1))
        letter = draw(st.sampled_from("abx"))
        match draw(st.sampled_from(("replace", "insert", "delete"))):
            case "replace":
                name[place] = letter
            case "insert":
                name.insert(place, letter)
            case _ if len(name) > 1:
                del name[place]
    return "".join(name)


def name_lists(max_size: int = 5) -> st.SearchStrategy[list[str]]:
    """Lists of names that are nearly one another, with repetitions and the odd empty one."""
    return st.lists(near_names() | st.sampled_from((*STEMS, "", "?!")), max_size=max_size)


KINDRED = (
    "John Smith", "J. Smith", "John D. Smith", "J. A. Smith", "Smith, John", "Jane Smith", "Jane A. Smith",
    "Mr. J. Smith", "heat pump", "heat pumps", "Heat-pump", "heatpump", "heat pum", "photosynthesis rate",
    "photosynthsis rate", "photosyntheiss rates", "rate of photosynthesis", "photo-synthesis rate", "colour centre",
    "color center", "colour centres", "supervised learning", "unsupervised learning", "learning, supervised",
    "Model 3", "Model S", "Model III",
)  # fmt: skip
"""Ways to write a few names, of which many are one with some of the others and two with the rest."""


def kindred_names(max_size: int = 5) -> st.SearchStrategy[list[str]]:
    """Lists of names that compete for one another by every rule, with repetitions and the odd empty one."""
    return st.lists(st.sampled_from((*KINDRED, *KINDRED, "", "?!")) | near_names(), max_size=max_size)


@st.composite
def similarity_edges(draw: st.DrawFn, side: int = 5) -> dict[int, dict[int, float]]:
    """A sparse matrix of similarities as `assign` takes it; ties are frequent."""
    rows, columns = draw(st.integers(0, side)), draw(st.integers(1, side))
    value = st.sampled_from((0.85, 0.9, 0.95, 1.0)) | st.floats(0.85, 1.0)
    cell = st.none() | value
    matrix = {row: draw(st.lists(cell, min_size=columns, max_size=columns)) for row in range(rows)}
    return {row: {column: s for column, s in enumerate(line) if s is not None} for row, line in matrix.items()}


def json_values() -> st.SearchStrategy[object]:
    """Any JSON value of moderate size."""
    leaf = (
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(max_size=8)
    )
    return st.recursive(
        leaf,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
        max_leaves=12,
    )


def extraction_values() -> st.SearchStrategy[object]:
    """JSON values in and around the shape of an extraction."""
    word = st.sampled_from(("Alpha", "alpha", "Beta", "betas", "Gamma ray", "Delta wave", "Omega point", "", "?"))
    concept = word | st.fixed_dictionaries(
        {"label": word},
        optional={"sourceQuote": st.sampled_from(("Alpha precedes Beta", "nowhere", "", " ")) | st.none()},
    )
    link = st.fixed_dictionaries(
        {"source": word, "predicate": st.sampled_from(("CAUSES", "IS_A", "relates to", "child_of", "")), "target": word}
    )
    return st.fixed_dictionaries(
        {"concepts": st.lists(concept, max_size=8)}, optional={"relationships": st.lists(link, max_size=8)}
    )
