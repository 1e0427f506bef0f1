"""A table whose rows are one test: for checks so cheap that a test for each row would cost more than the check."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

Test = Callable[..., None]


def every_row(names: str | tuple[str, ...], rows: Iterable[Any]) -> Callable[[Test], Test]:
    """Call the test with every row, as `pytest.mark.parametrize` would, and report all rows that fail.

    Fixtures are shared by the rows, but each has its own folder as `tmp_path`.
    """
    given = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    table = [(row,) if len(given) == 1 else tuple(row) for row in rows]
    assert table, "a table without rows checks nothing"

    def loop(test: Test) -> Test:
        @functools.wraps(test)
        def checked(*args: Any, **fixtures: Any) -> None:
            failed = []
            for number, row in enumerate(table):
                own = {}
                if "tmp_path" in fixtures:
                    own["tmp_path"] = fixtures["tmp_path"] / f"row-{number}"
                    own["tmp_path"].mkdir()
                try:
                    test(*args, **(fixtures | own), **dict(zip(given, row, strict=True)))
                except Exception as fault:
                    fault.add_note(f"in the row {row!r}")
                    failed.append(fault)
            if failed:
                raise ExceptionGroup(f"{len(failed)} of {len(table)} rows fail", failed)

        signature = inspect.signature(test)
        assert set(given) <= signature.parameters.keys(), "a row names what the test does not take"
        rest = [taken for name, taken in signature.parameters.items() if name not in given]
        checked.__signature__ = signature.replace(parameters=rest)  # type: ignore[attr-defined]
        return checked

    return loop
