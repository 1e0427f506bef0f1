"""The pytest plugin: its options and fixtures. What collects golden cases is imported with `--row3` only."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from row3.pytest_plugin.suites import GoldenCaseView, SuiteScorer
    from row3.workflows.score_case import CaseScorecard

MARKERS = (
    "row3_case: a golden case of row3, collected with --row3",
    "row3_gate: the verdict on a suite of row3, collected with --row3",
    "row3_suite(name): the suite whose golden cases the fixture row3_case goes through",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options; without `--row3` the others do nothing."""
    group = parser.getgroup("row3", "row3: golden cases as tests")
    group.addoption("--row3", action="store_true", help="Collect golden cases and the gate of their suites as tests.")
    group.addoption(
        "--row3-against", metavar="REF", help="Judge by the baseline, cases and thresholds of this git ref."
    )
    group.addoption(
        "--row3-mode",
        choices=("replay", "live", "record", "auto"),
        help="Where answers come from; default: row3.toml's, else auto.",
    )
    group.addoption("--row3-model", metavar="NAME", help="The model, before row3.toml and the prompt.")
    group.addoption(
        "--row3-prompt",
        metavar="NAME-vX.Y",
        action="append",
        default=[],
        help="Run this version in its place in the pipeline.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Name the markers; with `--row3` load what collects."""
    for line in MARKERS:
        config.addinivalue_line("markers", line)
    if config.getoption("row3"):
        from row3.pytest_plugin.collecting import Collecting
        from row3.pytest_plugin.items import Showing

        config.pluginmanager.register(Collecting(config), "row3-collecting")
        config.pluginmanager.register(Showing(), "row3-showing")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test for each golden case of the suite that `@pytest.mark.row3_suite` names, or of the only one."""
    if "row3_case" not in metafunc.fixturenames:
        return
    from row3.pytest_plugin.suites import suite_beside

    marker = metafunc.definition.get_closest_marker("row3_suite")
    suite = suite_beside(metafunc.definition.path, metafunc.config.rootpath, marker.args[0] if marker else None)
    metafunc.parametrize("row3_case", suite.cases, ids=[case.id for case in suite.cases])


@pytest.fixture
def row3_suite(request: pytest.FixtureRequest) -> Callable[..., SuiteScorer]:
    """`row3_suite(name=None)`: a suite of the project around the test's file, else of pytest's root folder.

    Gives its golden `cases` (each with `id` and `input`) and `score(case_id, output)`.
    """
    from row3.pytest_plugin.suites import suite_beside

    def pick(name: str | None = None) -> SuiteScorer:
        return suite_beside(request.path, request.config.rootpath, name)

    return pick


@pytest.fixture
def row3_score(row3_suite: Callable[..., SuiteScorer]) -> Callable[..., CaseScorecard]:
    """`row3_score(suite, case_id, output)`: the output of your own system, scored by a golden case.

    Compared with the suite's baseline where there is one. `suite` may be None for the project's only or default one;
    in place of a suite's name and an id, a case of `row3_case` does: `row3_score(row3_case, output)`.
    """

    def score(suite: str | GoldenCaseView | None, *rest: Any) -> CaseScorecard:
        if suite is not None and not isinstance(suite, str):
            (output,) = rest
            return suite.score(output)
        case_id, output = rest
        return row3_suite(suite).score(case_id, output)

    return score
