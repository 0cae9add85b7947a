"""Networks on sequences of symbols for torch_bench.py: attention alone, and the minimal model.

Formulas are those of `src/model/models/attention_only.rs` and `src/model/models/minimal_markov.rs`, one replica each. What
depends on the distance between two places is made of a row per distance by reshaping alone, in one product for all
sequences of a head.
"""

import math

import torch
from torch.nn import functional

# The lab's own settings of what is timed here, for each optimizer where they differ.
DEFAULTS = {
    "k": "2",
    "t": "50",
    "gram": "2",
    "batch": "32",
    "model": "attention-only",
    "d": "16",
    "heads": "1.1",
    "norm": "none",
    "std": "0.1",
    "v0": "0.02",
    "w0": "0",
    "opt": "adam",
    "wd": "0",
}
RATES = {"adam": "0.005", "sgd": "0.1"}
POOL = 64  # batches that are drawn beforehand


def settings_of(link):
    """All settings of a link's; a `ValueError` where it names one that is not timed here."""
    given = dict(setting.split("=", 1) for setting in link.split("&") if setting)
    settings = DEFAULTS | {"lr": RATES.get(given.get("opt", "adam"), "")} | given
    unknown = sorted(set(given) - set(DEFAULTS) - {"lr"})
    choices = {"model": ("attention-only", "minimal-markov"), "norm": ("none", "pre"), "opt": ("adam", "sgd")}
    unknown += [key for key, values in choices.items() if settings[key] not in values]
    if unknown:
        raise ValueError(f"no work here for {', '.join(unknown)} in {link!r}")
    return settings


class Chains:
    """Sequences of chains of their own: rows of transition matrices uniform on the simplex, stationary beginnings."""

    def __init__(self, settings, device):
        self.k, self.length = int(settings["k"]), int(settings["t"])
        self.order, self.batch = int(settings["gram"]), int(settings["batch"])
        contexts = torch.arange(self.k ** (self.order - 1), device=device)
        # The number of the context that follows, but for its new symbol.
        self.shifted = self.k * (contexts % self.k ** (self.order - 2))
        self.following = self.shifted[:, None] + torch.arange(self.k, device=device)  # [contexts, symbols]
        self.device = device

    def rows(self):
        """Transition matrices, `[batch, contexts, symbols]`: exponentials over their sum are uniform."""
        shape = (self.batch, len(self.shifted), self.k)
        drawn = torch.empty(shape, device=self.device).exponential_()
        return drawn / drawn.sum(2, keepdim=True)

    def beginnings(self, rows):
        """A context of each chain from its stationary law, `[batch, 1]`."""
        count = len(self.shifted)
        power = torch.zeros(self.batch, count, count, device=self.device)
        power.scatter_(2, self.following.expand(self.batch, -1, -1), rows)
        for _ in range(10):  # 1,024 steps of the chain
            power = power @ power
        return self.chosen(power[:, 0], torch.rand(self.batch, 1, device=self.device))

    @staticmethod
    def chosen(shares, drawn):
        """The first entry whose cumulated share exceeds what was drawn, along the last axis."""
        return (drawn >= shares[..., :-1].cumsum(-1)).sum(-1, keepdim=True)

    def sample(self):
        """A batch, `[batch, length + 1]`.

        A number drawn is a map from every context to the next one, and maps are composed in pairs: the logarithm of
        the length in calls, not the length.
        """
        rows = self.rows()
        begin = self.beginnings(rows)
        steps = self.length + 2 - self.order
        drawn = torch.rand(self.batch, steps, 1, 1, device=self.device)
        maps = self.chosen(rows[:, None], drawn).squeeze(-1) + self.shifted  # [batch, steps, contexts]
        reach = 1
        while reach < steps:
            maps = torch.cat([maps[:, :reach], maps[:, reach:].gather(2, maps[:, :-reach])], 1)
            reach *= 2
        contexts = maps.gather(2, begin[:, None].expand(-1, steps, 1)).squeeze(2)  # [batch, steps]
        first = [torch.div(begin, self.k**back, rounding_mode="floor") for back in reversed(range(self.order - 1))]
        return torch.cat([*first, contexts], 1) % self.k


def by_distance(rows, beyond):
    """Entry (i, j) is entry length − 1 − i + j of row i, and `beyond` where j > i: `[any, length, length]`.

    Rows are by distance, the largest first.
    """
    count, length, _ = rows.shape
    padded = functional.pad(rows, (0, length), value=beyond)  # [any, length, 2 length]
    # Each row begins one entry further left than the one before.
    return padded.as_strided((count, length, length), (2 * length**2, 2 * length - 1, 1), length - 1)


class Attention:
    """Layers of attention on an embedding, read out at every symbol.

    W_Q, W_K and W_V are one tensor, and distances are from the largest down to 0.
    """

    def __init__(self, settings, device):
        self.k, self.length, self.d = int(settings["k"]), int(settings["t"]), int(settings["d"])
        self.heads = [int(heads) for heads in settings["heads"].split(".")]
        self.pre, deviation = settings["norm"] == "pre", float(settings["std"])
        residual = 1 / math.sqrt(2 * len(self.heads)) if self.pre else 1

        def normal(*shape, scale=deviation):
            return (scale * torch.randn(shape, device=device)).requires_grad_()

        def gain():
            return torch.ones(self.d, device=device, requires_grad=True) if self.pre else None

        d = self.d
        self.embed, self.readout, self.gain = normal(self.k, d), normal(d, self.k), gain()
        self.layers = [
            {
                "gain": gain(),
                "qkv": normal(d, 3 * d),
                "distances": normal(self.length, d),
                "out": normal(d, d, scale=deviation * residual) if self.pre else None,
            }
            for _ in self.heads
        ]
        self.symbols = torch.eye(self.k, device=device)
        gains = [self.gain, *(layer["gain"] for layer in self.layers)]
        linear = [self.readout, *(layer[name] for layer in self.layers for name in ("qkv", "out"))]
        others = [self.embed, *gains, *(layer["distances"] for layer in self.layers)]
        # Those that decay, and the others.
        self.parameters = [[one for one in group if one is not None] for group in (linear, others)]

    def normed(self, z, gain):
        return z if gain is None else functional.layer_norm(z, (self.d,), gain, None, 1e-5)

    def attend(self, z, layer, heads):
        rows, length = len(z), self.length
        size = self.d // heads
        qkv = (self.normed(z, layer["gain"]) @ layer["qkv"]).view(rows, 3, heads, size)
        q, k, v = qkv.permute(1, 2, 0, 3).contiguous().unbind()  # [heads, batch · length, size]
        distances = layer["distances"].view(length, heads, size).permute(1, 2, 0)
        skewed = by_distance(torch.bmm(q, distances).view(-1, length, length), -math.inf)
        q, k, v = (each.view(-1, length, size) for each in (q, k, v))  # [heads · batch, length, size]
        root = size**-0.5
        scores = torch.baddbmm(skewed, q, k.transpose(1, 2), beta=root, alpha=root)
        mixed = torch.bmm(scores.softmax(2), v)
        return mixed.view(heads, rows, size).transpose(0, 1).reshape(rows, self.d)

    def forward(self, contexts):
        """Logits, `[batch · length, symbols]`."""
        z = self.symbols[contexts.flatten()] @ self.embed
        for layer, heads in zip(self.layers, self.heads):
            mixed = self.attend(z, layer, heads)
            z = z + mixed if layer["out"] is None else torch.addmm(z, mixed, layer["out"])
        return self.normed(z, self.gain) @ self.readout


class Minimal:
    """W over pairs of symbols and v over distances, here from the largest down to 0."""

    def __init__(self, settings, device):
        self.k, self.length = int(settings["k"]), int(settings["t"])
        full = lambda shape, value: torch.full(shape, float(value), device=device, requires_grad=True)
        self.kernel = full((self.k, self.k), settings["w0"])
        self.lags = full((self.length,), settings["v0"])
        self.symbols = torch.eye(self.k, device=device)
        self.past = torch.ones(self.length, self.length, device=device).tril()
        self.parameters = [[self.kernel, self.lags], []]

    def forward(self, contexts):
        batch, length, k = len(contexts), self.length, self.k
        # Places first, so that what runs along them is one product for all sequences.
        symbols = self.symbols[contexts.t().flatten()]  # [length · batch, symbols]
        toeplitz = by_distance(self.lags.expand(1, length, length), 0.0)[0]
        seen = (toeplitz @ symbols.view(length, -1)).view(-1, k) @ self.kernel.t()
        followed = symbols[:, None, :] * seen[:, :, None]  # [length · batch, current, next]
        counts = (self.past @ followed.view(length, -1)).view(-1, k, k)
        logits = torch.bmm(symbols[:, None, :], counts).view(length, batch, k)
        return logits.transpose(0, 1).reshape(-1, k)


class SequenceNetwork:
    """A network on sequences, and one step of training on data that are drawn in it or were `prebuilt`."""

    def __init__(self, settings, device, prebuilt, adam):
        self.chains = Chains(settings, device)
        self.net = {"attention-only": Attention, "minimal-markov": Minimal}[settings["model"]](settings, device)
        self.pool = torch.stack([self.chains.sample() for _ in range(POOL)]) if prebuilt else None
        self.turn = torch.zeros(1, dtype=torch.long, device=device)
        self.rate, decay = float(settings["lr"]), float(settings["wd"])
        self.parameters = sum(self.net.parameters, [])
        self.optimizer = None
        if settings["opt"] == "adam":
            groups = [{"params": self.parameters}]
            if decay > 0:
                groups = [
                    {"params": group, "weight_decay": each} for group, each in zip(self.net.parameters, (decay, 0.0))
                ]
            self.optimizer = adam(groups, device, decays=decay > 0, lr=self.rate, betas=(0.9, 0.95))

    def batch(self):
        if self.pool is None:
            return self.chains.sample()
        # The turn is kept on the device, so that a graph takes the next batch too.
        self.turn.add_(1).remainder_(POOL)
        return self.pool.index_select(0, self.turn)[0]

    def loss(self, x):
        return functional.cross_entropy(self.net.forward(x[:, :-1]), x[:, 1:].flatten())

    def step(self):
        loss = self.loss(self.batch())
        if self.optimizer is None:
            gradients = torch.autograd.grad(loss, self.parameters)
            with torch.no_grad():
                torch._foreach_add_(self.parameters, gradients, alpha=-self.rate)
        else:
            self.optimizer.zero_grad(set_to_none=True)
            loss.backward()
            self.optimizer.step()


def needed(settings):
    """Bytes, roughly: what attention keeps of every pair of places, and what is in a row for every place."""
    places, t = int(settings["batch"]) * int(settings["t"]), int(settings["t"])
    heads = [int(heads) for heads in settings["heads"].split(".")]
    rows = len(heads) * 20 * int(settings["d"]) + 8 * int(settings["k"]) ** 2
    return 4 * places * (rows + 8 * t * sum(heads)) + 8 * POOL * places
