"""What strictcall's proxy costs, against no proxy, nginx and LiteLLM, in front of the same simulated model server.

    python -m bench.proxy                        some minutes; nginx from the system, LiteLLM from PyPI on first use
    python -m bench.proxy --quick                one round: two minutes, rough figures
    python -m bench.proxy --contenders nginx,strictcall
    python -m bench.proxy --many                 1000 streams at once through strictcall: is every byte there?

The upstream writes one event per TCP write, a delta of four characters each. Contenders take turns within every round,
so a noisy machine is noisy for all of them: trust the ratios, not the figures. Every answer is compared with what was
sent. An "event" is one that the upstream sent: who says more or fewer of them is not cheaper or dearer for it.
"""

import argparse
import contextlib
import json
import multiprocessing
import platform
import resource
import signal
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from bench import load, processes, report, upstream
from bench.answers import Answer, Kind
from bench.contenders import CONTENDERS, Contender, Missing, Running, running
from bench.load import Job, Measured
from bench.report import DIRECT, Row

ROUNDS = 5
SLOW_ROUNDS = 1  # of who takes a hundred times as long as the others
MANY = 1000


@dataclass(frozen=True, slots=True)
class Phase:
    """One thing that is measured."""

    streams: int
    size: int
    small: int  # the same for one who takes a millisecond an event
    kind: Kind = "text"
    requests: int = 1
    few: int = 1  # the requests of such a one
    paced: bool = False
    tools: bool = True

    def job(self, of: Running, *, small: bool) -> Job:
        """The work for one contender."""
        answer = Answer(self.kind, self.small if small else self.size, paced=self.paced)
        requests = self.few if small else self.requests
        return Job(of.port, (answer,), self.streams, requests, self.tools, of.contender.rewrites, of.pids)


PHASES = {
    "first": Phase(streams=1, size=1, small=1, requests=200, few=40),
    "1": Phase(streams=1, size=30_000, small=3_000),
    "50": Phase(streams=50, size=2_000, small=200),
    "200": Phase(streams=200, size=500, small=100),
    "paced": Phase(streams=50, size=100, small=40, paced=True),
    "no tools": Phase(streams=50, size=2_000, small=200, tools=False),
    "calls": Phase(streams=50, size=2_048, small=512, kind="calls"),
    "short": Phase(streams=50, size=1, small=1, requests=40, few=3),
}


def main() -> None:
    options = arguments()
    allow_many_files()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))  # and stop what was started
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        port = stack.enter_context(simulated())
        client = stack.enter_context(ProcessPoolExecutor(1, multiprocessing.get_context("spawn")))

        def run(job: Job) -> Measured:
            return client.submit(load.run, job).result()

        started = list(start(chosen(options), stack, Path(folder), port))
        if options.many:
            wrong = [one.name for one in started if not many(one, run)]
            sys.exit(1 if wrong or not started else 0)
        here = Contender(DIRECT, lambda *_: [], "/", str)
        compare([Running(here, port, (), 0.0), *started], run, options)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.proxy", description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"how often everything is measured ({ROUNDS})")
    parser.add_argument("--quick", dest="rounds", action="store_const", const=1, help="the same as --rounds 1")
    parser.add_argument("--contenders", default="", help=f"those whose names begin so: {', '.join(CONTENDERS)}")
    parser.add_argument("--json", action="store_true", help="the figures as JSON")
    parser.add_argument("--many", action="store_true", help=f"{MANY} paced streams at once through strictcall")
    return parser.parse_args()


def allow_many_files() -> None:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


@contextlib.contextmanager
def simulated() -> Iterator[int]:
    """The simulated upstream in a process of its own; its port."""
    with socket.create_server(("127.0.0.1", 0), backlog=4096) as server:
        process = multiprocessing.get_context("spawn").Process(target=upstream.serve, args=(server,), daemon=True)
        process.start()
        try:
            yield server.getsockname()[1]
        finally:
            process.terminate()
            process.join()


def chosen(options: argparse.Namespace) -> list[Contender]:
    names = tuple(options.contenders.split(","))
    return [one for one in CONTENDERS.values() if one.name.startswith(names) and (one.rewrites or not options.many)]


def start(wanted: list[Contender], stack: contextlib.ExitStack, folder: Path, port: int) -> Iterator[Running]:
    """Start those that can be had; say what to do about the others."""
    for one in wanted:
        try:
            say(f"{one.name}: {one.version()}")
            yield stack.enter_context(running(one, folder / one.name.replace(" ", "-"), port))
        except Missing as missing:
            say(f"{one.name} is left out: {missing}")


def compare(contenders: list[Running], run: Callable[[Job], Measured], options: argparse.Namespace) -> None:
    """Measure all, round by round, and print the tables."""
    found: dict[str, dict[str, list[Measured]]] = {one.name: {phase: [] for phase in PHASES} for one in contenders}
    for one in contenders:
        for name in ("50", "calls"):  # once before it counts: imports, caches, connections
            run(PHASES[name].job(one, small=True))
    for number in range(options.rounds):
        say(f"round {number + 1} of {options.rounds}")
        for name, phase in PHASES.items():
            for one in contenders:
                if number < SLOW_ROUNDS or not one.contender.slow:
                    measured = run(phase.job(one, small=one.contender.slow))
                    found[one.name][name].append(measured)
                    complain(one, name, measured)
    rows = [Row(one.name, found[one.name], memory(one)) for one in contenders]
    figures = report.figures(rows)
    if options.json:
        print(json.dumps({"machine": machine(), "figures": figures}, indent=1, ensure_ascii=False))
    else:
        print(machine())
        report.show(figures)
    sys.exit(1 if any(one["wrong"] for one in figures.values()) else 0)


def memory(one: Running) -> tuple[float, float] | None:
    return (one.resident_mb, processes.resident_mb(one.pids)) if one.pids else None


def machine() -> str:
    return f"{multiprocessing.cpu_count()} cores, Linux {platform.release()}, Python {platform.python_version()}"


def complain(one: Running, phase: str, measured: Measured) -> None:
    if measured.wrong:
        count = f"{len(measured.wrong)} of {measured.requests}"
        say(f"{one.name}, {phase}: {count} answers are wrong, the first: {measured.wrong[0]}")


def many(one: Running, run: Callable[[Job], Measured]) -> bool:
    """Hold a thousand paced streams at once, a quarter of them with a call; say what came of them."""
    text, call = Answer("text", 250, paced=True), Answer("calls", 800, paced=True)
    measured = run(Job(one.port, (text, text, text, call), MANY, rewritten=True, pids=one.pids))
    complain(one, "many", measured)
    print(
        f"{one.name}: {measured.requests} streams at once, {measured.events} events in {measured.seconds:.1f} s; "
        f"{measured.requests - len(measured.wrong)} complete, in order and byte-exact, {len(measured.wrong)} wrong; "
        f"CPU {measured.cpu:.1f} s, resident {processes.resident_mb(one.pids):.0f} MB"
    )
    return not measured.wrong


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
