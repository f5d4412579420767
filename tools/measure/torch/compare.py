#!/usr/bin/python3
"""Compares Tengen with PyTorch on one thread: inference and training.

Both worker processes stay loaded and alternate, one burst each, so that other load on
the machine affects both alike. It prints medians over the bursts: positions per second of
wall clock and of user CPU time, and the median of the ratios of neighbouring bursts.
See README.md.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
CASES = [
    # name, what Tengen runs, what PyTorch runs (the fastest counts), blocks, filters, batch
    ("inference 8×128, batch 32", "infer", ["infer"], 8, 128, 32),
    ("inference 2×32, batch 32", "infer", ["infer"], 2, 32, 32),
    ("training 8×128, batch 256", "train", ["train", "train-channels-last"], 8, 128, 256),
    ("training 2×32, batch 256", "train", ["train", "train-channels-last"], 2, 32, 256),
]
CLOCKS = {"wall": "wall clock", "user": "user CPU time"}


class Side:
    """A worker process, which works for as long as each request says."""

    def __init__(self, command):
        environment = dict(os.environ, GOMAXPROCS="1", OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
        self.process = subprocess.Popen(
            [str(c) for c in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
        self.bursts = []
        if self.line() != "ready":
            raise SystemExit(f"{command[0]} did not start")

    def line(self):
        text = self.process.stdout.readline()
        if not text:
            raise SystemExit(f"a worker exited with status {self.process.wait()}")
        return text.strip()

    def burst(self, seconds):
        self.process.stdin.write(f"{seconds}\n")
        self.process.stdin.flush()
        self.bursts.append(json.loads(self.line()))

    def rates(self, clock):
        # User time may have a coarse clock: a burst shorter than a tick would divide by zero.
        return [b["positions"] / max(b[clock], 1e-3) for b in self.bursts]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def measure(case, tengen, python, seconds, rounds):
    name, ours, theirs, *shape = case
    sides = {"tengen": Side([tengen, ours, *shape])}
    for kind in theirs:
        sides[f"torch {kind}"] = Side([python, HERE / "torch_worker.py", kind, *shape])
    for _ in range(rounds):
        for side in sides.values():
            side.burst(seconds)
    result = {"case": name, "bursts": rounds, "seconds": seconds, "sides": {}, "ratios": {}}
    for label, side in sides.items():
        side.close()
        result["sides"][label] = {
            **{f"positions_per_second_{clock}": statistics.median(side.rates(clock)) for clock in CLOCKS},
            "memory_bytes": max(b["memory"] for b in side.bursts),
        }
    for clock in CLOCKS:
        mine = sides["tengen"].rates(clock)
        result["ratios"][clock] = min(  # against the fastest way of PyTorch
            statistics.median(a / b for a, b in zip(mine, side.rates(clock)))
            for label, side in sides.items() if label != "tengen")
    return result


def show(result):
    print(f"{result['case']}, {result['bursts']} bursts of {result['seconds']:g} s each")
    for label, side in result["sides"].items():
        wall, user = (f"{side[f'positions_per_second_{clock}']:,.0f}" for clock in CLOCKS)
        print(f"  {label:<28} {wall:>9} positions/s of wall clock, {user:>9} of user CPU time, {side['memory_bytes'] >> 20:>5} MiB")
    print("  tengen ÷ the fastest other   " + ", ".join(f"{r:.2f} by {CLOCKS[clock]}" for clock, r in result["ratios"].items()), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=1, help="length of a burst (at least one batch)")
    parser.add_argument("--rounds", type=int, default=7, help="bursts of each side")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--python", default="/usr/bin/python3", help="a Python that has torch")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    cases = [c for c in CASES if options.only in c[0]]
    if not cases:
        parser.error(f"--only {options.only}: no case is called so; there are " + "; ".join(c[0] for c in CASES))
    if subprocess.run([options.python, "-c", "import torch"], stderr=subprocess.DEVNULL).returncode != 0:
        sys.exit(f"{options.python} has no torch: apt-get install python3-torch, or name another with --python")
    with tempfile.TemporaryDirectory() as folder:
        worker = pathlib.Path(folder, "worker")
        subprocess.run(["go", "build", "-o", worker, "./tools/measure"], cwd=HERE.parents[2], check=True)
        results = []
        for case in cases:
            results.append(measure(case, worker, options.python, options.seconds, options.rounds))
            if not options.json:
                show(results[-1])
    if options.json:
        print(json.dumps(results, indent=2))


main()
