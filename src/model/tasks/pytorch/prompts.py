# Data: prompts of tokens. Each position names a few of them, and its label is a function g of those that it names.
#
# A row of x is a prompt: all its tokens, then all names as positions from 0. Losses are squared errors; what is measured
# is relative to the variance of a label, so that 1 is knowing nothing, and in place of accuracy there is R².

N, DIM, NAMES, CODE = S["n"], S["dim"], S["q"], S["code_dim"]
ROOT = math.sqrt(NAMES * DIM)


def parts(x):
    """Tokens `[replicas or 1, batch, N, DIM]` and names `[replicas or 1, batch, N, NAMES]`."""
    tokens, names = x.split([N * DIM, N * NAMES], -1)
    return tokens.unflatten(-1, (N, DIM)), names.unflatten(-1, (N, NAMES)).long()


def g(named):
    """The labels of named tokens, which stand side by side in the last axis."""
    if S["g"] == "mean":
        return named.sum(-1) / ROOT
    if S["g"] == "squares":
        return (named.square() - 1).sum(-1) / ROOT
    hidden = named @ torch.tensor(S["teacher_w"], dtype=torch.float)  # linear, or a network of ReLUs with these weights
    if S["g"] == "linear":
        return hidden.squeeze(-1)
    return torch.relu(hidden) @ torch.tensor(S["teacher_a"], dtype=torch.float) + S["teacher_c"]


def labels(x):
    tokens, names = parts(x)
    places = names.flatten(2)[..., None].expand(-1, -1, -1, DIM)
    return g(tokens.gather(2, places).view(*tokens.shape[:3], NAMES * DIM))  # [replicas or 1, batch, N]


def drawn(replicas, size, lists):
    """Prompts and labels; with lists of names for all positions, or with one list for all of them."""
    tokens = torch.randn(replicas, size, N * DIM)
    shape = (replicas, size, 1 if lists == "one" else N)
    if S["draw"] == "distinct":
        names = torch.rand(*shape, N).argsort(-1)[..., :NAMES]
    else:
        names = torch.randint(0, N, (*shape, NAMES))
    names = names.expand(replicas, size, N, NAMES)
    x = torch.cat([tokens, names.flatten(2).float()], -1)
    return x, labels(x)


def noisy(x, y):
    return x, y + S["noise"] * torch.randn(y.shape)


class Data:
    """Training batches, and what is measured on."""

    def __init__(self):
        self.held_out = drawn(1, S["held"], "one" if S["test"] == "one" else S["lists"])
        self.sample = Sample(*noisy(*drawn(REPLICAS, S["m"], S["lists"]))) if S["m"] > 0 else None

    def batch(self):
        if self.sample:
            return self.sample.batch(S["batch"])
        return noisy(*drawn(REPLICAS, S["batch"], S["lists"]))

    def measured(self, batch):
        """What training is measured on: the sample, or the batch that comes next."""
        return (self.sample.x[:, :8192], self.sample.y[:, :8192]) if self.sample else batch


def drawn_codes():
    """Codes of all positions, vectors of length 1, the same in all replicas: `[replicas, N, CODE]`."""
    if S["codes"] == "onehot":
        codes = torch.eye(N)
    elif S["codes"] == "random":
        codes = (2.0 * torch.randint(0, 2, (N, CODE)) - 1) / math.sqrt(CODE)
    else:
        codes = torch.linalg.qr(torch.randn(CODE, N)).Q.T
    return codes.repeat(REPLICAS, 1, 1)


def encoded(p, x):
    """Each token with the code of its position and the codes of its names, `[replicas, batch, N, width]`."""
    tokens, names = parts(x.expand(REPLICAS, -1, -1))
    batch, codes = tokens.shape[1], S["code_scale"] * p["codes"]
    own = codes[:, None].expand(-1, batch, -1, -1)
    places = names.flatten(1)[..., None].expand(-1, -1, CODE)
    named = codes.gather(1, places).view(REPLICAS, batch, N, NAMES * CODE)
    return torch.cat([tokens, own, named], -1)


def losses(y, f):
    """Of every position, `[replicas, batch, N]`."""
    return (f - y).square()


def judged(y, f):
    """Mean squared error relative to the variance of a label, and R², each `[replicas]`."""
    error = losses(y, f).mean((1, 2)) / S["variance"]
    return error, 1 - error


def tested(data, p):
    """The same on held-out prompts."""
    x, y = data.held_out
    return judged(y, forward(p, x))
