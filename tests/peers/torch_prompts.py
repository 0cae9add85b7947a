"""Networks on prompts of tokens for torch_bench.py: attention, a perceptron on whole prompts, a bidirectional GRU.

Formulas are those of `src/model/models/token_attention.rs`, `src/model/models/token_mlp.rs` and `src/model/models/gru.rs`, one replica
each, and prompts are drawn in every step. The codes of a position and of its names are looked up in one call, and a label
is gathered from what g makes of each token by itself. Both directions of the GRU go through a position in the same six
calls; `torch.nn.GRU` in their place is a network of its own.
"""

import math

import torch
from torch.nn import functional

# The lab's own settings of what is timed here.
DEFAULTS = {
    "n": "8",
    "dim": "1",
    "q": "2",
    "g": "squares",
    "codes": "onehot",
    "batch": "64",
    "model": "token-attention",
    "h": "2",
    "qk": "combined",
    "scores": "positions",
    "values": "numbers",
    "width": "64",
    "widths": "128.128",
    "lr": "0.003",
    "wd": "0",
}
CHOICES = {
    "g": ("squares", "linear"),
    "codes": ("onehot", "random"),
    "model": ("token-attention", "token-mlp", "gru"),
    "qk": ("combined", "separate"),
    "scores": ("positions", "all"),
    "values": ("numbers", "token"),
}


def settings_of(link):
    """All settings of a link's; a `ValueError` where it names one that is not timed here."""
    given = dict(setting.split("=", 1) for setting in link.split("&") if setting)
    settings = DEFAULTS | given
    unknown = sorted(set(given) - set(DEFAULTS))
    unknown += [key for key, values in CHOICES.items() if settings[key] not in values]
    if unknown:
        raise ValueError(f"no work here for {', '.join(unknown)} in {link!r}")
    return settings


class Prompts:
    """Prompts of normal tokens, each position of which names `names` different ones, and their labels."""

    def __init__(self, settings, device):
        self.length, self.dim, self.names, self.batch = (int(settings[key]) for key in ("n", "dim", "q", "batch"))
        self.squares, self.device = settings["g"] == "squares", device
        n = self.length
        if settings["codes"] == "onehot":
            self.codes = torch.eye(n, device=device)
        else:
            size = int(5 * math.log(n))
            self.codes = (2 * torch.randint(0, 2, (n, size), device=device) - 1) / math.sqrt(size)
        direction = torch.randn(self.dim, self.names, device=device)
        self.direction = direction / direction.norm()
        # A position and its names, [batch, length, 1 + names]; the position itself is always the same.
        self.places = torch.arange(n, device=device)[:, None].repeat(self.batch, 1, 1 + self.names)
        self.width = self.dim + (1 + self.names) * self.codes.shape[1]

    def sample(self):
        """Tokens `[batch, length, dim]`, the codes beside them `[batch, length, width − dim]`, labels `[batch, length]`."""
        batch, n = self.batch, self.length
        tokens = torch.randn(batch, n, self.dim, device=self.device)
        names = self.places[..., 1:]
        if self.names == 1:
            names.random_(n)
        elif self.names == 2:
            first = torch.randint(n, (batch, n), device=self.device)
            names[..., 0] = first
            names[..., 1] = (first + torch.randint(1, n, (batch, n), device=self.device)) % n
        else:
            names.copy_(torch.rand(batch, n, n, device=self.device).argsort(-1)[..., : self.names])
        codes = functional.embedding(self.places, self.codes).view(batch, n, -1)
        if self.squares:
            # All names weigh the same, so that a token is one number.
            parts = (tokens.square().sum(2) - self.dim) / math.sqrt(self.names * self.dim)  # [batch, length]
            labels = parts.gather(1, names.reshape(batch, -1)).view(batch, n, -1).sum(2)
        else:
            parts = tokens @ self.direction  # [batch, length, names]
            labels = parts.gather(1, names).sum(2)
        return tokens, codes, labels


def uniform(fan_in, *shape, device):
    """Numbers of PyTorch's own law for linear layers."""
    bound = fan_in**-0.5
    return torch.empty(shape, device=device).uniform_(-bound, bound).requires_grad_()


class Attention:
    """One layer of attention, and a perceptron on what its heads give."""

    def __init__(self, settings, prompts, device):
        self.heads, width = int(settings["h"]), int(settings["width"])
        self.reads_all, self.gives_all = settings["scores"] == "all", settings["values"] == "token"
        read = prompts.width if self.reads_all else prompts.width - prompts.dim
        value = prompts.width if self.gives_all else prompts.dim
        make = lambda fan_in, *shape: uniform(fan_in, *shape, device=device)
        self.size = read
        if settings["qk"] == "combined":
            self.q = (0.1 * torch.randn(read, self.heads * read, device=device)).requires_grad_()
            self.k = None
        else:
            self.q, self.k = make(read, read, self.heads * read), make(read, read, self.heads * read)
        given = self.heads * value
        self.w1, self.b1 = make(given, given, width), make(given, width)
        self.w2, self.b2 = make(width, width, 1), make(width, 1)
        self.parameters = [p for p in (self.q, self.k, self.w1, self.b1, self.w2, self.b2) if p is not None]

    def forward(self, tokens, codes):
        """Outputs `[batch, length]`."""
        batch, length, _ = tokens.shape
        z = torch.cat([tokens, codes], 2) if self.reads_all or self.gives_all else None
        s, v = z if self.reads_all else codes, z if self.gives_all else tokens
        # What belongs to a position stands together, so that its heads are rows of one product.
        q = (s.flatten(0, 1) @ self.q).view(batch, length * self.heads, self.size)
        if self.k is None:
            scores = torch.bmm(q, s.transpose(1, 2))  # [batch, length · heads, length]
        else:
            k = (s.flatten(0, 1) @ self.k).view(batch, length, self.heads, self.size)
            root = self.size**-0.5
            if self.heads == 1:
                scores = torch.bmm(q, root * k[:, :, 0].transpose(1, 2))
            else:
                q = q.view(batch, length, self.heads, self.size)
                scores = root * torch.einsum("bihs,bjhs->bihj", q, k).flatten(1, 2)
        given = torch.bmm(scores.softmax(2), v).view(batch * length, -1)
        hidden = torch.relu(torch.addmm(self.b1, given, self.w1))
        return torch.addmm(self.b2, hidden, self.w2).view(batch, length)


class Perceptron:
    """Hidden layers on all tokens of a prompt with their codes."""

    def __init__(self, settings, prompts, device):
        below, self.layers = prompts.length * prompts.width, []
        for width in [*(int(width) for width in settings["widths"].split(".")), prompts.length]:
            self.layers.append([uniform(below, below, width, device=device), uniform(below, width, device=device)])
            below = width
        self.parameters = sum(self.layers, [])

    def forward(self, tokens, codes):
        h = torch.cat([tokens, codes], 2).flatten(1)
        for layer, (w, b) in enumerate(self.layers):
            h = torch.addmm(b, torch.relu(h) if layer else h, w)
        return h


class Recurrent:
    """A GRU in both directions, and a linear output."""

    def __init__(self, settings, prompts, device):
        self.width = w = int(settings["width"])
        make = lambda *shape: uniform(w, *shape, device=device)
        # Both directions side by side: what z adds to all gates, and what h does.
        self.input, self.input_bias = make(prompts.width, 6 * w), make(6 * w)
        self.hidden, self.hidden_bias = make(2, w, 3 * w), make(2, 1, 3 * w)
        self.out, self.beta = uniform(2 * w, 2 * w, 1, device=device), uniform(2 * w, 1, device=device)
        self.parameters = [self.input, self.input_bias, self.hidden, self.hidden_bias, self.out, self.beta]

    def states(self, z):
        """The states of both directions after each position was read, `[batch, length, 2 · width]`."""
        batch, length, _ = z.shape
        w = self.width
        a = torch.addmm(self.input_bias, z.flatten(0, 1), self.input).view(batch, length, 2, 3 * w)
        forth, back = a.permute(2, 1, 0, 3).unbind()  # [length, batch, 3 width]
        a = torch.stack([forth, back.flip(0)], 1)  # [length, way, batch, 3 width]
        gates, fresh = (part.unbind() for part in a.split([2 * w, w], 3))
        h, after = torch.zeros(2, batch, w, device=z.device), []
        for step in range(length):
            c = torch.baddbmm(self.hidden_bias, h, self.hidden)
            r, u = torch.sigmoid(gates[step] + c[..., : 2 * w]).chunk(2, 2)
            n = torch.tanh(torch.addcmul(fresh[step], r, c[..., 2 * w :]))
            h = torch.lerp(n, h, u)  # (1 − u) n + u h
            after.append(h)
        forth, back = torch.stack(after).permute(1, 2, 0, 3).unbind()  # [batch, length, width]
        return torch.cat([forth, back.flip(1)], 2)

    def forward(self, tokens, codes):
        z = torch.cat([tokens, codes], 2)
        return torch.addmm(self.beta, self.states(z).flatten(0, 1), self.out).view(z.shape[:2])


class LibraryRecurrent(Recurrent):
    """The same with `torch.nn.GRU`."""

    def __init__(self, settings, prompts, device):
        super().__init__(settings, prompts, device)
        self.gru = torch.nn.GRU(prompts.width, self.width, batch_first=True, bidirectional=True).to(device)
        self.parameters = [*self.gru.parameters(), self.out, self.beta]

    def states(self, z):
        return self.gru(z)[0]


NETS = {"token-attention": Attention, "token-mlp": Perceptron, "gru": Recurrent}
# Layers that PyTorch has ready-made.
LIBRARY = {"gru": LibraryRecurrent}


class PromptNetwork:
    """A network on prompts, and one step of training on those that are drawn in it."""

    def __init__(self, settings, device, library, adam):
        self.prompts = Prompts(settings, device)
        self.net = (LIBRARY if library else NETS)[settings["model"]](settings, self.prompts, device)
        decay = float(settings["wd"])
        decays = {"weight_decay": decay} if decay > 0 else {}
        self.optimizer = adam(self.net.parameters, device, decays=decay > 0, lr=float(settings["lr"]), **decays)

    def loss(self):
        tokens, codes, labels = self.prompts.sample()
        return functional.mse_loss(self.net.forward(tokens, codes), labels)

    def step(self):
        loss = self.loss()
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.optimizer.step()


def needed(settings):
    """Bytes, roughly: scores of every pair of positions, and what is in a row for every position."""
    n, batch, width = (int(settings[key]) for key in ("n", "batch", "width"))
    row = 40 * width + 20 * (int(settings["dim"]) + (1 + int(settings["q"])) * n)
    widths = sum(int(width) for width in settings["widths"].split("."))
    return 4 * batch * n * (row + 10 * widths + 10 * int(settings["h"]) * n)
