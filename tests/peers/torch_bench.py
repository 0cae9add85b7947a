"""PyTorch on the work that `lab bench` times: one JSON line per size, nothing but torch needed.

A two-layer ReLU network with both biases learns (50,3)-sparse parity from a fresh batch of 32 at every
step, with the hinge loss and plain SGD at rate 0.1; all replicas train at once along a leading axis.
With --groups the work is that of `lab bench --groups`: one hidden layer on pairs of group elements, all
pairs in every step, cross-entropy with a norm penalty, Adam at rate 0.01. With --chains it is that of
`lab bench --chains`: networks on sequences (torch_chains.py), each with a Markov chain of its own; --prebuilt
takes those from a pool that was drawn beforehand. With --prompts it is that of `lab bench --prompts`: networks on
prompts of tokens (torch_prompts.py); --library times those that PyTorch has a layer for, with that layer. With
--points it is that of `lab bench --points`: decoders on points of a function (torch_points.py).

The peer is meant to be fast: data are drawn on the device, nothing is read back between the two ends of
a window, and one call updates all parameters. On CUDA the same step is also timed as a CUDA graph.

    python3 torch_bench.py --seconds 3
    python3 torch_bench.py --seconds 3 --groups
    python3 torch_bench.py --seconds 3 --groups "n=31&width=256"
    python3 torch_bench.py --seconds 3 --chains "" "k=3&t=100&batch=64" --prebuilt
    python3 torch_bench.py --seconds 3 --prompts --library
    python3 torch_bench.py --seconds 3 --points "blocks=4"

Exit code 3 means that there is no torch to import.
"""

import argparse
import itertools
import json
import statistics
import sys
import time

try:
    import torch
except (ImportError, OSError) as why:  # OSError: installed, but one of its libraries does not load
    print(f"PyTorch is not measured, since torch cannot be imported ({why}).", file=sys.stderr)
    sys.exit(3)

sys.dont_write_bytecode = True  # nothing beside the tests
import torch_chains
import torch_points
import torch_prompts

N, K, BATCH, RATE = 50, 3, 32, 0.1
REPLICAS = (1, 64, 1024)
WIDTHS = (10, 100, 1000)
WINDOWS = 5
SLOWEST = 2.0  # seconds per step

PAIRS_RATE, DEVIATION = 0.01, 0.1
# Networks on pairs, as the settings in a link to them, where these differ from the lab's own below.
GROUPS = (
    "n=23&width=200",
    "n=23&width=200&act=relu&nu=2&lambda=1e-4",
    "n=71&width=500&lambda=1e-4",
    "n=113&width=512&lambda=1e-4",
    "op=symmetric&letters=5&width=2000&lambda=1e-5",
    "op=symmetric&letters=5&width=2000&lambda=1e-5&batch=1000",
)
# Networks on sequences, likewise; the first is the lab's own.
CHAINS = (
    "",
    "k=3&t=100&batch=64",
    "k=3&t=100&norm=pre&std=0.02&batch=64&wd=0.1",
    "d=48&heads=3.3&gram=3&t=100&batch=64",
    "model=minimal-markov&opt=sgd&t=100&batch=64&lr=0.002",
)
# Networks on prompts, likewise.
PROMPTS = (
    "",
    "n=4&dim=4&q=1&g=linear&codes=random&h=1&qk=separate&scores=all&values=token&width=32&wd=0.01",
    "n=8&dim=4&q=1&g=linear&codes=random&h=1&qk=separate&scores=all&values=token&width=32&wd=0.01",
    "n=16&dim=4&q=1&g=linear&codes=random&h=1&qk=separate&scores=all&values=token&width=32&wd=0.01",
    "model=token-mlp&n=4&dim=4&q=1&g=linear&codes=random&wd=0.01",
    "model=token-mlp&n=8&dim=4&q=1&g=linear&codes=random&wd=0.01",
    "model=token-mlp&n=16&dim=4&q=1&g=linear&codes=random&wd=0.01",
    "model=gru&n=4&dim=4&q=1&g=linear&codes=random&wd=0.01",
    "model=gru&n=8&dim=4&q=1&g=linear&codes=random&wd=0.01",
    "model=gru&n=16&dim=4&q=1&g=linear&codes=random&wd=0.01",
)
# Decoders on points of a function, likewise.
POINTS = (
    "blocks=1",
    "",
    "blocks=4",
    "format=joint&attend=relu",
)
DEFAULTS = {
    "op": "add",
    "n": "23",
    "letters": "3",
    "width": "200",
    "act": "square",
    "nu": "3",
    "lambda": "1e-3",
    "batch": "0",
}


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


def products(settings):
    """The number of a∘b for every pair of elements, `[order, order]`."""
    if settings["op"] == "add":
        numbers = torch.arange(int(settings["n"]))
        return (numbers[:, None] + numbers) % len(numbers)
    if settings["op"] == "symmetric":
        elements = list(itertools.permutations(range(int(settings["letters"]))))
        place = {element: at for at, element in enumerate(elements)}
        return torch.tensor([[place[tuple(a[i] for i in b)] for b in elements] for a in elements])
    raise ValueError(f"no table for op={settings['op']}")


class PairNetwork:
    """A network on pairs, f(a, b)[c] = Σ_i σ(u_i[a] + v_i[b]) w_i[c], and one step of training.

    Weights are `[order, width]`. Where all pairs are trained on, z is a sum of u and v broadcast against each
    other, whose backward pass is two sums; of a batch, rows are looked up.
    """

    def __init__(self, settings, device):
        table = products(settings).to(device)
        self.order, self.width = len(table), int(settings["width"])
        self.labels = table.flatten()  # [pairs]
        self.act, self.nu, self.penalty = settings["act"], int(settings["nu"]), float(settings["lambda"])
        # u, v and w in one tensor, so that the penalty is one chain of calls.
        weights = DEVIATION * torch.randn(3, self.order, self.width, device=device)
        self.weights = weights.requires_grad_()
        batch = int(settings["batch"])
        self.pairs = torch.empty(batch, dtype=torch.long, device=device) if batch else None
        self.optimizer = adam([self.weights], device, lr=PAIRS_RATE)

    def step(self):
        u, v, w = self.weights.unbind()
        if self.pairs is None:
            z = (u[:, None] + v[None]).flatten(0, 1)  # [pairs, width]
            labels = self.labels
        else:
            pairs = self.pairs.random_(0, len(self.labels))  # [batch]
            a, b = torch.div(pairs, self.order, rounding_mode="floor"), pairs % self.order
            z = torch.nn.functional.embedding(a, u) + torch.nn.functional.embedding(b, v)
            labels = self.labels[pairs]
        hidden = z.square() if self.act == "square" else torch.relu(z)
        loss = torch.nn.functional.cross_entropy(hidden @ w.T, labels)
        norms = self.weights.square().sum((0, 1))  # ‖ω_i‖², [width]
        if self.nu != 2:
            norms = norms.pow(self.nu / 2)
        self.optimizer.zero_grad(set_to_none=True)
        (loss + self.penalty * norms.sum()).backward()
        self.optimizer.step()


def adam(parameters, device, decays=False, **settings):
    """Adam in as few calls as this PyTorch offers on the device, ready to be captured in a CUDA graph.

    AdamW where something decays; elsewhere it would make calls that change nothing.
    """
    make = torch.optim.AdamW if decays else torch.optim.Adam
    capturable = {"capturable": True} if device.type == "cuda" else {}
    for calls in ({"fused": True}, {"foreach": True}):
        try:
            trial = torch.zeros(1, device=device, requires_grad=True)
            trial.grad = torch.zeros_like(trial)
            make([trial], **settings, **calls, **capturable).step()  # PyTorch 1.13 refuses only here
            return make(parameters, **settings, **calls, **capturable)
        except (RuntimeError, TypeError):  # unknown to this version, or to this device
            continue
    return make(parameters, **settings)


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


def rates(step, device, seconds, slowest=SLOWEST):
    """Steps per second in each window, or nothing if one step takes more than `slowest` seconds."""
    window = seconds / WINDOWS
    timed(step, 1, device)
    count, took = 1, timed(step, 1, device)
    if took > slowest:
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


def measure(mode, what, memory, build, device, seconds):
    """Prints the row of one size, or on stderr why there is none.

    `what` names the size in the row, `memory` is in bytes, and `build` makes the network.
    """
    size = f"{mode} on {device.type}, {', '.join(f'{key} {value}' for key, value in what.items())}"
    there_is = free(device)
    if there_is is not None and memory > 0.8 * there_is:
        print(f"{size}: left out, does not fit in memory", file=sys.stderr)
        return
    try:
        network = build()
        step = captured(network, device) if mode.startswith("CUDA graph") else network.step
        found = rates(step, device, seconds)
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
        **what,
        "steps_per_s": round(statistics.median(found), 2),
        "low": round(min(found), 2),
        "high": round(max(found), 2),
    }
    print(json.dumps(row), flush=True)


def measure_parity(mode, device, seconds):
    """All sizes of the network on bits."""
    for replicas, width in itertools.product(REPLICAS, WIDTHS):
        what = {"replicas": replicas, "width": width}
        build = lambda: Network(replicas, width, device)
        measure(mode, what, needed(replicas, width), build, device, seconds)
        if device.type == "cuda":
            torch.cuda.empty_cache()  # what the last size used counts as taken


def measure_groups(mode, device, seconds, links):
    """All networks on pairs that `links` name."""
    for link in links:
        settings = DEFAULTS | dict(setting.split("=", 1) for setting in link.split("&"))
        order, width = len(products(settings)), int(settings["width"])
        pairs = int(settings["batch"]) or order**2
        # Weights with gradient and moments; z, σ(z) and the way back; outputs and theirs.
        memory = 4 * (4 * 3 * order * width + 5 * pairs * width + 4 * pairs * order)
        build = lambda: PairNetwork(settings, device)
        measure(mode, {"link": link}, memory, build, device, seconds)
        if device.type == "cuda":
            torch.cuda.empty_cache()


def measure_chains(mode, device, seconds, links, prebuilt):
    """All networks on sequences that `links` name."""
    mode += ", prebuilt data" if prebuilt else ""
    for link in links:
        settings = torch_chains.settings_of(link)
        build = lambda: torch_chains.SequenceNetwork(settings, device, prebuilt, adam)
        measure(mode, {"link": link}, torch_chains.needed(settings), build, device, seconds)
        if device.type == "cuda":
            torch.cuda.empty_cache()


def measure_prompts(mode, device, seconds, links, library):
    """All networks on prompts that `links` name; with `library` those alone that PyTorch has a layer for."""
    for link in links:
        settings = torch_prompts.settings_of(link)
        layer = torch_prompts.LIBRARY.get(settings["model"])
        if library and layer is None:
            continue
        named = f"{mode}, with its own layer" if library else mode
        build = lambda: torch_prompts.PromptNetwork(settings, device, library, adam)
        measure(named, {"link": link}, torch_prompts.needed(settings), build, device, seconds)
        if device.type == "cuda":
            torch.cuda.empty_cache()


def measure_points(mode, device, seconds, links):
    """All decoders on points that `links` name."""
    for link in links:
        settings = torch_points.settings_of(link)
        build = lambda: torch_points.PointNetwork(settings, device, adam)
        measure(mode, {"link": link}, torch_points.needed(settings), build, device, seconds)
        if device.type == "cuda":
            torch.cuda.empty_cache()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=3.0, help="seconds per size, split into five windows")
    parser.add_argument(
        "--groups",
        nargs="*",
        metavar="LINK",
        help="networks on pairs instead: settings as in a link, or those of the bench",
    )
    parser.add_argument(
        "--chains",
        nargs="*",
        metavar="LINK",
        help="networks on sequences instead: settings as in a link, or those of the bench",
    )
    parser.add_argument("--prebuilt", action="store_true", help="of those, take sequences drawn beforehand")
    parser.add_argument(
        "--prompts",
        nargs="*",
        metavar="LINK",
        help="networks on prompts instead: settings as in a link, or those of the bench",
    )
    parser.add_argument("--library", action="store_true", help="of those, the ones that PyTorch has a layer for")
    parser.add_argument(
        "--points",
        nargs="*",
        metavar="LINK",
        help="decoders on points of a function instead: settings as in a link, or those of the bench",
    )
    arguments = parser.parse_args()
    seconds = arguments.seconds
    if not seconds > 0:
        parser.error("--seconds must be more than 0")
    torch.manual_seed(0)
    cpu, threads = torch.device("cpu"), torch.get_num_threads()
    runs = [("eager", cpu, threads)]
    chosen = (arguments.groups, arguments.chains, arguments.prompts, arguments.points)
    if any(links is not None for links in chosen):
        counts = sorted({1, threads}, reverse=True)
        runs = [(f"eager, {count} thread{'s' if count > 1 else ''}", cpu, count) for count in counts]
    if torch.cuda.is_available():
        cuda = torch.device("cuda", torch.cuda.current_device())
        runs += [("eager", cuda, threads), ("CUDA graph", cuda, threads)]
    for mode, device, count in runs:
        torch.set_num_threads(count)
        if arguments.chains is not None:
            measure_chains(mode, device, seconds, arguments.chains or CHAINS, arguments.prebuilt)
        elif arguments.prompts is not None:
            measure_prompts(mode, device, seconds, arguments.prompts or PROMPTS, arguments.library)
        elif arguments.points is not None:
            measure_points(mode, device, seconds, arguments.points or POINTS)
        elif arguments.groups is not None:
            measure_groups(mode, device, seconds, arguments.groups or GROUPS)
        else:
            measure_parity(mode, device, seconds)


if __name__ == "__main__":
    main()
