"""A transformer that runs a Turing machine, written down weight by weight (Wei, Chen and Ma 2022, "Statistically
meaningful approximation: a case study on approximating Turing machines with transformers", section 4).

One token of the decoder is one step of the machine. There is no tape. The symbol under the head is what the last step
that wrote this cell wrote there; if no step did, it is the symbol of the input, or the blank where there is no input. A
binary search finds that step, with one attention layer for each bit of its number.

    python3 THIS_FILE                                  writes down the weights, from the rules below
    python3 THIS_FILE --weights weights.safetensors    takes the weights from a file that was exported with the run

The script prints a line for each step with what the token says. Where an ordinary simulator with a tape says something
else, its answer stands beside. Without a file the weights have no noise.
"""

import argparse
import csv
import json
import math
import struct
import sys

import torch
from torch import nn

# The first state is the start state, the first symbol is the blank. A rule is (state, read): (write, move, next state).
# The input stands from the cell `start` on, where the head begins. Numbers of steps and of cells have `bits` bits.
# `beta` is the inverse temperature of the softmax in attention; None is the hard maximum. With `rounding` all numbers
# are rounded after each block. States in `accepting` and `rejecting` end a run with an answer.
S = {
{{settings}}}

torch.set_default_dtype(torch.float64)


# The machine, and an ordinary simulator with a tape


def transition(state, symbol):
    """What a step writes, where the head goes, and the next state. Without a rule nothing changes."""
    return S["rules"].get((state, symbol), (symbol, "S", state))


def simulated(steps):
    """State, symbol under the head, symbol written and cell of the head after each step."""
    blank, tape = S["symbols"][0], dict(enumerate(S["input"], S["start"]))
    state, head = S["states"][0], S["start"]
    for _ in range(steps):
        written, move, state = transition(state, tape.get(head, blank))
        tape[head] = written
        head += {"L": -1, "R": 1, "S": 0}[move]
        yield state, tape.get(head, blank), written, head


# What stands where in a token


def layout(bits):
    """The coordinates of each group of a token, and how many coordinates there are."""
    states, symbols = len(S["states"]), len(S["symbols"])
    sizes = {
        "st": states,  # the state, one-hot
        "sym1": symbols,  # the symbol under the head, one-hot; in a token of the input the input's symbol
        "sym2": symbols,  # the symbol that this step writes, one-hot
        "pos1": bits,  # the number of the step, in binary; in a token of the input the cell
        "pos2": bits,  # the cell that this step writes, in binary
        "pos3": bits,  # the cell of the head after the move, in binary
        "scr1": symbols,  # the symbol that was found in an earlier step, one-hot
        "scr2": symbols,  # the symbol that was found in the input, one-hot
        "scr3": bits,  # bits found so far of the last step that wrote the cell
        "scr4": 3,  # earlier step found, input found, bit found in this round
        "mv": 2,  # left, right
    }
    at, width = {}, 0
    for group, size in sizes.items():
        at[group] = range(width, width + size)
        width += size
    return at, width


def write_number(token, group, number):
    """Writes a number in binary, the most significant bit first."""
    for place, coordinate in enumerate(reversed(group)):
        token[coordinate] = number >> place & 1


def read_number(token, group):
    return sum(1 << place for place, coordinate in enumerate(reversed(group)) if token[coordinate] > 0.5)


def read_name(token, group, names):
    """The name whose coordinate is the largest, the first of several."""
    return names[max(range(len(names)), key=lambda place: token[group[place]])]


# The construction: every weight, from the rules


def phases(bits):
    """The names of the blocks."""
    return ["apply", "move", "visited", *(f"search.{j}" for j in range(bits)), "fetch"]


def written_down(bits):
    """All weights and biases by name. A weight is [rows, columns], and gives weight @ token + bias."""
    at, width = layout(bits)
    states, symbols = S["states"], S["symbols"]
    tensors = {}

    def affine(name, rows, columns):
        tensors[f"{name}.weight"], tensors[f"{name}.bias"] = torch.zeros(rows, columns), torch.zeros(rows)
        return tensors[f"{name}.weight"], tensors[f"{name}.bias"]

    def copies(name, rows, columns, groups=tuple(at)):
        """A layer that copies these groups of the token. Hidden layers have units of their own behind the token."""
        weight, bias = affine(name, rows, columns)
        for group in groups:
            for i in at[group]:
                weight[i, i] = 1
        return weight, bias

    def signs(matrix, first, coordinates):
        """Rows that are 2x - 1, so that bits become -1 and 1. Equal bits then add 1 to a score, others take 1 away."""
        for row, coordinate in enumerate(coordinates, first):
            matrix[0][row, coordinate], matrix[1][row] = 2, -1

    def attention(name, rows, cell, least):
        """Attention to the tokens whose group `cell` is pos3. The null slot scores `least`, by the last row."""
        query, key = affine(f"{name}.query", rows, width), affine(f"{name}.key", rows, width)
        null_key = tensors[f"{name}.null_key"] = torch.zeros(rows)
        value = affine(f"{name}.value", width, width)
        tensors[f"{name}.null_value"] = torch.zeros(width)
        signs(query, 0, at["pos3"])
        signs(key, 0, at[cell])
        query[1][rows - 1], null_key[rows - 1] = 1, least
        return query, key, value

    # Apply the rule: one hidden unit for each pair of state and symbol, which is 1 where both are present.
    pairs, pair_bias = copies("apply.layers.0", width + len(states) * len(symbols), width)
    result, _ = copies("apply.layers.1", width, len(pairs), ["pos1", "pos2"])
    result[at["st"][0], at["scr4"][2]] = 1  # in step 0 alone the token has this mark, which becomes the start state
    for z, state in enumerate(states):
        for a, symbol in enumerate(symbols):
            unit = width + z * len(symbols) + a
            pairs[unit, at["st"][z]], pairs[unit, at["sym1"][a]], pair_bias[unit] = 1, 1, -1
            write, move, following = transition(state, symbol)
            result[at["st"][states.index(following)], unit] = 1
            result[at["sym2"][symbols.index(write)], unit] = 1
            if move != "S":
                result[at["mv"]["LR".index(move)], unit] = 1

    # Move the head: pos3 = pos2 + 1 or pos2 - 1, with all carries or borrows at once. Bit j has weight 2^j.
    hidden = width + 2 * bits
    carries, carry_bias = copies("move.layers.0", hidden, width)
    sums, sum_bias = copies("move.layers.1", hidden, hidden)
    moved, _ = copies("move.layers.2", width, hidden)
    bit = lambda group, j: at[group][bits - 1 - j]
    for j in range(bits):
        # carry = relu(right + bits below - j), borrow = relu(left - bits below)
        carry, borrow = width + j, width + bits + j
        carries[carry, at["mv"][1]], carries[borrow, at["mv"][0]], carry_bias[carry] = 1, 1, -j
        for k in range(j):
            carries[carry, bit("pos2", k)], carries[borrow, bit("pos2", k)] = 1, -1
        # With t = carry + borrow the new bit is relu(bit + t) - 2 relu(bit + t - 1).
        some, both = width + j, width + bits + j
        for unit in (some, both):
            sums[unit, carry] = sums[unit, borrow] = sums[unit, bit("pos2", j)] = 1
        sum_bias[both] = -1
        moved[bit("pos3", j), some], moved[bit("pos3", j), both] = 1, -2

    # Was the cell written before? A step that wrote it scores `bits`, all others `bits` - 2 or less.
    _, _, value = attention("visited.own", bits + 1, "pos2", bits - 1)
    value[1][at["scr4"][0]] = 1
    copies("visited.layers.0", width, width)

    # Search bit by bit: is there a step that wrote this cell, has the bits found so far, and goes on with 1?
    for j in range(bits):
        query, key, value = attention(f"search.{j}.own", bits + j + 2, "pos2", bits + j)
        signs(query, bits, at["scr3"][:j])
        signs(key, bits, at["pos1"][: j + 1])
        query[1][bits + j] = 1
        value[1][at["scr4"][2]] = 1
        keep, _ = copies(f"search.{j}.layers.0", width, width)
        keep[at["scr4"][2], at["scr4"][2]] = 0
        keep[at["scr3"][j], at["scr4"][2]] = 1

    # Fetch the symbol from the step that was found, and another one from the input.
    query, key, value = attention("fetch.own", 2 * bits + 1, "pos2", 2 * bits - 1)
    signs(query, bits, at["scr3"])
    signs(key, bits, at["pos1"])
    for to, source in zip(at["scr1"], at["sym2"]):
        value[0][to, source] = 1
    _, _, value = attention("fetch.input", bits + 1, "pos1", bits - 1)
    for to, source in zip(at["scr2"], at["sym1"]):
        value[0][to, source] = 1
    value[1][at["scr4"][1]] = 1

    # Choose: the symbol of the earlier step; without one that of the input; without one the blank, symbol 0.
    blank = width + 2 * len(symbols)
    first, first_bias = copies("fetch.layers.0", blank + 1, width, ["st", "pos3", "scr1"])
    last, _ = copies("fetch.layers.1", width, blank + 1, ["st"])
    for to, source in zip(at["pos2"], at["pos3"]):
        last[to, source] = 1
    earlier, given = at["scr4"][0], at["scr4"][1]
    for a in range(len(symbols)):
        recalled, other = width + a, width + len(symbols) + a
        first[recalled, at["scr1"][a]], first[other, at["scr2"][a]], first[other, earlier] = 1, 1, -1
        last[at["sym1"][a], recalled] = last[at["sym1"][a], other] = 1
    first[blank, earlier], first[blank, given], first_bias[blank] = -1, -1, 1
    last[at["sym1"][0], blank] = 1
    return tensors


def embedding():
    """The encoder's matrix E: a column for each symbol, which is what its token holds before the position is added."""
    at, width = layout(S["bits"])
    matrix = torch.zeros(width, len(S["symbols"]))
    for symbol, coordinate in enumerate(at["sym1"]):
        matrix[coordinate, symbol] = 1
    return matrix


def first_token():
    """The decoder's input in step 0, a parameter that does not depend on the input: a mark, and the start cell."""
    at, width = layout(S["bits"])
    token = torch.zeros(width)
    token[at["scr4"][2]] = 1
    write_number(token, at["pos2"], S["start"])
    return token


def rounding_layers(width):
    """The two layers that round a token after a block: second @ relu(first @ token + bias). The second bias is 0."""
    same = torch.eye(width)
    first, bias = torch.cat([same, same]), torch.cat([torch.full((width,), -1 / 3), torch.full((width,), -2 / 3)])
    return [first, bias, torch.cat([3 * same, -3 * same], 1), torch.zeros(width)]


def classifier():
    """The vector whose product with the last token is 1 where the machine accepts, and -1 where it rejects."""
    at, width = layout(S["bits"])
    vector = torch.zeros(width)
    for state, coordinate in zip(S["states"], at["st"]):
        vector[coordinate] = (state in S["accepting"]) - (state in S["rejecting"])
    return vector


def loaded(path, replica, expected):
    """The weights in a safetensors file, which is the length of a header, the header in JSON, and the numbers."""
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header, data = json.loads(file.read(length)), bytearray(file.read())
    tensors = {}
    for name, like in expected.items():
        entry = header.get(name) or sys.exit(f"{path} holds another network: there is no {name}")
        replicas, *shape = entry["shape"]
        # A vector may be a row or a column.
        fits = shape == list(like.shape) if like.dim() == 2 else math.prod(shape) == like.numel()
        if not fits:
            sys.exit(f"{path} holds another transformer: the shape of {name} is {shape}, not {list(like.shape)}")
        if not 0 <= replica < replicas:
            sys.exit(f"{path} has {replicas} replicas, and replicas are counted from 0")
        begin, end = entry["data_offsets"]
        kind = {"F32": torch.float32, "F64": torch.float64}[entry["dtype"]]
        numbers = torch.frombuffer(data[begin:end], dtype=kind).view(replicas, *like.shape)
        tensors[name] = numbers[replica].double()
    return tensors


# The transformer


class Attention(nn.Module):
    """Attention to tokens and to a null slot, whose key and value belong to no token."""

    def __init__(self, rows, width):
        super().__init__()
        self.query, self.key = nn.Linear(width, rows), nn.Linear(width, rows)
        self.value = nn.Linear(width, width)
        self.null_key = nn.Parameter(torch.zeros(rows))
        self.null_value = nn.Parameter(torch.zeros(width))

    def begin(self, tokens):
        """Makes room for so many tokens behind the null slot."""
        self.keys, self.values = (n.new_zeros(tokens + 1, len(n)) for n in (self.null_key, self.null_value))
        self.keys[0], self.values[0], self.slots = self.null_key, self.null_value, 1

    def remember(self, token):
        """Keeps the key and the value of a token; they never change."""
        self.keys[self.slots], self.values[self.slots] = self.key(token), self.value(token)
        self.slots += 1

    def forward(self, token, beta):
        """Adds to a token what it finds: the mean of the values with the largest score, or softmax(beta * scores)."""
        scores = self.keys[: self.slots] @ self.query(token)
        best = scores.nan_to_num(-math.inf, math.inf, -math.inf).max()
        shares = (scores == best).double() if beta is None else (beta * (scores - best)).exp()
        # Numbers that are no longer finite have no largest score: then nothing is found.
        if not 0 < shares.sum() < math.inf:
            return token
        found = shares != 0
        return token + shares[found] @ self.values[: self.slots][found] / shares.sum()


def part(tensors, prefix):
    """The tensors whose names begin so, by the rest of the name."""
    return {name[len(prefix) :]: tensor for name, tensor in tensors.items() if name.startswith(prefix)}


class Block(nn.Module):
    """Attention to the past, attention to the input, and ReLU layers. Most blocks have only some of them."""

    def __init__(self, tensors):
        super().__init__()
        shape = lambda name: tensors[f"{name}.weight"].shape
        attention = lambda name: Attention(*shape(f"{name}.key")) if part(tensors, f"{name}.") else None
        self.own, self.input = attention("own"), attention("input")
        count = len(part(tensors, "layers.")) // 2  # each layer has a weight and a bias
        self.layers = nn.ModuleList(nn.Linear(*reversed(shape(f"layers.{i}"))) for i in range(count))
        self.load_state_dict(tensors)

    def forward(self, token, beta, rounding, is_kept=True):
        if self.own is not None:
            if is_kept:
                self.own.remember(token)
            token = self.own(token, beta)
        if self.input is not None:
            token = self.input(token, beta)
        for layer in self.layers:
            token = torch.relu(layer(token))
        # Below 1/3 this is 0, above 2/3 it is 1.
        return 3 * torch.relu(token - 1 / 3) - 3 * torch.relu(token - 2 / 3) if rounding else token


class Transformer(nn.Module):
    """All blocks, one after the other. Calling it makes the next step."""

    def __init__(self, tensors, bits, beta, rounding):
        super().__init__()
        self.beta, self.rounding = beta, rounding
        self.at, self.width = layout(bits)
        # A module has a method `apply`, so that a block of this name cannot be an attribute: hence a list.
        self.blocks = nn.ModuleList(Block(part(tensors, f"{phase}.")) for phase in phases(bits))

    def begin(self, steps):
        """Reads the input and makes step 0, which fetches the first symbol, for a run of so many steps."""
        self.step = 0
        for block in self.blocks:
            if block.own is not None:
                block.own.begin(steps)
            if block.input is not None:
                # Attention to the input reads the input's own tokens, in all steps the same.
                block.input.begin(len(S["input"]))
                for cell, symbol in enumerate(S["input"], S["start"]):
                    token = embedding()[:, S["symbols"].index(symbol)].clone()
                    write_number(token, self.at["pos1"], cell)
                    block.input.remember(token)
        # Later steps do not attend to step 0, so that its token is not kept.
        self.output = first_token()
        for block in self.blocks:
            self.output = block(self.output, self.beta, self.rounding, is_kept=False)

    def forward(self):
        """Makes the next token: what it says of state, symbol under the head, symbol written, and cell of the head."""
        self.step += 1
        number = torch.zeros(self.width)
        write_number(number, self.at["pos1"], self.step)
        applied, *others = self.blocks
        first = token = applied(self.output + number, self.beta, self.rounding)
        for block in others:
            token = block(token, self.beta, self.rounding)
        self.output = token
        token, written = token.tolist(), first.tolist()
        return (
            read_name(token, self.at["st"], S["states"]),
            read_name(token, self.at["sym1"], S["symbols"]),
            read_name(written, self.at["sym2"], S["symbols"]),
            read_number(token, self.at["pos2"]),
        )


@torch.no_grad()
def main():
    inverse_temperature = lambda text: None if text == "hard" else float(text)
    parser = argparse.ArgumentParser(description="A transformer that runs a Turing machine.")
    parser.add_argument("--weights", metavar="FILE", help="weights, a safetensors file")
    parser.add_argument("--replica", type=int, default=0, help="which replica of the file, counted from 0")
    parser.add_argument("--steps", type=int, default=S["steps"], help="steps of the machine")
    beta = {"type": inverse_temperature, "default": S["beta"], "metavar": "NUMBER|hard"}
    parser.add_argument("--beta", **beta, help="inverse temperature of the softmax; hard is the hard maximum")
    rounding = {"choices": ["on", "off"], "default": "on" if S["rounding"] else "off"}
    parser.add_argument("--rounding", **rounding, help="whether all numbers are rounded after each block")
    parser.add_argument("--trace", metavar="FILE", help="also write the tokens to this file, as CSV")
    arguments = parser.parse_args()
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")  # names of states may be in any script

    bits = S["bits"]
    steps = min(arguments.steps, 2**bits - 1)  # the number of a step has no more bits
    tensors = written_down(bits)
    if arguments.weights:
        tensors = loaded(arguments.weights, arguments.replica, tensors)
    transformer = Transformer(tensors, bits, arguments.beta, arguments.rounding == "on")
    rounded = len(transformer.blocks) if transformer.rounding else 0
    parts = {
        "blocks": list(tensors.values()),
        "rounding": rounding_layers(transformer.width) * rounded,
        "encoder": [embedding()],
        "first token": [first_token()],
        "classifier": [classifier()],
    }
    parts["total"] = sum(parts.values(), [])
    print(f"{transformer.width} numbers per token, {len(transformer.blocks)} blocks")
    for name, of in parts.items():
        numbers = torch.cat([torch.zeros(0), *(tensor.flatten() for tensor in of)])
        counts = f"{len(numbers):,} parameters, {numbers.count_nonzero():,} of them not 0"
        print(f"{name}: {counts}; their absolute values add up to {numbers.abs().sum():,.10g}")

    transformer.begin(steps)
    names = ("step", "state", "symbol", "written", "head")
    size = max(map(len, ["state", *S["states"]]))
    line = lambda step, state, *others: f"{step:>6}  {state:<{size}}" + "".join(f"{other:>9}" for other in others)
    print(line(*names))
    rows, first_wrong = [], None
    for step, expected in enumerate(simulated(steps), 1):
        found = transformer()
        rows.append((step, *found))
        different = "" if found == expected else "   the simulator: " + " ".join(map(str, expected))
        first_wrong = first_wrong or (step if different else None)
        print(line(step, *found) + different)
    if first_wrong is None:
        print(f"Transformer and simulator agree in all {len(rows)} steps.")
    else:
        print(f"Transformer and simulator first differ at step {first_wrong}.")
    if arguments.trace:
        with open(arguments.trace, "w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows([names, *rows])


if __name__ == "__main__":
    main()
