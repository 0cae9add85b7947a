"""PyTorch on the work that `lab bench` times: one JSON line per size, nothing but torch needed.

A two-layer ReLU network with both biases learns (50,3)-sparse parity from a fresh batch of 32 at every
step, with the hinge loss and plain SGD at rate 0.1; all replicas train at once along a leading axis.

The peer is meant to be fast: data are drawn on the device, nothing is read back between the two ends of
a window, and one call updates all parameters. On CUDA the same step is also timed as a CUDA graph.

    python3 torch_bench.py --seconds 3

Exit code 3 means that there is no torch to import.
"""

import argparse
import json
import statistics
import sys
import time

try:
    import torch
except (ImportError, OSError) as why:  # OSError: installed, but one of its libraries does not load
    print(f"PyTorch is not measured, since torch cannot be imported ({why}).", file=sys.stderr)
    sys.exit(3)

N, K, BATCH, RATE = 50, 3, 32, 0.1
REPLICAS = (1, 64, 1024)
WIDTHS = (10, 100, 1000)
WINDOWS = 5
SLOWEST = 2.0  # seconds per step


class Network:
    """`replicas` networks of one width on one device, and one step of training."""

    def __init__(self, replicas, width, device):
        def uniform(rows, columns, fan_in):
            numbers = torch.empty(replicas, rows, columns, device=device)
            return numbers.uniform_(-(fan_in**-0.5), fan_in**-0.5).requires_grad_()

        self.w = uniform(N, width, N)
        self.b = uniform(1, width, N)
        self.u = uniform(width, 1, width)
        self.beta = uniform(1, 1, width)
        self.x = torch.empty(replicas, BATCH, N, device=device)

    def step(self):
        parameters = [self.w, self.b, self.u, self.beta]
        x = self.x.random_(0, 2).mul_(2).sub_(1)  # [replicas, batch, n]
        y = x[:, :, :K].prod(2, keepdim=True)  # [replicas, batch, 1]
        hidden = torch.relu(torch.baddbmm(self.b, x, self.w))  # [replicas, batch, width]
        outputs = torch.baddbmm(self.beta, hidden, self.u)  # [replicas, batch, 1]
        # Summed over replicas, so that each has the gradient that it would have alone.
        loss = torch.relu(1 - y * outputs).mean(1).sum()
        gradients = torch.autograd.grad(loss, parameters)
        with torch.no_grad():
            torch._foreach_add_(parameters, gradients, alpha=-RATE)


def captured(network, device):
    """The network's step as a CUDA graph."""
    side = torch.cuda.Stream(device)
    side.wait_stream(torch.cuda.current_stream(device))
    with torch.cuda.stream(side):  # what is set up lazily must be there before the capture
        for _ in range(3):
            network.step()
    torch.cuda.current_stream(device).wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        network.step()
    return graph.replay


def timed(step, count, device):
    """Seconds that `count` steps take until the device is done with them."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    begin = time.perf_counter()
    for _ in range(count):
        step()
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    return time.perf_counter() - begin


def rates(step, device, seconds):
    """Steps per second in each window, or nothing if one step takes too long."""
    window = seconds / WINDOWS
    timed(step, 1, device)
    count, took = 1, timed(step, 1, device)
    if took > SLOWEST:
        return None
    # The search for how many steps fill a window warms up too.
    while took < window / 2:
        count *= 2
        took = timed(step, count, device)
    count = max(1, round(count * window / took))
    return [count / timed(step, count, device) for _ in range(WINDOWS)]


def needed(replicas, width):
    """Bytes: parameters and gradients, inputs, and what the hidden layer keeps for and during a backward pass."""
    parameters = N * width + 2 * width + 1
    return 4 * replicas * (2 * parameters + BATCH * (2 * N + 5 * width))


def free(device):
    """Bytes of free memory, or nothing where the system does not tell."""
    if device.type == "cuda":
        return torch.cuda.mem_get_info(device)[0]
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            return next(1024 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable"))
    except (OSError, StopIteration):
        return None


def measure(mode, replicas, width, device, seconds):
    """Prints the row of one size, or on stderr why there is none."""
    size = f"{mode} on {device.type}, {replicas} replicas of width {width}"
    memory = free(device)
    if memory is not None and needed(replicas, width) > 0.8 * memory:
        print(f"{size}: left out, does not fit in memory", file=sys.stderr)
        return
    try:
        network = Network(replicas, width, device)
        found = rates(captured(network, device) if mode == "CUDA graph" else network.step, device, seconds)
    except RuntimeError as why:
        is_full = any(words in str(why) for words in ("out of memory", "allocate memory", "enough memory"))
        reason = "does not fit in memory" if is_full else str(why).splitlines()[0]
        print(f"{size}: left out, {reason}", file=sys.stderr)
        return
    if found is None:
        print(f"{size}: left out, a step takes more than {SLOWEST:.0f} s", file=sys.stderr)
        return
    row = {
        "peer": f"PyTorch {torch.__version__.split('+')[0]} {mode}",
        "device": f"cuda: {torch.cuda.get_device_name(device)}" if device.type == "cuda" else "cpu",
        "replicas": replicas,
        "width": width,
        "steps_per_s": round(statistics.median(found), 2),
        "low": round(min(found), 2),
        "high": round(max(found), 2),
    }
    print(json.dumps(row), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=3.0, help="seconds per size, split into five windows")
    seconds = parser.parse_args().seconds
    if not seconds > 0:
        parser.error("--seconds must be more than 0")
    torch.manual_seed(0)
    runs = [("eager", torch.device("cpu"))]
    if torch.cuda.is_available():
        cuda = torch.device("cuda", torch.cuda.current_device())
        runs += [("eager", cuda), ("CUDA graph", cuda)]
    for mode, device in runs:
        for replicas in REPLICAS:
            for width in WIDTHS:
                measure(mode, replicas, width, device, seconds)
                if device.type == "cuda":
                    torch.cuda.empty_cache()  # what the last size used counts as taken


if __name__ == "__main__":
    main()
