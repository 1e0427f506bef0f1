from __future__ import annotations

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from row3.domain.models import keys_of
from row3.domain.requests import digest_text
from row3.errors import InvalidFile
from row3.kinds import all_kinds
from row3.kinds.extraction.model import GoldenCase
from row3.project.cases import (
    Cases,
    StoredCase,
    misnamed,
    name_of,
    parse_case,
    source_of,
)
from row3.project.tree import WorkTree, folder_digest
from tests.rows import every_row

KINDS = all_kinds()

EXTRACTION = KINDS["extraction"]
GOLDEN = Path(__file__).parents[2] / "golden"
CASE: dict[str, Any] = {
    "id": "rye",
    "sourceText": "Rye ferments: salt slows it.",
    "expectedConcepts": [{"label": "Rye", "aliases": ["secale"], "required": True}, {"label": "Salt"}],
    "expectedRelationships": [{"source": "Salt", "target": "Rye", "predicate": "SLOWS"}],
    "forbiddenConcepts": ["Yeast"],
}
FIELDS = tuple(keys_of(GoldenCase))


FILE = "golden/core/rye.gold.json"


def read(root: Path, raw: str) -> StoredCase:
    path = root / FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(raw.encode())
    return Cases(WorkTree(root)).case(FILE, EXTRACTION)


def mostly(right: st.SearchStrategy[Any], wrong: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Mostly valid values, so that whole cases are often valid."""
    return st.integers(0, 19).flatmap(lambda chance: wrong if chance == 0 else right)


blanks = st.text(alphabet=" \t\n\x1c\u00a0\u3000", max_size=2)
texts = mostly(st.text(alphabet=' \n\x7f\u00a0\u200ba:"\\/é😀', max_size=3).map("{}a".format), blanks)
odd = blanks | st.sampled_from([None, True, 0, 1, 2, 1.0, 2**70, "technical", [], {}, [None], [""], ["a"], [{}], [[]]])
flags, notes = mostly(st.booleans(), odd), mostly(st.none() | texts, odd)
concepts = st.fixed_dictionaries(
    {"label": texts},
    optional={"aliases": st.lists(texts, max_size=2), "required": flags, "inferred": flags, "type": notes},
)
ends = {"source": texts, "target": texts, "predicate": texts}
links = st.fixed_dictionaries(ends, optional={"required": flags, "note": notes})
values = st.fixed_dictionaries(
    {},
    optional={
        "sourceText": texts,
        "expectedConcepts": st.lists(mostly(concepts, odd), max_size=2),
        "expectedRelationships": st.lists(links, max_size=2),
        "forbiddenConcepts": st.lists(texts, max_size=2),
        "forbiddenRelationships": st.lists(st.fixed_dictionaries(ends), max_size=2),
        "domain": mostly(st.sampled_from([None, "social"]), odd),
        "citation": notes,
        "schemaVersion": mostly(st.just(1), odd),
    },
)
strange = st.dictionaries(st.sampled_from([*FIELDS, "source_text", "Id", ""]), odd, min_size=1, max_size=1)
ESCAPES = rb"\ud800|\ud83d\ude00|\u00a0|\u003a|\n".split(b"|")
WORDS = b'NaN|-|.0|e1|null| |:|,|"|\r|\n|\xff|\x00|\x1c|\xc2\xa0|\xef\xbb\xbf|\xed\xa0\x80'.split(b"|")
chunks = st.sampled_from([*ESCAPES, *WORDS, b"9" * 5000, b"[" * 3000])


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """Golden cases with wrong values, odd texts, duplicate keys and stray bytes."""
    text = json.dumps(
        CASE | draw(values) | draw(mostly(st.just({}), strange)),
        ensure_ascii=draw(st.booleans()),
        indent=draw(st.sampled_from([None, 2])),
        separators=draw(st.sampled_from([(",", ":"), (", ", ": "), (",", " : ")])),
    )
    if draw(st.integers(0, 3)) == 0:
        keys = list(re.finditer(r'"(\w+)"\s*:', text))
        key = draw(st.sampled_from(keys))
        text = f"{text[: key.start()]}{key[0]}{draw(st.sampled_from(['null', 'true', '[]']))},{text[key.start() :]}"
    raw = text.encode()
    if draw(st.integers(0, 3)) == 0:
        place = draw(st.integers(0, len(raw)))
        raw = raw[:place] + draw(chunks) + raw[place:]
    return raw


@given(files())
def test_a_file_is_a_case_or_one_message(raw: bytes) -> None:
    try:
        stored = parse_case(raw, FILE, EXTRACTION, where=FILE)
    except InvalidFile:
        return
    again = parse_case(stored.case.model_dump_json().encode(), FILE, EXTRACTION, where=FILE)
    assert again.case == stored.case


def test_bom_and_crlf_give_the_same_case(tmp_path: Path) -> None:
    raw = json.dumps(CASE, indent=2)
    case = read(tmp_path, raw)
    windows = read(tmp_path, "\ufeff" + raw.replace("\n", "\r\n"))
    assert (windows.case, windows.digest) == (case.case, case.digest)
    assert case.digest == digest_text(raw)
    assert case.where == "golden/core/rye.gold.json"


def test_a_large_file(tmp_path: Path) -> None:
    long = "Rye ferments. " * 20_000
    assert read(tmp_path, json.dumps(CASE | {"sourceText": long})).case.source_text == long


@every_row(
    ("raw", "words"),
    [
        ('{"id": "rye", "sourceText": "Rye.", "expectedConcepts": [], "id": "oat"}', "key `id` occurs twice"),
        (json.dumps(CASE).replace('"label": "Salt"', '"label": "Salt", "label": "Salt"'), "key `label` occurs twice"),
        (json.dumps(CASE).replace('"label": "Salt"', '"label" : "", "label": "Salt"'), "key `label` occurs twice"),
        (json.dumps(CASE | {"schemaVersion": 2}), "schemaVersion 2 is newer"),
        (json.dumps(CASE | {"topic": 1}), "field `topic`: should be a string, not `1`"),
        (json.dumps(CASE | {"forbiddenConcepts": [" "]}), r"field `forbiddenConcepts.0`: the text is empty"),
        (json.dumps(CASE | {"topics": ""}), "field `topics` is unknown; did you mean `topic`?"),
        (json.dumps(CASE).replace("Yeast", "\\ud800"), "a lone surrogate"),
        ("", "the file is empty"),
    ],
)
def test_faults_are_named(tmp_path: Path, raw: str, words: str) -> None:
    with pytest.raises(InvalidFile, match=re.escape(words)) as caught:
        read(tmp_path, raw)
    assert caught.value.where.startswith("golden/core/rye.gold.json")


def test_a_folder_named_like_a_case(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir(parents=True)
    with pytest.raises(InvalidFile, match="this is a folder"):
        Cases(WorkTree(tmp_path)).case(FILE, EXTRACTION)


@every_row(("folder", "name"), [("documents", "events"), ("queries", "retrieval"), ("graph", "graph")])
def test_cases_have_the_model_of_their_kind(folder: str, name: str) -> None:
    stored = next(Cases(WorkTree(GOLDEN.parent)).read(f"golden/memory/{folder}", KINDS[name]))
    assert isinstance(stored.case, KINDS[name].case_model)


@every_row(("source", "found"), [(None, None), ("", None), (" \t", None), (" report 7 ", "report 7")])
def test_a_blank_source_is_none(source: str | None, found: str | None) -> None:
    assert source_of(SimpleNamespace(source=source)) == found
    assert source_of(object()) is None


def touch(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")


def test_a_suites_folder_is_read_without_subfolders(tmp_path: Path) -> None:
    touch(tmp_path / "golden/core", "b.gold.json", "a.gold.json", "drafts/c.gold.json", "notes.json", ".x.gold.json")
    assert [name_of(path) for path in Cases(WorkTree(tmp_path)).paths("golden/core")] == ["a.gold.json", "b.gold.json"]


def test_a_deeper_folder_is_read_with_subfolders(tmp_path: Path) -> None:
    folder = tmp_path / "golden/memory/documents"
    touch(folder, "m.gold.json", "linking/a.gold.json", "linking/deep/z.gold.json", ".hidden/h.gold.json")
    found = [
        path.removeprefix("golden/memory/documents/")
        for path in Cases(WorkTree(tmp_path)).paths("golden/memory/documents")
    ]
    assert found == ["linking/a.gold.json", "m.gold.json", "linking/deep/z.gold.json"]


def test_the_digest_of_a_folder_is_that_of_its_names_and_contents(tmp_path: Path) -> None:
    folder, tree = tmp_path / "golden/s", WorkTree(tmp_path)
    (folder / "deep").mkdir(parents=True)
    (folder / "a.gold.json").write_text("{}")
    (folder / "deep/b.jsonl").write_text("one")
    found = [folder_digest(tree, "golden/s")]
    (folder / "deep/b.jsonl").write_text("two")
    found.append(folder_digest(tree, "golden/s"))
    (folder / "deep/b.jsonl").rename(folder / "deep/c.jsonl")
    found.append(folder_digest(tree, "golden/s"))
    assert len(set(found)) == 3
    (folder / "deep/c.jsonl").rename(folder / "deep/b.jsonl")
    assert folder_digest(WorkTree(tmp_path), "golden/s") == found[1]


def test_a_missing_folder_has_no_cases(tmp_path: Path) -> None:
    assert Cases(WorkTree(tmp_path)).paths("golden/none") == []
    with pytest.raises(InvalidFile, match=r"golden/memory/none/: the suite has no golden cases"):
        Cases(WorkTree(tmp_path)).scored("golden/memory/none")


def test_misnamed_cases(tmp_path: Path) -> None:
    folder = tmp_path / "golden/bread"
    touch(folder, "a.gold.json", "b.json", "c.gold.JSON", "quarantine.json", "reviewed.jsonl", ".d.json", "e.txt")
    (folder / "folder.json").mkdir()
    assert misnamed(WorkTree(tmp_path), "golden/bread") == ["b.json", "c.gold.JSON"]
    assert misnamed(WorkTree(tmp_path), "golden/none") == []


class TestDrafts:
    @pytest.fixture
    def tree(self, tmp_path: Path) -> WorkTree:
        """A case, a draft, one of each in a file of many, and a case with the word in its text."""
        folder = tmp_path / "golden/core"
        folder.mkdir(parents=True)
        draft = {"draft": True}
        values = {"rye": {}, "oats": draft, "word": {"topic": '"draft"'}, "false": {"draft": False}}
        for case_id, more in values.items():
            (folder / f"{case_id}.gold.json").write_text(json.dumps(CASE | {"id": case_id} | more))
        many = [CASE | {"id": "one"}, CASE | draft | {"id": "two"}]
        (folder / "cases.json").write_text(json.dumps({"version": "1.0", "cases": many}))
        return WorkTree(tmp_path)

    def test_only_cases_are_read(self, tree: WorkTree) -> None:
        cases = [stored.id for stored in Cases(tree).read("golden/core", EXTRACTION)]
        assert cases == ["false", "rye", "word", "one"]
        assert list(Cases(tree).entries("golden/core")) == cases
        assert list(Cases(tree).entries("golden/core", drafts=True)) == ["oats", "two"]

    def test_drafts_are_marked_in_their_files(self, tree: WorkTree) -> None:
        drafts = [path for path in Cases(tree).scored("golden/core") if Cases(tree).entry(path).draft]
        assert drafts == ["golden/core/oats.gold.json", "golden/core/cases.json#1"]
        (tree.root / "golden/core/rye.gold.json").write_text('{"draft": tru')
        assert not Cases(tree).entry("golden/core/rye.gold.json").draft  # reading it reports the fault

    def test_a_suite_needs_more_than_drafts(self, tree: WorkTree) -> None:
        for path in Cases(tree).paths("golden/core"):
            if not Cases(tree).entry(path).draft or "#" in path:
                (tree.root / path.partition("#")[0]).unlink(missing_ok=True)
        with pytest.raises(InvalidFile, match="every golden case of the suite is a draft"):
            Cases(tree).scored("golden/core")


class TestLines:
    """Cases in JSON Lines, one a line, are those of files of their own."""

    def shards(self, root: Path, *parts: str) -> Cases:
        folder = root / "golden/core"
        folder.mkdir(parents=True, exist_ok=True)
        for place, part in enumerate(parts):
            (folder / f"part-{place}.jsonl").write_text(part)
        return Cases(WorkTree(root))

    @given(st.lists(st.sampled_from([0, 0, 0, 1, 2]), min_size=1, max_size=8), st.integers(1, 4), st.booleans())
    def test_they_are_read_in_order(
        self, tmp_path_factory: pytest.TempPathFactory, blanks: list[int], parts: int, ends: bool
    ) -> None:
        root = tmp_path_factory.mktemp("lines")
        values = [CASE | {"id": f"case-{place}"} for place in range(len(blanks))]
        lines = [" \n" * blank + json.dumps(value) for blank, value in zip(blanks, values, strict=True)]
        cut = [lines[len(lines) * part // parts : len(lines) * (part + 1) // parts] for part in range(parts)]
        cases = self.shards(root, *("\n".join([*part, *([""] if ends else [])]) for part in cut))
        paths = cases.paths("golden/core")
        assert len(paths) == len(values)
        assert [*paths] == [paths[place] for place in range(len(paths))] == paths[:]
        assert [stored.id for stored in cases.read("golden/core", EXTRACTION)] == [value["id"] for value in values]
        for value, path in zip(values, paths, strict=True):
            name, number = path.split("#L")
            assert json.loads((root / name).read_text().split("\n")[int(number) - 1]) == value
            assert cases.value(path) == value
            assert cases.entry(path).digest == cases.case(path, EXTRACTION).digest

    def test_they_follow_the_files_of_single_cases_and_other_files_hold_none(self, tmp_path: Path) -> None:
        cases = self.shards(tmp_path, json.dumps(CASE) + "\n")
        folder = tmp_path / "golden/core"
        (folder / "zest.gold.json").write_text(json.dumps(CASE | {"id": "zest"}))
        (folder / "reviewed.jsonl").write_text("{}\n")
        (folder / "drafts").mkdir()
        (folder / "drafts/a.jsonl").write_text("{}\n")
        assert [*cases.paths("golden/core")] == ["golden/core/zest.gold.json", "golden/core/part-0.jsonl#L1"]

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ("{", "golden/core/part-0.jsonl#L2"),
            ("[]", "golden/core/part-0.jsonl#L2"),
            (json.dumps(CASE | {"expectedConcepts": 1}), "golden/core/part-0.jsonl#L2: field `expectedConcepts`"),
            (json.dumps(CASE), "the id `rye` is already used by golden/core/part-0.jsonl#L1"),
        ],
    )
    def test_a_broken_line_is_named(self, tmp_path: Path, line: str, message: str) -> None:
        cases = self.shards(tmp_path, f"{json.dumps(CASE)}\n{line}\n")
        with pytest.raises(InvalidFile) as caught:
            list(cases.read("golden/core", EXTRACTION))
        assert message in str(caught.value)
