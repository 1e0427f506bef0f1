"""Cases scored in a Ray cluster: what a process would give, whatever ends on the way."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from benchmarks.scale import small_cases
from row3.domain.prompts import Lineup
from row3.domain.scores import CaseScore
from row3.errors import EnvironmentFault, InvalidFile
from row3.project.cases import StoredCase
from row3.project.project import open_project, pick_suite
from row3.running.case_results import Packing
from row3.running.collect import collect, header_for
from row3.running.evaluate import Asking
from row3.running.execute import evaluate_all
from row3.running.processes import Executor, Work, in_order
from row3.running.run_options import RunOptions
from row3.running.session import incomplete
from tests.chat_server import FakeModel, FakeReply
from tests.clusters import NODE, new_cluster, of
from tests.monitored import record
from tests.projects import CASES, Box, first, flawless, wait_until
from tests.rows import every_row
from tests.systems.wanted import missing

pytestmark = [pytest.mark.slow, pytest.mark.ray]  # Ray comes with make test-all

SMALL = 1_000
Make = Callable[[Callable[[str, int], FakeReply]], FakeModel]


@pytest.fixture
def executor(cluster: Any) -> Iterator[Executor]:
    import ray

    from row3.running.ray_cluster import open_cluster

    yield open_cluster(cluster.address)
    ray.shutdown()


def work(
    do: Callable[[Any], Any], lost: Callable[[Any, str], Any] | None = None, seen: Callable[[], str] = str
) -> Work[Any, Any]:
    """Work of these functions, which goes to other processes by value, as they cannot import a test."""

    class Given(Work[Any, Any]):
        def __call__(self, task: Any) -> Any:
            return do(task)

        def lost(self, task: Any, why: str) -> Any:
            return super().lost(task, why) if lost is None else lost(task, why)

        def seen(self) -> str:
            return seen()

    return Given()


def same(one: Any, other: Any) -> None:
    """Two results are the same but for time and id."""
    for key in ("runId", "at"):
        one.pop(key, None)
        other.pop(key, None)
    assert one == other


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Box:
    return Box(small_cases(tmp_path_factory.mktemp("ray") / "small", SMALL, recordings=False))


SCORE = ("score", "small", "--outputs", "outputs", "--format", "json")


def test_every_node_scores_and_the_result_is_that_of_one_process(small: Box, cluster: Any) -> None:
    here = small.row3(*SCORE, "--jobs", "1", code=0).json
    there = small.row3(*SCORE, *of(cluster), code=0, fresh=True)
    assert len(there.json["cases"]) == SMALL
    assert there.err == ""
    same(there.json, here)


def test_cases_and_outputs_as_parquet(small: Box, cluster: Any) -> None:
    if find_spec("pyarrow") is None:
        missing("pyarrow, of the extra row3[scale]")
    import pyarrow
    from pyarrow.parquet import write_table

    box = small.copy(small.root.parent / "parquet")
    for lines in (*box.root.glob("golden/small/*.jsonl"), *box.root.glob("outputs/*.jsonl")):
        rows = [json.loads(line) for line in lines.read_text().splitlines()]
        write_table(pyarrow.Table.from_pylist(rows), lines.with_suffix(".parquet"))
        lines.unlink()
    there = box.row3(*SCORE, *of(cluster), code=0, fresh=True).json
    same(there, small.row3(*SCORE, code=0).json)


def test_results_that_the_nodes_write(small: Box, cluster: Any, tmp_path: Path) -> None:
    here = small.row3(*SCORE, "--jobs", "1", code=0).json
    url = f"file://{tmp_path}/shared"
    there = small.row3(*SCORE, "--results", url, *of(cluster), code=0, fresh=True)
    assert len(list(tmp_path.glob("shared/*/cases-*.parquet"))) == 4
    assert len(list(tmp_path.glob("shared/*/run.json"))) == 1
    same(there.json, here)
    lost = small.row3(*SCORE, "--results", "memory://x", *of(cluster), code=2, fresh=True)
    assert f"the workers wrote the results of {SMALL:,} cases, but here are those of 0. Choose a path" in lost.err


def test_a_cluster_of_the_commands_own(small: Box) -> None:
    done = small.row3(*SCORE, "--executor", "ray", "--jobs", "2", code=0, fresh=True)
    assert done.err == ""
    same(done.json, small.row3(*SCORE, code=0).json)


@every_row("command", [("--mode", "replay"), ("--mode", "replay", "--repeats", "1", "--prompt", "extract-v1.0")])
def test_replay(box: Box, cluster: Any, command: tuple[str, ...]) -> None:
    there = box.row3(*command, "--format", "json", *of(cluster), code=0, fresh=True).json
    same(there, box.row3(*command, "--format", "json", code=0).json)


def test_compare(box: Box, cluster: Any) -> None:
    box.row3("--baseline", code=0)
    box.prompt("1.2")
    box.record("1.2", {case_id: first(flawless(case), 2) for case_id, case in CASES.items()})
    here = box.row3("--compare", "--format", "json", code=1)
    there = box.row3("--compare", "--format", "json", *of(cluster), code=1, fresh=True)
    same(there.json, here.json)


def test_monitor_and_reviews(box: Box, cluster: Any) -> None:
    rye = {"topic": "rye", "sourceText": CASES["rye"]["sourceText"], "at": "2026-11-10T10:00:00Z"}
    lines = [record(f"r{number}", **rye, latencyMs=900 + number) for number in range(700)]
    lines += [{"id": f"r{number}", "feedback": 1 + number % 5} for number in range(0, 700, 2)]
    box.write("records.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    other = box.copy(box.root.parent / "other")
    there = box.row3("monitor", "ingest", "records.jsonl", *of(cluster), code=0, fresh=True)
    assert there.out == other.row3("monitor", "ingest", "records.jsonl", code=0).out
    for period in ("weekly", "monthly", "quarterly"):
        review = ("review", period, "--until", "2026-11-14", "--format", "json")
        here = other.row3(*review, code=0).out
        assert here == box.row3(*review, *of(cluster), code=0, fresh=True).out
        assert json.loads(here)["records"] > 0


def test_results_come_in_order_and_few_are_computed_ahead(executor: Executor, tmp_path: Path) -> None:
    folder = str(tmp_path)

    def do(task: int) -> tuple[int, int]:
        Path(folder, str(task)).touch()
        time.sleep(0.01 * (task % 3))
        return os.getpid(), task

    assert executor.workers == 3
    results = in_order(executor, work(do), range(1_000))
    begun = [next(results)]
    while len({pid for pid, _ in begun}) < 3:  # an actor that starts late takes part from then on
        begun.append(next(results))
    assert [task for _, task in begun] == list(range(len(begun)))
    time.sleep(1)
    assert len(list(tmp_path.iterdir())) <= len(begun) + 3 * executor.workers
    results.close()


def test_an_error_is_raised_in_its_turn_with_its_fields(executor: Executor) -> None:
    def do(task: int) -> int:
        if task == 4:
            raise InvalidFile("it is broken", where="golden/a", fix="Fix it")
        return task

    results = in_order(executor, work(do), range(40))
    assert [next(results) for _ in range(4)] == [0, 1, 2, 3]
    with pytest.raises(InvalidFile) as caught:
        next(results)
    assert (caught.value.what, caught.value.where, caught.value.fix) == ("it is broken", "golden/a", "Fix it")


def test_a_defect_arrives_with_its_traceback(executor: Executor) -> None:
    def do(task: int) -> int:
        return [0][task]

    with pytest.raises(RuntimeError, match=r"in do[^$]*IndexError"):
        list(in_order(executor, work(do), range(5)))


def test_a_task_cannot_be_cancelled_under_the_thread_that_settles_it(executor: Executor) -> None:
    with executor.open(work(str)) as submit:
        futures = [submit(number) for number in range(9)]
        assert not any(each.cancel() for each in futures)
        assert [each.result() for each in futures] == [*map(str, range(9))]


def test_a_worker_that_ends_costs_its_task_again_and_no_other(executor: Executor, tmp_path: Path) -> None:
    folder = str(tmp_path)

    def do(task: int) -> int:
        with Path(folder, str(task)).open("a") as file:
            file.write("x")
        if task in (3, 17) and Path(folder, str(task)).stat().st_size == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return task * task

    assert list(in_order(executor, work(do), range(30))) == [task * task for task in range(30)]
    times = {int(file.name): file.stat().st_size for file in tmp_path.iterdir()}
    again = {task for task, number in times.items() if number > 1}
    assert max(times.values()) == 2
    assert {3, 17} <= again
    assert len(again) <= 4  # a result that was on its way is lost with its worker


def test_a_node_that_is_killed(executor: Executor, cluster: Any) -> None:
    import ray

    node = cluster.add_node(**NODE)
    wait_until(lambda: sum(each["Alive"] for each in ray.nodes()) == 4)

    def do(task: int) -> tuple[str, int]:
        import ray

        time.sleep(0.2)
        return ray.get_runtime_context().get_node_id(), task

    from row3.running.ray_cluster import open_cluster

    results = in_order(open_cluster(cluster.address), work(do), range(200))
    found = []
    for each in results:
        found.append(each)
        if each[0] == node.node_id:
            cluster.remove_node(node, allow_graceful=False)
            break
    before = len(found)
    found += results
    assert [task for _, task in found] == list(range(200))
    assert before < 150
    assert node.node_id not in {name for name, _ in found[before + 30 :]}


def test_a_task_that_always_fails_names_its_cases_and_the_others_are_scored(
    small: Box, cluster: Any, executor: Executor, capsys: pytest.CaptureFixture[str]
) -> None:
    project = open_project(small.root)
    suite = pick_suite(project, "small")

    def evaluate(stored: StoredCase) -> CaseScore:
        if stored.id == "case-0000600":
            os.kill(os.getpid(), signal.SIGKILL)
        return CaseScore(stored.id, "scored", {"recall": 1.0})

    everything = evaluate_all(project.cases, evaluate, Packing(suite), bool, jobs=None, ray=cluster.address)
    found = list(everything)
    failed = [score for score in found if score.status == "failed"]
    assert [score.case_id for score in found] == [f"case-{number:07}" for number in range(SMALL)]
    assert [score.case_id for score in failed] == [f"case-{number:07}" for number in range(500, 750)]
    assert all(score.problem.startswith("3 workers ended during its task: ") and score.line for score in failed)
    none = Lineup((), {})
    run = collect(found, suite, none, header_for(suite, Asking(suite, none, {}), mode="outputs"), partial=False)
    told = incomplete(run, "and is not saved")
    assert (run.header.complete, len(run.failed), told.exit_code) == (False, 250, 3)
    assert "250 of 1,000 cases have no" in str(told)
    assert "3 workers ended" in str(told)
    time.sleep(1)
    assert capsys.readouterr() == ("", "")  # Ray itself would say there what died


def test_cases_that_failed_so_are_on_the_shared_path_too(
    small: Box, cluster: Any, executor: Executor, tmp_path: Path
) -> None:
    project = open_project(small.root)
    suite = pick_suite(project, "small")
    shared = RunOptions(results=str(tmp_path / "shared")).begun(suite, "run-1").shared
    assert shared is not None

    def evaluate(stored: StoredCase) -> CaseScore:
        if stored.id == "case-0000600":
            os.kill(os.getpid(), signal.SIGKILL)
        return CaseScore(stored.id, "scored", {"recall": 1.0})

    everything = evaluate_all(
        project.cases, evaluate, Packing(suite, shared=shared), bool, jobs=None, ray=cluster.address
    )
    assert not any(score.line for score in everything)
    assert shared.found(SMALL)
    status = {record["id"]: record["status"] for record in shared.folder.records()}
    assert list(status) == [f"case-{number:07}" for number in range(SMALL)]
    assert {number for number in range(SMALL) if status[f"case-{number:07}"] == "failed"} == {*range(500, 750)}


def test_a_task_without_such_a_result_is_an_error(executor: Executor) -> None:
    def do(task: int) -> int:
        if task == 2:
            os._exit(1)
        return task

    results = in_order(executor, work(do), range(10))
    assert [next(results), next(results)] == [0, 1]
    with pytest.raises(EnvironmentFault, match="3 workers ended during its task.*without --executor ray"):
        next(results)


def test_a_node_with_other_files_is_named(executor: Executor) -> None:
    with pytest.raises(EnvironmentFault, match=r"--ray-address: node \S+ has other golden cases. Give every node the"):
        list(in_order(executor, work(str, seen=lambda: str(os.getpid())), range(3)))


def test_a_node_without_the_files_is_named(executor: Executor) -> None:
    here = os.getpid()

    def seen() -> str:
        if os.getpid() != here:
            raise InvalidFile("the file does not exist", where="golden/a.jsonl")
        return ""

    with pytest.raises(EnvironmentFault, match=r"node \S+ does not see the project: golden/a.jsonl: the file does not"):
        list(in_order(executor, work(str, seen=seen), range(3)))


SLOW = """
import sys, time
from row3.errors import Row3Error
from row3.running.execute import cluster_at
from row3.running.processes import Work, in_order

class Slow(Work):
    def __call__(self, task):
        time.sleep(0.2)
        return task

try:
    for task in in_order(cluster_at(sys.argv[1]), Slow(), range(10_000)):
        print(task, flush=True)
except Row3Error as error:
    sys.stderr.write(str(error))
    sys.exit(error.exit_code)
"""


def test_nodes_without_row3_are_told(executor: Executor, monkeypatch: pytest.MonkeyPatch) -> None:
    only_here = ModuleType("only_here")
    exec("class CaseWorker:\n    def load(self, *_): pass\n    def do(self, task): pass", vars(only_here))
    monkeypatch.setitem(sys.modules, "only_here", only_here)
    monkeypatch.setattr("row3.running.ray_cluster.CaseWorker", only_here.CaseWorker)
    with pytest.raises(EnvironmentFault, match=r"no worker starts: ModuleNotFoundError: No module named 'only_here'"):
        list(in_order(executor, work(str), range(3)))


def test_a_head_that_goes_ends_the_command_with_the_cure(small: Box, cluster: Any) -> None:
    other = new_cluster()
    command = [sys.executable, "-c", SLOW, other.address]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=small.env) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        if process.stdout.readline() != b"0\n":
            pytest.fail(process.stderr.read().decode())
        other.head_node.kill_all_processes(check_alive=False, allow_graceful=False)
        said = process.stderr.read().decode()
    assert process.returncode == 3
    assert f"the Ray cluster at {other.address} does not answer" in said
    assert "Start it (`ray start --head`), then run the same command again." in said


@every_row("address", ["nonsense", "127.0.0.1:x", "127.0.0.1:99999999", ":6379"])
def test_no_address(box: Box, address: str) -> None:
    done = box.row3("--executor", "ray", "--ray-address", address, code=2, fresh=True)
    said = f"error: --ray-address: `{address}` is no address. Write HOST:PORT, as `ray start --head` prints it.\n"
    assert done.err == said


@every_row("address", ["127.0.0.1:1", "nowhere.invalid:6379"])
def test_no_cluster_there(box: Box, cluster: Any, address: str) -> None:
    done = box.row3("--executor", "ray", "--ray-address", address, code=3, fresh=True)
    assert done.err.startswith(f"error: --ray-address: the Ray cluster at {address} does not answer (")


def test_another_service_is_no_head(box: Box, model: Make, cluster: Any) -> None:
    address = model(lambda case_id, times: FakeReply("")).url.split("/")[2]
    done = box.row3("--executor", "ray", "--ray-address", address, code=3, fresh=True)
    assert f"cluster at {address} does not answer (what answers there is not the head of a Ray cluster)" in done.err


def test_without_ray_the_message_says_what_to_install(box: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    done = box.row3("--executor", "ray", code=2)
    assert done.err == "error: --executor ray needs Ray. pip install 'row3[ray]'.\n"


def test_an_address_needs_the_executor(box: Box) -> None:
    assert "Add --executor ray" in box.row3("--ray-address", "127.0.0.1:1", code=2).err
