"""Recomputes outputs and losses from checkpoints, by the formulas of src/model/models/TENSORS.md.

    python3 tests/peers/tensors.py FOLDER

Nothing but numpy is needed, and no code of Vivarium is used. The folder is written by tests/suite/tensors.rs. For each
run it holds NAME.weights.safetensors, a checkpoint, and NAME.examples.safetensors: held-out examples, what Vivarium
computes for them, and its measurement of the held-out loss, each with a row for each replica.

Numbers agree to 1e-5, relative to the largest one. The checkpoint holds exactly the weights that are used, but Vivarium
computes in single precision, where a sum of products is off by about 1e-7 of its largest term, a loss is a sum over
examples, and the order of these sums depends on the processor. Here everything is computed in double precision.
"""

import json
import math
import pathlib
import re
import sys

import numpy as np

TOLERANCE = 1e-5
README = pathlib.Path(__file__).parents[2] / "src" / "model" / "models" / "TENSORS.md"


# Files


def readers():
    """The Python blocks of TENSORS.md, which are what a reader would run: with the package, and with numpy alone."""
    return re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)


def load(path):
    """All tensors of a file in double precision, and what its header says, read as TENSORS.md shows it."""
    names = {"FILE": str(path)}
    exec(next(block for block in readers() if "frombuffer" in block), names)
    return {name: tensor.astype(np.float64) for name, tensor in names["tensors"].items()}, names["about"]


def check_the_other_reader(path):
    """Whether the package `safetensors` gives the same arrays; None if the package is not installed."""
    try:
        import safetensors  # noqa: F401
    except ImportError:
        return None
    names = {"FILE": str(path), "print": lambda _: None}
    exec(next(block for block in readers() if "load_file" in block), names)
    own, _ = load(path)
    same = names["tensors"].keys() == own.keys()
    return same and all(np.array_equal(own[name], names["tensors"][name]) for name in own)


# Functions that several models use


def softmax(z):
    shares = np.exp(z - z.max(-1, keepdims=True))
    return shares / shares.sum(-1, keepdims=True)


def relu(z):
    return np.maximum(z, 0)


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


def gelu(z):
    return z * np.vectorize(lambda z: 0.5 * math.erfc(-z / math.sqrt(2)))(z)


def layer_norm(z):
    return (z - z.mean(-1, keepdims=True)) / np.sqrt(z.var(-1, keepdims=True) + 1e-5)


def columns(matrix, head, heads):
    """The columns of a head."""
    size = matrix.shape[-1] // heads
    return matrix[..., head * size : (head + 1) * size]


def sigma(z, s):
    k = int(s["degree"])
    if s["act"] == "relu":
        return relu(z)
    if s["act"] == "power":
        return z**k
    if s["act"] == "zigzag":
        j = np.clip(np.floor((k - z) / 2), 0, k - 1)
        return (-1) ** j * (1 + z - (k - 2 * j))
    if s["act"] == "wave":
        r = (z - k) % 4
        return np.where(r < 2, 1 - r, r - 3)
    if s["act"] == "osc":
        j = np.arange(k + 1)
        return np.polyval(np.polyfit(k - 2 * j, (-1.0) ** j, k), z)
    return np.sin(math.pi * (z + 1 - k) / 2)


def numbers(text):
    """A list of whole numbers as a link writes it."""
    return [int(number) for number in text.split(".")]


# Outputs: p holds the parameters of one replica, x the inputs row by row, s the settings


def mlp(p, x, s):
    return sigma(x @ p["w"] + p["b"], s) @ p["u"] + p["beta"]


def polynet(p, x, s):
    return (x @ p["w"] + p["b"]).prod(-1, keepdims=True)


def disjoint_polynet(p, x, s):
    n, degree, f = x.shape[1], int(s["degree"]), 1
    for j in range(degree):
        block = slice(j * n // degree, (j + 1) * n // degree)
        f = f * (x[:, block] @ p["w"][block])
    return f


def deep_mlp(p, x, s):
    h, last = x, int(s["stage"]) + 1 if s["layers"] == "greedy" else len(numbers(s["widths"]))
    for layer in range(1, last + 1):
        h = sigma(h @ p[f"w{layer}"] + p[f"b{layer}"], s)
    return h @ p[f"u{last}"] + p[f"beta{last}"]


def heads_of(tokens, asking, p, heads, size, weights=softmax):
    """What the heads give at the token that asks, side by side."""
    outputs = []
    for g in range(heads):
        scores = tokens @ columns(p["key"], g, heads) @ (asking @ columns(p["query"], g, heads)).T / math.sqrt(size)
        outputs.append(weights(scores[:, 0]) @ tokens @ columns(p["value"], g, heads))
    return np.concatenate(outputs)[None]


def parity_transformer(p, x, s):
    outputs = []
    for row in x:
        bits = p["tokens"][np.where(row > 0, 0, 1)] + p["positions"]
        tokens = np.concatenate([bits, p["tokens"][2:]])
        z = tokens[-1:] + heads_of(tokens, tokens[-1:], p, int(s["heads"]), int(s["dattn"])) @ p["out"]
        outputs.append((z + gelu(z @ p["w1"] + p["b1"]) @ p["w2"] + p["b2"]) @ p["u"])
    return np.concatenate(outputs)


def group_net(p, x, s):
    a, b = x.astype(int).T
    z = p["u"][a] + p["v"][b]
    return (z**2 if s["act"] == "square" else relu(z)) @ p["w"].T


def modular_transformer(p, x, s):
    outputs = []
    for a, b in x.astype(int):
        tokens = np.stack([p["embed"][a], p["embed"][b], p["equals"][0]]) + p["positions"]
        weights = softmax if s["attend"] == "softmax" else lambda scores: relu(scores) / len(scores)
        z = tokens[-1:] + heads_of(tokens, tokens[-1:], p, int(s["heads"]), int(s["dattn"]), weights) @ p["out"]
        outputs.append((z + relu(z @ p["w_in"] + p["b_in"]) @ p["w_out"] + p["b_out"]) @ p["unembed"])
    return np.concatenate(outputs)


def embedding_mlp(p, x, s):
    a, b = x.astype(int).T
    both = [p["embed"][a], p["embed" if s["tied"] == "yes" else "embed_b"][b]]
    h = sum(both) if s["join"] == "sum" else np.concatenate(both, -1)
    return relu(h @ p["w"] + p["b"]) @ p["unembed"]


def power_net(p, x, s):
    return (x @ p["u"]) ** int(s["degree"]) @ (p["w"][:1] - p["w"][1:]).T


def attention_only(p, x, s):
    norm = (lambda z, gain: layer_norm(z) * p[gain]) if s["norm"] == "pre" else (lambda z, gain: z)
    outputs = []
    for row in x.astype(int):
        z = p["embed"][row]
        if s["pos"] == "absolute":
            z = z + p["positions"]
        t, d = z.shape
        i, j = np.indices((t, t))
        for layer, heads in enumerate(numbers(s["heads"]), 1):
            r, mixed = norm(z, f"gain{layer}"), []
            for g in range(heads):
                q, k, v = (columns(r @ p[f"{name}{layer}"], g, heads) for name in ("query", "key", "value"))
                scores = q @ k.T
                if s["pos"] == "relative":
                    distances = columns(p[f"distances{layer}"], g, heads)
                    scores += (q @ distances.T)[i, np.maximum(i - j, 0)]
                scores = np.where(j <= i, scores / math.sqrt(d / heads), -np.inf)
                mixed.append(softmax(scores) @ v)
            mixed = np.concatenate(mixed, -1)
            z = z + (mixed @ p[f"out{layer}"] if s["norm"] == "pre" else mixed)
            if s["mlp"] == "on":
                z = z + relu(norm(z, f"mlp_gain{layer}") @ p[f"mlp_in{layer}"]) @ p[f"mlp_out{layer}"]
        outputs.append((norm(z, "gain") @ p["readout"])[-1])  # after the whole context
    return np.stack(outputs)


def minimal_markov(p, x, s):
    outputs = []
    for row in x.astype(int):
        t, f = len(row), np.zeros(len(p["kernel"]))
        for j in range(t):
            f[row[j]] += sum(p["lags"][0, j - r] * p["kernel"][row[t - 1], row[r]] for r in range(j + 1))
        outputs.append(f)
    return np.stack(outputs)


def cls_transformer(p, x, s):
    heads = int(s["heads"])
    norm = lambda z, i: layer_norm(z) * p["gains"][i] + p["shifts"][i] if s["ln"] == "yes" else z
    size, outputs = p["query"].shape[1] / heads, []
    for row in x:
        bits = p["tokens"][np.where(row > 0, 0, 1)] + p["positions"]
        tokens = np.concatenate([bits, p["tokens"][2:3] + p["tokens"][3:]])
        y, mixed = norm(tokens, 0), []
        query = y[-1] @ p["query"] + p["biases"][0]
        key, value = y @ p["key"], y @ p["value"] + p["biases"][1]
        for g in range(heads):
            shares = softmax(columns(key, g, heads) @ columns(query, g, heads) / math.sqrt(size))
            mixed.append(shares @ columns(value, g, heads))
        z = tokens[-1:] + np.concatenate(mixed)[None] @ p["out"] + p["biases"][2]
        z = z + gelu(norm(z, 1) @ p["w1"] + p["b1"]) @ p["w2"] + p["b2"]
        outputs.append(norm(z, 2) @ (p["head"][:, 1:] - p["head"][:, :1]))
    return np.concatenate(outputs)


def prompt(p, row, s):
    """The encoded tokens of a prompt, a row each, and its numbers, names and labels."""
    n, dim, q = int(s["n"]), int(s["dim"]), int(s["q"])
    tokens, names, labels = np.split(row, [n * dim, n * (dim + q)])
    tokens, names = tokens.reshape(n, dim), names.reshape(n, q).astype(int)
    codes = p["codes"] * (math.sqrt(dim / q) if s["enc"] == "root" else 1)
    return np.concatenate([tokens, codes, codes[names].reshape(n, -1)], -1), tokens, names, labels


def token_attention(p, x, s):
    heads, outputs = int(s["h"]), []
    for row in x:
        z, tokens, _, _ = prompt(p, row, s)
        u = z if s["scores"] == "all" else z[:, tokens.shape[1] :]
        v = z if s["values"] == "token" else tokens
        rows = lambda name, g: p[name].reshape(heads, u.shape[1], -1)[g]
        mixed = []
        for g in range(heads):
            if s["qk"] == "combined":
                scores = u @ rows("qk", g) @ u.T
            else:
                query, key = u @ rows("q", g), u @ rows("k", g)
                scores = query @ key.T / math.sqrt(query.shape[1])
            mixed.append(softmax(scores) @ v)
        o = np.concatenate(mixed, -1)
        outputs.append((relu(o @ p["w1"] + p["b1"]) @ p["w2"] + p["b2"])[:, 0])
    return np.stack(outputs)


def token_mlp(p, x, s):
    h, last = np.stack([prompt(p, row, s)[0].reshape(-1) for row in x]), len(numbers(s["widths"])) + 1
    for layer in range(1, last):
        h = relu(h @ p[f"w{layer}"] + p[f"b{layer}"])
    return h @ p[f"w{last}"] + p[f"b{last}"]


def recurrent(z, weights, order):
    """The states of gated recurrent units after each row of z, read in this order."""
    w, b, u, c = weights
    h, after = np.zeros(len(u)), np.zeros((len(z), len(u)))
    for i in order:
        of_input, of_state = np.split(z[i] @ w + b[0], 3), np.split(h @ u + c[0], 3)
        reset, update = (sigmoid(of_input[gate] + of_state[gate]) for gate in (0, 1))
        h = (1 - update) * np.tanh(of_input[2] + reset * of_state[2]) + update * h
        after[i] = h
    return after


def gru(p, x, s):
    outputs = []
    for row in x:
        z = prompt(p, row, s)[0]
        orders = {"f": range(len(z)), "b": reversed(range(len(z)))}
        both = [recurrent(z, [p[name + way] for name in "wbuc"], order) for way, order in orders.items()]
        outputs.append((np.concatenate(both, -1) @ p["out"] + p["beta"])[:, 0])
    return np.stack(outputs)


def perceptron(p, x, s):
    return x @ p["w"]


def own(p, x, s):
    """The layers of the text, one after the other, on tokens [examples, tokens, components]."""
    functions = {"relu": relu, "gelu": gelu, "square": np.square}
    h, ends = x[:, None, :], {"sum": lambda h: h.sum(1, keepdims=True), "last": lambda h: h[:, -1:]}
    ends["concat"] = lambda h: h.reshape(len(h), 1, -1)
    of_prompts, of_points = s["task"] == "sparse-token-regression", s["task"] == "in-context-learning"
    if of_prompts:
        h = np.stack([prompt(p, row, s)[0] for row in x])
    if of_points:
        h = np.stack([interleaved(row, int(s["points"]), False) for row in x])
    is_causal = of_points or s["task"] == "markov"
    for number, line in enumerate(re.split("[;\n]", s["net"].replace("~", " ")), 1):
        (kind, *options), q = line.split(), lambda name: p[f"{number}.{name}"]
        if kind == "embed" and s["task"] == "markov":
            h = p["embed"][x.astype(int)]
        elif kind == "embed" and s["task"] != "groups":
            h = h @ p["embed"]
        elif kind == "embed":
            tables = [p["embed"]] * 2 if "embed" in p else [p["embed_a"], p["embed_b"]]
            h = np.stack([table[column] for table, column in zip(tables, x.astype(int).T)], 1)
        elif kind == "token":
            h = np.concatenate([h, np.broadcast_to(q("token"), (len(h), 1, h.shape[2]))], 1)
        elif kind == "positions":
            h = h + q("positions")
        elif kind == "attention":
            before, heads, count, outputs = h, int(options[0]), h.shape[1], []
            if "pre-norm" in options:
                h = layer_norm(h) * q("gain") + q("shift")
            for at in range(count):
                seen = h[:, : at + 1] if "causal" in options or is_causal else h
                for g in range(heads):
                    query, key, value = (columns(q(name), g, heads) for name in ("query", "key", "value"))
                    keys = seen @ key
                    if "relative" in options:
                        keys = keys + columns(q("distances"), g, heads)[at::-1]
                    scores = (h[:, at : at + 1] @ query * keys).sum(-1) / math.sqrt(key.shape[1])
                    weights = relu(scores) / seen.shape[1] if "relu" in options else softmax(scores)
                    outputs.append((weights[:, :, None] * (seen @ value)).sum(1))
            rows = [np.concatenate(outputs[at * heads :][:heads], -1) @ q("out") for at in range(count)]
            h = before + np.stack(rows, 1)
        elif kind == "mlp":
            function = next((functions[word] for word in options if word in functions), relu)
            y = layer_norm(h) * q("gain") + q("shift") if "pre-norm" in options else h
            h = h + function(y @ q("w_in") + q("b_in")) @ q("w_out") + q("b_out")
        elif kind == "gru":
            weights = [q(name) for name in ("input", "input_bias", "hidden", "hidden_bias")]
            h = np.stack([recurrent(z, weights, range(len(z))) for z in h])
        elif kind == "linear":
            h = h @ q("w") + (0 if "no-bias" in options else q("b"))
        elif kind == "norm":
            h = layer_norm(h) * q("gain") + q("shift")
        elif kind == "read":
            h = (ends[options[0]](h) if options else h) @ q("w")
        else:
            h = (functions | ends)[kind](h)
    if of_prompts or of_points:
        return h[:, :: 2 if of_points else 1, 0]
    return h[:, -1]  # in a sequence, after the whole context


def gated_memory(p, x, s):
    gate, passed, outputs = 2 * relu(p["codes"] @ p["codes"].T - 0.5), p["passed"][0, 0], []
    for row in x:
        _, tokens, names, _ = prompt(p, row, s)
        n, f = len(tokens), []
        for i in range(n):
            js = [j for j in range(n) if i == j or (j < i and j < passed) or (j > i and n - 1 - j < passed)]
            if s["slots"] == "positions":
                read = [sum(gate[t] @ gate[:, j] * tokens[j] for j in js) for t in names[i]]
            else:
                read = [sum(gate[names[j, l], j] * tokens[j] for j in js) for l in range(names.shape[1])]
            f.append(relu(np.concatenate(read) @ p["w"] + p["b"][0]) @ p["a"][:, 0] + p["c"][0, 0])
        outputs.append(f)
    return np.array(outputs)


def descent_transformer(p, x, s):
    w, h = p["tokens"].sum(-1), x
    sizes = [x.shape[1], *numbers(s["hidden"]), 1]
    for layer, (below, own) in enumerate(zip(sizes, sizes[1:]), 1):
        matrix, w = w[: own * below].reshape(own, below), w[own * below :]
        h = h @ matrix.T
        if layer < len(sizes) - 1 or s["out"] != "linear":
            h = relu(h)
    return h


def interleaved(row, points, is_joint):
    """(x, 0) and (0, y), or (x, y), of each point of a prompt, a row each."""
    xs, ys = row[:-points].reshape(points, -1), row[-points:, None]
    again = xs if is_joint else np.zeros_like(xs)
    return np.stack([np.hstack([xs, np.zeros_like(ys)]), np.hstack([again, ys])], 1).reshape(2 * points, -1)


def in_context_transformer(p, x, s):
    heads, outputs = int(s["heads"]), []
    inputs = len(p["read_in"]) - 1

    def norm(h):
        return layer_norm(h) if s["norm"] == "layer" else h / np.sqrt((h**2).mean(-1, keepdims=True) + 1e-5)

    def unit(z):
        if s["act"] == "relu":
            return relu(z)
        return z * (1 + np.tanh(math.sqrt(2 / math.pi) * (z + 0.044715 * z**3))) / 2

    for row in x:
        h = interleaved(row, len(row) // (inputs + 1), s["format"] == "joint") @ p["read_in"]
        if s["pos"] == "learned":
            h = h + p["positions"][: len(h)]
        i, j = np.indices((len(h), len(h)))
        for layer in range(1, int(s["blocks"]) + 1):
            r, mixed = norm(h) * p[f"gain_attention{layer}"], []
            for g in range(heads):
                q, k, v = (columns(r @ p[f"{name}{layer}"], g, heads) for name in ("query", "key", "value"))
                scores = np.where(j <= i, q @ k.T / math.sqrt(q.shape[1]), -np.inf)
                mixed.append((softmax(scores) if s["attend"] == "softmax" else relu(scores) / (i + 1)) @ v)
            h = h + np.concatenate(mixed, -1) @ p[f"out{layer}"]
            h = h + unit((norm(h) * p[f"gain_mlp{layer}"]) @ p[f"mlp_in{layer}"]) @ p[f"mlp_out{layer}"]
        outputs.append(((norm(h[::2]) * p["gain"]) @ p["readout"])[:, 0])
    return np.stack(outputs)


def circuit_network(p, x, s):
    h = (x > 0).astype(float).T  # a column for each input
    layers = sorted({int(name[5:].split(".")[0]) for name in p if name.startswith("layer")})
    for layer in layers:
        step = lambda name: p[f"layer{layer}.{name}.weight"] @ h + p[f"layer{layer}.{name}.bias"]
        if f"layer{layer}.weight" in p:  # the toy
            h = p[f"layer{layer}.weight"] @ h + p[f"layer{layer}.bias"]
        else:
            h = relu(step("first"))
            h = relu(step("second"))
        if s["round"] == "yes":
            h = relu(step("round.first"))
            h = step("round.second")
    return (p["output.weight"] @ h + p["output.bias"]).T


MODELS = {
    "mlp": mlp,
    "polynet": polynet,
    "disjoint-polynet": disjoint_polynet,
    "deep-mlp": deep_mlp,
    "parity-transformer": parity_transformer,
    "group-net": group_net,
    "modular-transformer": modular_transformer,
    "embedding-mlp": embedding_mlp,
    "power-net": power_net,
    "attention-only": attention_only,
    "minimal-markov": minimal_markov,
    "cls-transformer": cls_transformer,
    "token-attention": token_attention,
    "token-mlp": token_mlp,
    "gru": gru,
    "perceptron": perceptron,
    "own": own,
    "gated-memory": gated_memory,
    "descent-transformer": descent_transformer,
    "in-context-transformer": in_context_transformer,
    "circuit-network": circuit_network,
}


# Losses: e holds the examples, f the outputs


def of_signs(e, f, s):
    y = e["y"]
    kinds = {
        "hinge": lambda: relu(1 - y * f[:, 0]),
        "square": lambda: (y - f[:, 0]) ** 2,
        "ce": lambda: np.logaddexp(0, -y * f[:, 0]),
        "corr": lambda: -y * f[:, 0],
    }
    return kinds[s["loss"]]().mean()


def of_classes(e, f, s):
    return -np.log(softmax(f))[np.arange(len(f)), e["y"].astype(int)].mean()


def of_chains(e, f, s):
    truth, terms = e["truth"], np.zeros_like(f)
    terms[truth > 0] = (truth * (np.log(np.maximum(truth, 1e-300)) - np.log(softmax(f))))[truth > 0]
    return terms.sum(-1).mean()


def of_positions(e, f, s):
    return ((f - e["x"][:, -f.shape[1] :]) ** 2).mean() / float(s["variance"])


def of_last_points(e, f, s):
    return ((f[:, -1] - e["x"][:, -1]) ** 2).mean() / float(s["variance"])


def of_fit(e, f, s):
    return ((f[:, 0] - e["y"]) ** 2).mean() / 2


LOSSES = {
    "signs": of_signs,
    "classes": of_classes,
    "chains": of_chains,
    "positions": of_positions,
    "points": of_last_points,
    "fit": of_fit,
}


def apart(own, theirs):
    """The largest difference, relative to the largest number."""
    own, theirs = np.asarray(own), np.asarray(theirs)
    assert own.shape == theirs.shape, f"{own.shape} and {theirs.shape}"
    difference = np.abs(own - theirs).max() / max(np.abs(theirs).max(), 1e-30)
    return difference if np.isfinite(difference) else math.inf


def check(weights, examples):
    """What is wrong with a run, if anything."""
    p, about = load(weights)
    e, said = load(examples)
    s, flaws = json.loads(said["settings"]), []
    if about["format"] != "vivarium-checkpoint-1" or about["step"] != said["step"]:
        flaws.append(f"the header of the checkpoint says {about}")
    if any(name.endswith(".moment0") and p[name].shape != p[name[:-8]].shape for name in p):
        flaws.append("the optimizer's memory has another shape than its parameter")
    largest = {"outputs": 0.0, "losses": 0.0}
    for r in range(len(e["f"])):
        own = {name: tensor[r] for name, tensor in p.items()}
        of = {name: tensor[r] for name, tensor in e.items()}
        f = MODELS[s["model"]](own, of["x"], s)
        largest["outputs"] = max(largest["outputs"], apart(f, of["f"]))
        if said["loss"]:
            largest["losses"] = max(largest["losses"], apart([LOSSES[said["loss"]](of, f, s)], of["loss"]))
    flaws += [f"{what} differ by {value:.1e}" for what, value in largest.items() if not value <= TOLERANCE]
    return flaws, largest, bool(said["loss"])


def main():
    folder, failed, checked = pathlib.Path(sys.argv[1]), 0, []
    for weights in sorted(folder.glob("*.weights.safetensors")):
        name = weights.name.split(".")[0]
        flaws, largest, has_loss = check(weights, folder / f"{name}.examples.safetensors")
        if check_the_other_reader(weights) is False:
            flaws.append("the package safetensors reads other numbers")
        failed += bool(flaws)
        checked.append(name)
        losses = f", losses to {largest['losses']:.0e}" if has_loss else ""
        print(f"{name}: outputs to {largest['outputs']:.0e}{losses}", *flaws, sep="; ")
    print(f"{len(checked)} runs, {failed} of them wrong")
    return 1 if failed or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
