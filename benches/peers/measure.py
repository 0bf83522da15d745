#!/usr/bin/env python3
"""Runs the engines in turn, pools what they print and shows ours next to the peers'. Called by `run`.

Every engine prints JSON lines {bench, engine, version, model, fn, unit, samples, ...}. Engines take turns within
a round and rounds repeat, so that load on the machine falls on all alike. To add a peer or a bench, add
an Entry to `entries` below; the report finds its lines by bench, model and fn.
"""
import argparse
import json
import pathlib
import platform
import statistics
import subprocess
import sys
from dataclasses import dataclass, field

OURS = "stuntlab"
YARDSTICK = "Pinocchio"
FIGURES = ["humanoid37", "bones36", "chain_8", "chain_32", "chain_128", "chain_512"]
FUNCTIONS = ["FK", "RNEA", "CRBA", "ABA"]

# Ratio of our median to the yardstick's: at most, and aimed at. None = no mark set for these models.
MARKS = {"FK": (1.00, 0.70), "RNEA": (0.80, 0.60), "CRBA": (0.60, 0.50), "ABA": (0.60, 0.45)}
ABA_MARKED = {"humanoid37", "bones36"}
LINEAR_MARK = (4.4, 4.1)  # our ABA of chain_512 over chain_128
# The same for steps: which peer counts, and the factor on its median. "*" is the fastest one that never broke.
STEP_MARKS = {"ragdoll": ("MuJoCo (Newton, implicitfast)", 0.3), "game": ("*", 0.3), "batch": ("MuJoCo (Newton, implicitfast)", 4.0)}
GAME_FRAME_MS = 1.0


@dataclass
class Entry:
    """One engine's part in a bench: a command, and whether every round runs it or only the first."""
    bench: str
    engine: str
    command: list
    every_round: bool = True


@dataclass
class Series:
    """All samples of one engine at one task, with the last facts it told."""
    unit: str
    version: str
    samples: list = field(default_factory=list)
    facts: dict = field(default_factory=dict)

    @property
    def median(self):
        return statistics.median(self.samples)

    @property
    def best(self):
        return max(self.samples) if self.unit.endswith("/s") else min(self.samples)


def entries(args, figures):
    build, trees, quick = args.build, str(args.trees), args.quick
    # Native bench programs: blocks and milliseconds per block.
    effort = ["4", "1"] if quick else ["6", "4"]
    rapier = str(build / "cargo/release/peer-rapier")
    out = []
    if "dynamics" in args.bench:
        out += [
            Entry("dynamics", YARDSTICK, [str(build / "pinocchio"), trees, *effort, *figures]),
            Entry("dynamics", "MuJoCo", [str(build / "mujoco"), "dynamics", trees, *effort, *figures]),
            # Its multibody steps take milliseconds for long chains: the two humanoids tell enough.
            Entry("dynamics", "Rapier", [rapier, "dynamics", trees, "3", "2", *[f for f in figures if "chain" not in f]]),
            ours(args, "dynamics", "dynamics_times", []),
        ]
    if "ragdoll" in args.bench:
        repeats = "1" if quick else "3"
        out += [
            Entry("ragdoll", "MuJoCo", [str(build / "mujoco"), "ragdoll", trees, repeats]),
            Entry("ragdoll", "Rapier", [rapier, "ragdoll", trees, "1"], every_round=False),
            bullet(args, "ragdoll", ["ragdoll", trees, repeats]),
            ours(args, "ragdoll", "step_times", ["ragdoll"]),
        ]
    if "game" in args.bench and (args.trees / "game_scene.xml").exists():
        runs = "1" if quick else "8"
        out += [
            Entry("game", "MuJoCo", [str(build / "mujoco"), "game", trees, runs], every_round=False),
            Entry("game", "Rapier", [rapier, "game", trees, runs, "4" if quick else "30"], every_round=False),
            bullet(args, "game", ["game", trees, "30" if quick else "120"], every_round=False),
            ours(args, "game", "step_times", ["game"], every_round=False),
        ]
    if "batch" in args.bench:
        worlds = ["1", "64"] if quick else ["1", "64", "1024"]
        out += [
            Entry("batch", "MuJoCo", [str(build / "mujoco"), "batch", trees, "1", *worlds]),
            Entry("batch", "Rapier", [rapier, "batch", trees, "1", *worlds], every_round=False),
            ours(args, "batch", "step_times", ["batch"]),
        ]
    return [entry for entry in out if entry]


def ours(args, bench, example, words, every_round=True):
    program = args.ours / example if args.ours else None
    if not program or not program.exists():
        print(f"{bench}: {OURS} is left out, there is no example {example}", file=sys.stderr)
        return None
    return Entry(bench, OURS, [str(program), *words, *(["--quick"] if args.quick else [])], every_round)


def bullet(args, bench, words, every_round=True):
    found = subprocess.run([args.python, "-c", "import pybullet"], capture_output=True).returncode == 0
    if not found:
        print(f"{bench}: Bullet is left out, pybullet is not installed", file=sys.stderr)
        return None
    script = pathlib.Path(__file__).with_name("bullet.py")
    return Entry(bench, "Bullet", [args.python, str(script), *words], every_round)


def run(plan, rounds, folder):
    """Engines of a bench take turns, starting with another one each round."""
    results, failures = {}, []
    for number in range(rounds):
        for bench in dict.fromkeys(entry.bench for entry in plan):
            turn = [e for e in plan if e.bench == bench and (e.every_round or number == 0)]
            first = number % max(1, len(turn))
            for entry in turn[first:] + turn[:first]:
                print(f"round {number + 1} of {rounds}: {bench}, {entry.engine}", file=sys.stderr)
                # In the build folder, because MuJoCo leaves a log where it runs.
                done = subprocess.run(entry.command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder)
                if done.returncode != 0:
                    failures.append(f"{bench}, {entry.engine}: exit {done.returncode}: {done.stderr.strip()[-300:]}")
                for line in done.stdout.splitlines():
                    if line.startswith("{"):
                        add(results, json.loads(line))
    return results, sorted(set(failures))


def add(results, line):
    key = (line["bench"], line["model"], line["fn"], line["engine"])
    series = results.setdefault(key, Series(line["unit"], line.get("version", "")))
    series.samples += line["samples"]
    known = {"bench", "model", "fn", "engine", "unit", "version", "samples"}
    series.facts.update({name: value for name, value in line.items() if name not in known})


def check_same_physics(results):
    """All engines must have been given the same figure: the mass matrices at rest have equal traces."""
    traces = {}
    for (bench, model, _, engine), series in results.items():
        if bench == "dynamics" and "trace_of_mass_matrix" in series.facts:
            traces.setdefault(model, {})[engine] = series.facts["trace_of_mass_matrix"]
    complaints = []
    for model, by_engine in traces.items():
        low, high = min(by_engine.values()), max(by_engine.values())
        if high - low > 1e-7 * abs(high):
            complaints.append(f"{model}: engines have different figures, traces of the mass matrix are {by_engine}")
    return complaints


def number(value):
    return "-" if value is None else f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def cell(series):
    return f"{number(series.median)} ({number(series.best)})" if series and series.samples else "-"


def ratio(mine, theirs):
    if not (mine and theirs and mine.samples and theirs.samples):
        return None
    return mine.median / theirs.median, mine.best / theirs.best


def ratio_cell(pair):
    return "-" if pair is None else f"{pair[0]:.2f} ({pair[1]:.2f})"


def verdict(value, marks):
    if value is None or marks is None:
        return ""
    most, aim = marks
    return "aim" if value <= aim else "reached" if value <= most else "MISSED"


def dynamics_table(results):
    rows = []
    for model in FIGURES:
        for fn in FUNCTIONS:
            get = lambda engine, fn=fn: results.get(("dynamics", model, fn, engine))
            peer_name = YARDSTICK if get(YARDSTICK) else f"{YARDSTICK} (g++)"
            mine, peer, mujoco = get(OURS), get(peer_name), get("MuJoCo")
            if not (mine or peer or mujoco):
                continue
            local = results.get(("dynamics", model, fn + "/local", peer_name))
            marks = None if fn == "ABA" and model not in ABA_MARKED else MARKS[fn]
            pair = ratio(mine, peer)
            rows.append([f"{fn} {model}", cell(mine), cell(peer), ratio_cell(pair),
                         f"{marks[0]:.2f} / {marks[1]:.2f}" if marks else "", verdict(pair and pair[0], marks),
                         cell(local), ratio_cell(ratio(mine, local)), cell(mujoco), ratio_cell(ratio(mine, mujoco))])
    header = ["ns, median (min)", "ours", YARDSTICK, "ours / it", "most / aim", "", "its local form", "ours / it", "MuJoCo", "ours / it"]
    return header, rows


def linear_row(results):
    get = lambda model: results.get(("dynamics", model, "ABA", OURS))
    pair = ratio(get("chain_512"), get("chain_128"))
    if pair is None:
        return None
    return f"our ABA, chain_512 over chain_128: {pair[0]:.2f} ({pair[1]:.2f}), at most {LINEAR_MARK[0]}: {verdict(pair[0], LINEAR_MARK)}"


def step_table(results, bench):
    """Engines under each other: what they took, and ours over theirs."""
    rows = []
    tasks = dict.fromkeys((model, fn) for b, model, fn, _ in results if b == bench)
    for model, fn in tasks:
        series = {engine: s for (b, m, f, engine), s in results.items() if (b, m, f) == (bench, model, fn)}
        mine = series.get(OURS)
        for engine, s in sorted(series.items(), key=lambda item: (item[0] != OURS, item[0])):
            facts = ", ".join(f"{k} {v}" for k, v in s.facts.items() if k not in ("nv", "trace_of_mass_matrix"))
            pair = None if engine == OURS else ratio(mine, s)
            rows.append([f"{fn}", engine, cell(s), s.unit, ratio_cell(pair), step_verdict(bench, engine, pair, series), facts])
    return [bench, "engine", "median (best)", "unit", "ours / it", "", "facts"], rows


def step_verdict(bench, engine, pair, series):
    if pair is None or bench not in STEP_MARKS:
        return ""
    peer, factor = STEP_MARKS[bench]
    if peer == "*":
        whole = {e: s.median for e, s in series.items() if e != OURS and s.samples and not s.facts.get("broken")}
        peer = min(whole, key=whole.get, default=None)
    if engine != peer:
        return ""
    good = pair[0] >= factor if bench == "batch" else pair[0] <= factor
    if bench == "game":
        good = good and series[OURS].median <= GAME_FRAME_MS
    return f"{'reached' if good else 'MISSED'} ({'at least' if bench == 'batch' else 'at most'} {factor}x)"


def show(header, rows):
    widths = [max(len(str(row[c])) for row in [header, *rows]) for c in range(len(header))]
    def line(row):
        return "| " + " | ".join(str(value).ljust(width) for value, width in zip(row, widths)) + " |"
    return "\n".join([line(header), "|" + "|".join("-" * (w + 2) for w in widths) + "|", *map(line, rows)])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="where `run` put the peers")
    parser.add_argument("--trees", type=pathlib.Path, required=True, help="figures and scenes")
    parser.add_argument("--ours", type=pathlib.Path, help="folder of our example programs")
    parser.add_argument("--python", default=sys.executable, help="interpreter that may have pybullet")
    parser.add_argument("--bench", action="append", choices=["dynamics", "ragdoll", "game", "batch"], help="default: all")
    parser.add_argument("--rounds", type=int, help="default 5, quick 2")
    parser.add_argument("--quick", action="store_true")
    args = parser.parse_args()
    args.build, args.trees = args.build.resolve(), args.trees.resolve()
    args.ours = args.ours and args.ours.resolve()
    args.bench = args.bench or ["dynamics", "ragdoll", "game", "batch"]
    figures = [name for name in FIGURES if (args.trees / f"{name}.tree").exists()]
    plan = entries(args, figures)
    results, failures = run(plan, args.rounds or (2 if args.quick else 5), args.build)
    failures += check_same_physics(results)

    versions = sorted({f"{engine} {s.version}" for (_, _, _, engine), s in results.items() if s.version})
    print("\nengines: " + ", ".join(versions))
    if "dynamics" in args.bench:
        print("\n" + show(*dynamics_table(results)))
        if line := linear_row(results):
            print(line)
        print("\n" + show(*steps_without_contact(results)))
    for bench in ("ragdoll", "game", "batch"):
        header, rows = step_table(results, bench)
        if rows:
            print("\n" + show(header, rows))
    for failure in failures:
        print(f"FAILED {failure}")
    write_json(args, results, failures)
    return 1 if failures else 0


def steps_without_contact(results):
    rows = [[model, engine, cell(s)] for (bench, model, fn, engine), s in sorted(results.items())
            if bench == "dynamics" and fn == "step"]
    return ["contact-free step, ns", "engine", "median (min)"], rows


def write_json(args, results, failures):
    lines = [{"bench": b, "model": m, "fn": f, "engine": e, "unit": s.unit, "version": s.version,
              "median": s.median if s.samples else None, "best": s.best if s.samples else None,
              **s.facts, "samples": s.samples} for (b, m, f, e), s in results.items()]
    path = args.build / "results.json"
    path.write_text(json.dumps({"machine": platform.processor() or platform.machine(), "quick": args.quick,
                                "failures": failures, "results": lines}, indent=1) + "\n")
    print(f"\nwritten: {path}")


sys.exit(main())
