# Data: prompts of points. Each prompt has a function of its own, and every label is to be predicted from the points before.
#
# A row of x is a prompt: all its inputs, then all its labels. Losses are squared errors; what is measured is relative to the
# mean variance of the labels within a prompt, and in place of accuracy there is R², on held-out prompts at the last point.

DIM, POINTS = S["dim"], S["points"]
COORDINATES = DIM + (S["const"] == "yes")


def inputs(shape, scale, weight):
    """Inputs `[*shape, POINTS, COORDINATES]`; of a mixture N(2, I) has this weight."""
    x = torch.randn(*shape, POINTS, DIM)
    if S["dist"] == "mixture":
        x = x + 4.0 * (torch.rand(*shape, POINTS, 1) < weight) - 2
    else:
        x = S["s"] * x
    return torch.cat([scale * x, torch.ones(*shape, POINTS, COORDINATES - DIM)], -1)


def values(x):
    """A function for each prompt, drawn now, and its values `[*shape, POINTS]`."""
    shape = x.shape[:-2]
    if S["class"] == "tree":
        nodes = 2 ** S["splits"] - 1
        places, leaves = torch.randint(0, DIM, (*shape, nodes)), torch.randn(*shape, nodes + 1)
        node = torch.zeros(*shape, POINTS, dtype=torch.long)
        for _ in range(S["splits"]):
            place = places.gather(-1, node)[..., None]
            node = 2 * node + 1 + (x.gather(-1, place)[..., 0] > 0).long()
        return leaves.gather(-1, node - nodes)
    if S["class"] == "network":
        sizes = [COORDINATES] + [S["k"]] * (S["deep"] - 1) + [1]
        for layer, (rows, columns) in enumerate(zip(sizes, sizes[1:])):
            x = x @ (torch.randn(*shape, rows, columns) / math.sqrt(rows))
            if layer < len(sizes) - 2:
                x = math.sqrt(2) * torch.relu(x)
        return x[..., 0]
    w = torch.randn(*shape, COORDINATES)
    if S["class"] == "sparse":
        places = torch.rand(*shape, DIM).argsort(-1)[..., : S["sparse"]]
        w = w * torch.zeros(*shape, COORDINATES).scatter(-1, places, 1.0)
    return (x @ w[..., None])[..., 0]


def drawn(shape, scale, weight, noise):
    """Rows of prompts and their labels."""
    x = inputs(shape, scale, weight)
    y = values(x)
    y = y + noise * torch.randn(y.shape)
    return torch.cat([x.flatten(-2), y], -1), y


class Data:
    """Training batches, and what is measured on."""

    def __init__(self):
        self.held_out = drawn((1, S["held"]), S["ts"], S.get("tw2", 0.0), S["noise"])

    def batch(self):
        return drawn((REPLICAS, S["batch"]), 1, S.get("w2", 0.0), S["noise"])

    def measured(self, batch):
        """What training is measured on: the batch that comes next."""
        return batch


def tokens(x, is_joint=False):
    """(x, 0) and (0, y), or (x, y), of each point, `[replicas or 1, batch, 2 · POINTS, COORDINATES + 1]`."""
    labels = x[..., POINTS * COORDINATES :].unsqueeze(-1)
    x = x[..., : POINTS * COORDINATES].unflatten(-1, (POINTS, COORDINATES))
    again = x if is_joint else torch.zeros_like(x)
    return torch.cat((x, torch.zeros_like(labels), again, labels), -1).flatten(2).unflatten(-1, (2 * POINTS, COORDINATES + 1))


def losses(y, f):
    """Of every point, `[replicas, batch, POINTS]`."""
    return (f - y).square()


def judged(y, f):
    """Mean squared error relative to the variance of labels, and R², each `[replicas]`."""
    error = losses(y, f).mean((1, 2)) / S["variance"]
    return error, 1 - error


def tested(data, p):
    """The same on held-out prompts, at the last point."""
    x, y = data.held_out
    return judged(y[..., -1:], forward(p, x)[..., -1:])
