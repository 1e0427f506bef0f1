"""The pages say what the program does: commands, options, keys, rules; and their links lead somewhere."""

from __future__ import annotations

import ast
import importlib.util
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

import click

from row3.domain.endpoints import PRESETS
from row3.domain.models import keys_of, models_in
from row3.kinds import all_kinds
from row3.kinds.cases import MemoryCase
from row3.kinds.entities import ExpectedEntity
from row3.kinds.events.model import EventsCase
from row3.kinds.extraction.lint import SIZES
from row3.kinds.extraction.model import GoldenCase
from row3.kinds.extraction.score import METRICS
from row3.project.config import Config
from tests.rows import every_row

KINDS = all_kinds()

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
FENCED = re.compile(r"^(```|~~~).*?^\1[ \t]*$", re.MULTILINE | re.DOTALL)
INLINE_CODE = re.compile(r"`[^`\n]*`")


def read(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def load_commands() -> ModuleType:
    spec = importlib.util.spec_from_file_location("row3_docs_commands", DOCS / "_commands.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


COMMANDS = load_commands()


def markdown_files() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    if listed.returncode == 0:
        names = [name for name in listed.stdout.decode("utf-8").split("\0") if name]
        return sorted(path for name in names if (path := ROOT / name).is_file())
    return sorted(path for folder in ("docs", "prompts", "examples") for path in (ROOT / folder).rglob("*.md"))


def anchors(text: str) -> set[str]:
    """The anchors that a page's headings get."""
    found: set[str] = set()
    for heading in re.findall(r"^#{1,6}[ \t]+(.+?)[ \t]*$", FENCED.sub("", text), re.MULTILINE):
        kept = re.sub(r"[^\w\- ]", "", heading.lower())
        found.add(kept.replace(" ", "-"))
    return found


def test_the_command_reference_is_what_the_script_prints() -> None:
    assert read("commands.md") == COMMANDS.page(), "run: python docs/_commands.py > docs/commands.md"


@every_row("path", markdown_files())
def test_relative_links_lead_somewhere(path: Path) -> None:
    text = INLINE_CODE.sub("", FENCED.sub("", path.read_text(encoding="utf-8")))
    broken = []
    for target in LINK.findall(text):
        if re.match(r"[a-z][a-z0-9+.-]*:", target):
            continue
        name, _, anchor = target.partition("#")
        there = (path.parent / name).resolve() if name else path
        if not there.exists() or (
            anchor and there.suffix == ".md" and anchor not in anchors(there.read_text(encoding="utf-8"))
        ):
            broken.append(target)
    assert not broken


def test_the_table_of_contents_lists_every_page() -> None:
    contents = read("README.md")
    pages = sorted(page.name for page in DOCS.glob("*.md") if page.name != "README.md")
    assert not [name for name in pages if f"({name})" not in contents], "list it in docs/README.md"


@every_row(("name", "command"), COMMANDS.commands())
def test_every_option_of_a_command_is_documented(name: str, command: click.Command) -> None:
    commands, _, rest = read("commands.md").partition("\n## ")
    item = next((text for text in commands.split("\n- ") if re.match(rf"`{name}[ `]", text)), "")
    for option in command.params:
        if not isinstance(option, click.Option):
            continue
        assert option.help, f"{name} {option.opts}: no help"
        own = option in COMMANDS.own_options(command)
        section = item if own else rest
        for spelling in (*option.opts, *option.secondary_opts):
            assert re.search(rf"(?m)(^|[ `]){re.escape(spelling)}(?![\w-])", section), f"{name} {spelling}"


def lint_rules() -> set[str]:
    """Return the ids of all lint rules in the source of kind `extraction`, and of its size rules."""
    tree = ast.parse((ROOT / "row3/kinds/extraction/lint.py").read_text(encoding="utf-8"))
    rules = {f"{many.replace(' ', '-')}-count" for many in SIZES}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
            first = node.args[0]
            if node.func.id in ("lint_error", "lint_warning", "_standard") and isinstance(first, ast.Constant):
                rules.add(str(first.value))
    return rules


def project_lint_rules() -> set[str]:
    """Ids that `row3 lint` itself gives, to files rather than to cases."""
    rules: set[str] = set()
    for path in lint_modules():
        source = path.read_text(encoding="utf-8")
        rules |= set(re.findall(r'(?<!\[)"(?:error|warning)",\s*"([a-z-]+)"', source))
    return rules


def lint_modules() -> list[Path]:
    return sorted((ROOT / "row3/commands/linting").glob("*.py"))


def test_every_lint_rule_is_documented() -> None:
    rules = lint_rules()
    assert {"not-in-text", "words-count", "forbidden-relationships-count", "case-count"} <= rules
    assert {"unused-prompt", "id-twice", "empty-suite"} <= project_lint_rules()
    page = read("golden-cases.md")
    assert not [rule for rule in sorted(rules | project_lint_rules()) if f"`{rule}`" not in page]


def test_no_documented_lint_rule_is_gone() -> None:
    page = read("golden-cases.md").partition("\n### Rules for a case\n")[2]
    first_cells = re.findall(r"^\| ((?:`[a-z-]+`(?:, )?)+)(?: \*w\*)? \|", page, re.MULTILINE)
    documented = {rule for cell in first_cells for rule in re.findall(r"`([a-z-]+)`", cell)}
    source = "".join(path.read_text(encoding="utf-8") for path in lint_modules())
    known = lint_rules() | project_lint_rules()
    assert not [rule for rule in sorted(documented) if rule not in known and f'"{rule}"' not in source]


def keys(model: Any, seen: set[Any] | None = None) -> Iterator[str]:
    """The keys of a model and of all models inside it, as files spell them."""
    seen = set() if seen is None else seen
    if model in seen:
        return
    seen.add(model)
    for key, field in keys_of(model).items():
        yield key
        for inner in all_models_in(field.annotation):
            yield from keys(inner, seen)


def all_models_in(annotation: Any) -> Iterator[Any]:
    yield from models_in(annotation)
    for part in get_args(annotation):
        yield from all_models_in(part)


@every_row(("page", "model"), [("configuration.md", Config), ("golden-cases.md", GoldenCase)])
def test_every_key_is_documented(page: str, model: Any) -> None:
    text = read(page)
    assert not [key for key in keys(model) if f"`{key}`" not in text]


def test_every_metric_is_documented() -> None:
    page = read("scoring.md")
    assert not [metric.key for metric in METRICS if f"| `{metric.key}` |" not in page]


MEMORY_KINDS = ("events", "entities", "retrieval", "graph")


@every_row("name", MEMORY_KINDS)
def test_every_key_of_a_kind_is_documented_in_its_section(name: str) -> None:
    section = read("kinds.md").split(f"\n## {name}\n")[1].split("\n## ")[0]
    elsewhere = {*keys(MemoryCase)} | {"events": {*keys(ExpectedEntity)}, "entities": {*keys(EventsCase)}}.get(
        name, set()
    )
    own = [*ExpectedEntity.model_fields] if name == "entities" else []
    wanted = [*own, *(key for key in keys(KINDS[name].case_model) if key not in elsewhere)]
    assert not [key for key in wanted if key != "note" and f"`{key}`" not in section]
    assert not [metric.key for metric in KINDS[name].metrics if f"`{metric.key}`" not in section]


@every_row("name", MEMORY_KINDS)
def test_the_documented_zones_of_a_kind_are_the_defaults(name: str) -> None:
    section = read("kinds.md").split(f"\n## {name}\n")[1].split("\n## ")[0]
    for metric in KINDS[name].metrics:
        if metric.threshold is None:
            continue
        limits = metric.threshold
        row = next(line for line in section.split("\n") if re.match(rf"\| \*{{0,2}}`{metric.key}`", line))
        cells = re.findall(r"(?:\d+(?:\.\d+)?|–)(?=[,;]| \||$)", row.split(" | ")[-1])[:3]
        nothing = 0.0 if metric.higher_is_better else 1.0
        assert [nothing if cell == "–" else float(cell) for cell in cells] == [
            limits.minimum,
            limits.target,
            limits.excellent,
        ], row
        assert ("blocks" in row) == (metric.blocking and not metric.companion)
        assert ("warns" in row) == (not metric.blocking and limits.minimum != nothing)


def test_the_documented_thresholds_are_the_defaults() -> None:
    page = read("configuration.md")
    for metric in METRICS:
        if metric.threshold is not None:
            limits = metric.threshold
            row = re.search(rf"^\| `{metric.key}` \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$", page, re.MULTILINE)
            assert row is not None, metric.key
            assert [float(cell) for cell in row.groups()] == [limits.minimum, limits.target, limits.excellent]


def test_every_preset_is_documented() -> None:
    page = read("providers.md")
    for name, endpoint in PRESETS.items():
        row = next((line for line in page.split("\n") if line.startswith(f"| `{name}` |")), "")
        assert row, name
        assert endpoint.key_variable is None or f"`{endpoint.key_variable}`" in row


@every_row("path", sorted(DOCS.rglob("*.md")))
def test_pages_name_no_folder_of_a_machine(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"(?<![\w.])/(?:tmp|home|root|work|Users)/", text)
