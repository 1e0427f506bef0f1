from __future__ import annotations

import subprocess
import sys

import pytest

from row3.errors import InvalidFile
from row3.kinds import all_kinds, kind_named

KINDS = all_kinds()


@pytest.mark.parametrize("name", sorted(KINDS))
def test_kinds_are_found_by_their_own_name(name: str) -> None:
    kind = kind_named(name, where="row3.toml")
    assert kind.name == name


@pytest.mark.parametrize("name", sorted(KINDS))
def test_every_kind_ends_its_headline_metrics_with_the_composite(name: str) -> None:
    headline = [metric.key for metric in KINDS[name].metrics if not metric.companion]
    assert headline[-1] == KINDS[name].primary
    assert len({metric.key for metric in KINDS[name].metrics}) == len(KINDS[name].metrics)


def test_a_run_imports_no_kind_but_its_own() -> None:
    code = "import sys, row3.kinds as k; k.kind_named('extraction', where=''); print('row3.kinds.graph' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "False"


def test_an_unknown_kind_is_an_error_that_lists_the_known_ones() -> None:
    with pytest.raises(InvalidFile, match=r"row3\.toml: unknown kind `extractoin`\. Kinds: .*extraction"):
        kind_named("extractoin", where="row3.toml")
