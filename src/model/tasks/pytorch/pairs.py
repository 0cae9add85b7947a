# Data: pairs (a, b) of elements, and the number of their product for a label.

ORDER = S["order"]


def products():
    """The number of the product of every pair, `[order · order]`."""
    if "table" in S:
        return torch.tensor([int(word) for word in S["table"].split()])
    numbers = torch.arange(ORDER)
    a, b = numbers[:, None], numbers[None]
    values = {"add": a + b, "sub": a - b, "mul": a * b, "quad": a * a + a * b + b * b}
    return (values[S["op"]] % ORDER).flatten()


class Data:
    """Training pairs, and what is measured on: the other pairs, or all where all are trained on."""

    def __init__(self):
        table, every = products(), torch.arange(ORDER**2)
        pairs = torch.stack([torch.div(every, ORDER, rounding_mode="floor"), every % ORDER], 1)
        trained = torch.ones(ORDER**2, dtype=torch.bool)
        if S["trained"]:  # four pairs to a digit, the first the lowest bit
            digits = [int(digit, 16) for digit in S["trained"]]
            trained = torch.tensor([digit >> bit & 1 > 0 for digit in digits for bit in range(4)][: ORDER**2])
        self.sample = Sample(pairs[None, trained], table[None, trained])
        held_out = ~trained if S["trained"] else trained
        self.held_out = pairs[None, held_out][:, : S["held"]], table[None, held_out][:, : S["held"]]

    def batch(self):
        return self.sample.batch(S["batch"])

    def measured(self, _):
        if S["batch"] == self.sample.size:
            return self.sample.x, self.sample.y
        return self.sample.x[:, :8192], self.sample.y[:, :8192]


def one_hot(x, place):
    """Element number `place` of every pair, `[replicas or 1, batch, order]`."""
    return functional.one_hot(x[..., place], ORDER).float()


def tested(data, p):
    """Loss and accuracy on held-out pairs, each `[replicas]`."""
    x, y = data.held_out
    return judged(y, forward(p, x))
