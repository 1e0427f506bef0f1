"""The pytest plugin: options and fixtures. `--row3` imports the collection of golden cases."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from row3.pytest_plugin.score_case import CaseScorecard, GoldenCaseView, SuiteScorer

MARKERS = (
    "row3_case: a golden case of row3, collected with --row3",
    "row3_gate: the verdict on a suite of row3, collected with --row3",
    "row3_suite(name): the suite whose golden cases the fixture row3_case iterates over",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options; without `--row3` the others do nothing."""
    group = parser.getgroup("row3", "row3: golden cases as tests")
    group.addoption("--row3", action="store_true", help="Collect golden cases and the gate of their suites as tests.")
    group.addoption(
        "--row3-against", metavar="REF", help="Judge by the baseline, cases and thresholds at this git ref."
    )
    group.addoption(
        "--row3-mode",
        choices=("replay", "live", "record", "auto"),
        help="Where answers come from; default: row3.toml's, else auto.",
    )
    group.addoption("--row3-model", metavar="NAME", help="The model; overrides row3.toml and the prompt.")
    group.addoption(
        "--row3-prompt",
        metavar="NAME-vX.Y",
        action="append",
        default=[],
        help="Use this version of a prompt in the pipeline; may be repeated.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the markers and, with `--row3`, the plugins that collect and report."""
    for line in MARKERS:
        config.addinivalue_line("markers", line)
    if config.getoption("row3"):
        from row3.pytest_plugin.collecting import CollectPlugin
        from row3.pytest_plugin.items import ReportPlugin

        config.pluginmanager.register(CollectPlugin(config), "row3-collect")
        config.pluginmanager.register(ReportPlugin(), "row3-report")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrize `row3_case` with the cases of the suite named by `@pytest.mark.row3_suite`, or the default one."""
    if "row3_case" not in metafunc.fixturenames:
        return
    from row3.pytest_plugin.score_case import nearest_suite

    marker = metafunc.definition.get_closest_marker("row3_suite")
    suite = nearest_suite(metafunc.definition.path, metafunc.config.rootpath, marker.args[0] if marker else None)
    metafunc.parametrize("row3_case", suite.cases, ids=[case.id for case in suite.cases])


@pytest.fixture
def row3_suite(request: pytest.FixtureRequest) -> Callable[..., SuiteScorer]:
    """`row3_suite(name=None)` returns a suite of the project around the test's file, else around pytest's root folder.

    It has golden `cases` (each with `id` and `input`) and `score(case_id, output)`.
    """
    from row3.pytest_plugin.score_case import nearest_suite

    def pick(name: str | None = None) -> SuiteScorer:
        return nearest_suite(request.path, request.config.rootpath, name)

    return pick


@pytest.fixture
def row3_score(row3_suite: Callable[..., SuiteScorer]) -> Callable[..., CaseScorecard]:
    """`row3_score(suite, case_id, output)` scores your own system's output by a golden case.

    Compares with the suite's baseline, if it has one. `suite` may be None for the project's only or default one.
    `row3_score(row3_case, output)` takes a case instead of suite and id.
    """

    def score(suite: str | GoldenCaseView | None, *rest: Any) -> CaseScorecard:
        if suite is not None and not isinstance(suite, str):
            (output,) = rest
            return suite.score(output)
        case_id, output = rest
        return row3_suite(suite).score(case_id, output)

    return score
