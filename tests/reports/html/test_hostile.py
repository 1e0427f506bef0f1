"""Everything that a model, a case or a prompt can say, said with bad intent: it is shown, and does nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.browsers import PHONE, Opened
from tests.projects import CASES, flawless, tiny

Show = Callable[..., Opened]
SCRIPT = "</script><script>window.pwned='script'</script>"
HANDLER = "\"'><img src=x onerror=\"window.pwned='handler'\" onmouseover=\"window.pwned='mouse'\">"
ADDRESS = "javascript:window.pwned='address'"
COMMENT = "<!-- <script> --!> ]]> &lt;b&gt; {{ 7 * 7 }} ${7*7} <!-- cases --><!-- rows -->"
LINES = "one\u2028two\u2029three\u0085four\rfive"
TURNED = "abc\u202egnp.exe\u2066\u200f\ufeff"
HALF = "half \ud83d pair"
STYLE = "</style><style>body{display:none}</style>"
LONG = "x" * 3000
ALL = [SCRIPT, HANDLER, ADDRESS, COMMENT, LINES, TURNED, HALF, STYLE, LONG]


@pytest.fixture(scope="session")
def hostile_report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report whose cases, answers, prompts, model and history all hold such texts."""
    box = tiny(tmp_path_factory.mktemp("hostile") / "project")
    sayable = [text for text in ALL if text is not HALF]  # a file of ours is UTF-8; only JSON can hold a half
    text = "Rye is a cereal. " + " and ".join(sayable) + "."
    expected = [{"label": one, "aliases": [f"{one} again"]} for one in sayable]
    box.case(
        "rye",
        topic=HANDLER,
        sourceText=text,
        expectedConcepts=[{"label": "rye"}, *expected],
        expectedRelationships=[{"source": "rye", "predicate": "IS_A", "target": SCRIPT}],
        forbiddenConcepts=[f"{HANDLER} canary", ADDRESS + "2"],
    )
    box.init()
    for version in ("1.0", "1.1"):
        prompt = box.read(f"prompts/extract-v{version}.md")
        box.write(f"prompts/extract-v{version}.md", f"{prompt.rstrip()}\n{version} {SCRIPT}\n{HANDLER} {version}\n")
    box.replace("row3.toml", "baker-1", "baker <img src=x onerror=window.pwned=1>")
    concepts = [{"label": one, "sourceQuote": f"{one} and {one}"} for one in ALL]
    links = [{"source": one, "predicate": SCRIPT, "target": HANDLER} for one in ALL]
    hostile = {"concepts": [*concepts, {"label": f"{HANDLER} canary"}], "relationships": links}
    good = {case_id: flawless(case) for case_id, case in CASES.items()}
    box.record(
        "1.0", {"rye": {"concepts": concepts[:4], "relationships": links[:4]}, "yeast": good["yeast"], "oven": SCRIPT}
    )
    box.record("1.1", {"rye": hostile, "yeast": f"{SCRIPT}{HANDLER}{TURNED}", "oven": good["oven"]})
    candidate = box.read("prompts/extract-v1.1.md")
    box.path("prompts/extract-v1.1.md").unlink()
    box.row3("--baseline", code=0)
    box.write("prompts/extract-v1.1.md", candidate)
    box.row3("--compare", "--approve", f"because {SCRIPT} {HANDLER}", code=0)
    box.row3("report", "--out", "report.html", code=0)
    return box.path("report.html")


def test_nothing_of_it_runs_and_nothing_is_asked_for(show: Show, hostile_report: Path) -> None:
    page = show(hostile_report)
    scripts = page.run("document.querySelectorAll('script').length")
    for case_id in ("rye", "yeast", "oven"):
        page.open_case(case_id)
        page.press("b")
        for label in page.page.query_selector_all("details[name][open] .label")[:20]:
            label.hover()
        page.page.fill("#search", 'onerror="window')  # with a character that JSON escapes
        page.until(lambda: page.text("#found").endswith(" of 3 cases") and "rye" in page.listed)
        page.page.fill("#search", "")
        page.until(lambda: len(page.listed) == 3)
    assert page.run("window.pwned") is None
    assert page.run("document.querySelectorAll('script').length") == scripts
    assert page.run("document.querySelectorAll('iframe, object, embed, base, form').length") == 0
    drawings = page.run("[...document.querySelectorAll('img')].map((n) => n.src.slice(0, 26))")
    assert drawings == ["data:image/svg+xml;base64,"]  # our own trend
    assert page.run("document.querySelectorAll('style').length") == 1
    assert page.page.is_visible("body")
    handlers = (
        "[...document.querySelectorAll('*')].filter((n) => [...n.attributes].some((a) => /^on/.test(a.name))).length"
    )
    assert page.run(handlers) == 0
    targets = page.run("[...document.querySelectorAll('a')].map((a) => a.getAttribute('href'))")
    assert all(target.startswith("#") for target in targets)


def test_it_is_shown_letter_by_letter(show: Show, hostile_report: Path) -> None:
    page = show(hostile_report)
    page.open_case("rye")
    labels = page.run("[...document.querySelectorAll('td .label')].map((n) => n.textContent)")
    assert SCRIPT in labels
    assert HANDLER in labels
    assert ADDRESS in labels
    assert COMMENT in labels
    assert "abc⟨U+202E⟩gnp.exe⟨U+2066⟩⟨U+200F⟩⟨U+FEFF⟩" in labels
    assert "half ⟨U+D83D⟩ pair" in labels
    assert any("one⟨U+2028⟩two⟨U+2029⟩three⟨U+0085⟩four" in label for label in labels)
    assert any("{{ 7 * 7 }}" in text for text in page.texts("details[name][open] .source"))
    assert SCRIPT in page.text(".diff")
    assert "onerror" in page.text(".verdict")
    assert HANDLER in page.text("#list details[name][open] summary small")


def test_what_gets_in_all_the_same_is_not_run(show: Show, hostile_report: Path) -> None:
    page = show(hostile_report)
    # As if some text had become markup: the page's policy refuses each way, one by one.
    refused = page.run(
        """() => {
          const ways = {
            script: () => {
              const script = document.createElement('script');
              script.textContent = 'window.pwned=1';
              document.body.append(script);
            },
            markup: () => {
              document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="window.pwned=1">');
            },
            handler: () => {
              const button = document.createElement('button');
              button.setAttribute('onclick', 'window.pwned=1');
              button.click();
            },
          };
          return Object.fromEntries(Object.entries(ways).map(([name, way]) => {
            try { way(); } catch (error) { return [name, error.name]; }
            return [name, window.pwned ? 'ran' : 'inert'];
          }));
        }"""
    )
    assert "ran" not in refused.values(), refused
    # Later, since what the test itself is running may evaluate text.
    page.run("() => { setTimeout(() => { (0, eval)('window.pwned=1'); }); }")
    page.run("new Promise((done) => setTimeout(done, 50))")
    assert page.run("window.pwned") is None
    assert page.said  # the browser tells of each refusal
    page.said.clear()


def test_long_words_do_not_widen_a_phone(show: Show, hostile_report: Path) -> None:
    page = show(hostile_report, size=PHONE)
    for case_id in ("rye", "yeast"):
        page.open_case(case_id)
        assert page.run("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0


def test_the_file_itself_holds_no_markup_from_outside(hostile_report: Path) -> None:
    text = hostile_report.read_text(encoding="utf-8")
    assert re.findall(r"<(script|style|meta|link|img|iframe|base|object)\b", text).count("img") == 1
    assert len(re.findall(r"<script\b", text)) == 1  # ours
    assert "window.pwned='script'</script>" not in text
    assert not re.search("[\u2028\u2029\u202a-\u202e\u2066-\u2069\u0085]", text)


def test_a_case_of_any_name_can_be_addressed(show: Show, tmp_path: Path) -> None:
    box = tiny(tmp_path / "project")
    names = ["a.b_c-D", "constructor", "proto", "100.0"]
    answers: dict[str, Any] = {}
    for name in names:
        box.write(f"golden/bread/{name}.gold.json", json.dumps({"id": name, **CASES["rye"]}))
        answers[name] = flawless(CASES["rye"])
    box.record("1.0", answers)
    box.record("1.1", answers)
    box.row3("--baseline", "-q", code=0)
    box.row3("report", "--out", "report.html", code=0)
    page = show(box.path("report.html"))
    for name in names:
        page.open_case(name)


def test_answers_of_megabytes_open_and_say_what_is_not_shown(show: Show, tmp_path: Path) -> None:
    box = tiny(tmp_path / "project")
    long = {"concepts": [{"label": "L" * 2_000_000, "sourceQuote": "s" * 2_000_000}], "relationships": []}
    answers: dict[str, Any] = {"rye": "\u202e</script>" * 300_000, "oven": long, "yeast": flawless(CASES["yeast"])}
    box.record("1.0", answers)
    box.record("1.1", answers)
    box.row3("--baseline", "-q", code=0)
    box.row3("report", "--out", "report.html", code=0)
    page = show(box.path("report.html"))
    for case_id in ("rye", "oven"):
        page.open_case(case_id)
        assert "more characters⟩" in page.text("#list details[name][open]")
        assert page.run("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
