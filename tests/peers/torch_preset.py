"""PyTorch on the presets that `lab bench --presets --peers` times: scripts that Vivarium exports.

Every line of standard input is JSON, {"preset": NAME, "script": TEXT}. Each script is timed when its line comes, and
a line of JSON is printed: {"preset", "steps_per_s", "low", "high"}, or {"preset", "failure"} with a sentence. The
first line that is printed has the version of PyTorch.

What is timed is what the script's own loop does to train: it draws a batch and calls `train_step`. The script
measures and prints nothing here. All run on one thread of the processor.

    python3 torch_preset.py --seconds 1 < lines.json

Exit code 3 means that there is no torch to import.
"""

import argparse
import contextlib
import gc
import json
import signal
import statistics
import sys

sys.dont_write_bytecode = True  # nothing beside the tests
from torch_bench import rates, torch

SLOWEST = 10.0  # seconds per step
LIMIT = 120  # seconds for one script, besides the windows


class TooLong(Exception):
    """A script has taken its time."""


def too_long(*_):
    raise TooLong


def step_of(name, script):
    """One step of training of the script, as its own `main` makes them."""
    module = {"__name__": "preset"}
    exec(compile(script, f"{name}.py", "exec"), module)
    if "train_step" not in module:
        raise RuntimeError("the script has no function `train_step`")
    torch.manual_seed(module["S"]["seed"])
    p = module["started"](module["initial"]())
    update, schedule = module["prepared"](p)
    data, made = module["Data"](), 0

    def step():
        nonlocal made
        module["train_step"](p, made, data.batch(), update, schedule)
        made += 1

    return step


def measured(name, script, seconds):
    """The row of one preset."""
    torch.set_default_dtype(torch.float32)
    torch.set_num_threads(1)
    try:
        # Whatever the script prints is no row.
        with contextlib.redirect_stdout(sys.stderr), limited(seconds):
            found = rates(step_of(name, script), torch.device("cpu"), seconds, SLOWEST)
    except TooLong:
        return {"failure": f"PyTorch takes more than {LIMIT} s before it is measured"}
    except (Exception, SystemExit) as why:  # the next script may do better
        first = (str(why).splitlines() or [""])[0]
        return {"failure": f"the script fails: {type(why).__name__}: {first}"}
    if found is None:
        return {"failure": f"a step takes PyTorch more than {SLOWEST:.0f} s"}
    # Ten digits: a step of a large network takes seconds.
    number = lambda value: float(f"{value:.10g}")
    median, low, high = statistics.median(found), min(found), max(found)
    return {"steps_per_s": number(median), "low": number(low), "high": number(high)}


@contextlib.contextmanager
def limited(seconds):
    """Raises an exception after the time that a script has, where the system has such a clock."""
    if not hasattr(signal, "SIGALRM"):
        yield
        return
    signal.signal(signal.SIGALRM, too_long)
    # A window is at least one step; the search for the number of steps may take as long as a window and a half.
    signal.setitimer(signal.ITIMER_REAL, LIMIT + 2 * seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=1.0, help="seconds per preset, split into five windows")
    arguments = parser.parse_args()
    if not arguments.seconds > 0:
        parser.error("--seconds must be more than 0")
    torch.set_num_interop_threads(1)
    print(json.dumps({"torch": torch.__version__.split("+")[0]}), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        row = measured(asked["preset"], asked["script"], arguments.seconds)
        print(json.dumps({"preset": asked["preset"], **row}), flush=True)
        gc.collect()  # networks and their data


if __name__ == "__main__":
    main()
