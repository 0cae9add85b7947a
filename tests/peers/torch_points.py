"""Decoders on points of a function for torch_bench.py: each label is predicted from the points before it.

Formulas are those of `src/model/models/in_context_transformer.rs`, one replica, and prompts are drawn in every step: points of
random networks of ReLUs, one network for each prompt. The last answer is not read, as there. Softmax attention and RMSNorm
are PyTorch's own calls. The learning rate stays: what a schedule takes is nothing beside a step, and a CUDA graph has none.
"""

import torch
from torch.nn import functional

# The lab's own settings of what is timed here.
DEFAULTS = {
    "class": "network",
    "dim": "1",
    "const": "yes",
    "points": "17",
    "dist": "normal",
    "s": "1.5",
    "deep": "3",
    "k": "8",
    "noise": "0",
    "batch": "64",
    "model": "in-context-transformer",
    "blocks": "2",
    "width": "32",
    "heads": "2",
    "dmlp": "64",
    "format": "interleaved",
    "attend": "softmax",
    "norm": "rms",
    "act": "relu",
    "pos": "learned",
    "lr": "0.002",
    "b1": "0.9",
    "b2": "0.99",
    "clip": "1",
    "wd": "0",
}
CHOICES = {
    "class": ("network",),
    "const": ("yes",),
    "dist": ("normal",),
    "noise": ("0",),
    "model": ("in-context-transformer",),
    "format": ("interleaved", "joint"),
    "attend": ("softmax", "relu"),
    "norm": ("rms", "layer"),
    "act": ("relu", "gelu"),
    "pos": ("learned", "none"),
    "wd": ("0",),
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


class Points:
    """Prompts of points, each of a random network of its own."""

    def __init__(self, settings, device):
        self.batch, self.points = int(settings["batch"]), int(settings["points"])
        self.scale, self.device = float(settings["s"]), device
        self.inputs, hidden = int(settings["dim"]) + 1, int(settings["k"])
        self.sizes = [self.inputs, *(hidden for _ in range(int(settings["deep"]) - 1)), 1]

    def sample(self):
        """Inputs `[batch, points, inputs]` and labels `[batch, points, 1]`."""
        x = torch.randn(self.batch, self.points, self.inputs, device=self.device).mul_(self.scale)
        x[..., -1] = 1
        h = x
        for layer, (below, above) in enumerate(zip(self.sizes, self.sizes[1:])):
            is_last = layer + 2 == len(self.sizes)
            deviation = ((1 if is_last else 2) / below) ** 0.5
            h = torch.bmm(h, torch.randn(self.batch, below, above, device=self.device).mul_(deviation))
            h = h if is_last else torch.relu_(h)
        return x, h


class Decoder:
    """Layers of attention and an MLP on two tokens for each point."""

    def __init__(self, settings, points, device):
        self.points, self.heads = points.points, int(settings["heads"])
        self.settings, self.width = settings, int(settings["width"])
        width, hidden, blocks = self.width, int(settings["dmlp"]), int(settings["blocks"])

        def normal(deviation, *shape):
            return (deviation * torch.randn(shape, device=device)).requires_grad_()

        def ones():
            return torch.ones(width, device=device, requires_grad=True)

        self.read_in = normal(0.1, points.inputs + 1, width)
        self.positions = normal(0.1, 2 * self.points, width) if settings["pos"] == "learned" else None
        added = (2 * blocks) ** -0.5
        self.layers = [
            [
                ones(),
                # Queries, keys and values in one product.
                normal(width**-0.5, width, 3 * width),
                normal(added * width**-0.5, width, width),
                ones(),
                normal(width**-0.5, width, hidden),
                normal(added * hidden**-0.5, hidden, width),
            ]
            for _ in range(blocks)
        ]
        self.gain, self.readout = ones(), normal(width**-0.5, width, 1)
        self.parameters = [self.read_in, self.gain, self.readout, *sum(self.layers, [])]
        if self.positions is not None:
            self.parameters.append(self.positions)
        length = 2 * self.points - 1
        self.past = torch.ones(length, length, device=device).tril()
        self.past /= self.past.sum(1, keepdim=True)

    def normed(self, h, gain):
        if self.settings["norm"] == "layer":
            return functional.layer_norm(h, (self.width,), gain, None, 1e-5)
        if hasattr(functional, "rms_norm"):
            return functional.rms_norm(h, (self.width,), gain, 1e-5)
        return h * torch.rsqrt(h.square().mean(-1, keepdim=True) + 1e-5) * gain

    def attend(self, q, k, v):
        if self.settings["attend"] == "softmax":
            return functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        scores = q @ k.transpose(2, 3) * q.shape[-1] ** -0.5
        return (torch.relu(scores) * self.past) @ v

    def forward(self, x, y):
        """Predictions `[batch, points, 1]`."""
        batch, points, _ = x.shape
        again = x if self.settings["format"] == "joint" else torch.zeros_like(x)
        tokens = torch.cat((x, torch.zeros_like(y), again, y), 2).view(batch, 2 * points, -1)[:, :-1]
        length = 2 * points - 1
        h = tokens @ self.read_in
        if self.positions is not None:
            h = h + self.positions[:length]
        for gain, into, out, gain_mlp, mlp_in, mlp_out in self.layers:
            parts = (self.normed(h, gain) @ into).view(batch, length, 3, self.heads, -1)
            q, k, v = parts.permute(2, 0, 3, 1, 4).unbind()  # [batch, heads, length, size]
            mixed = self.attend(q, k, v).transpose(1, 2).flatten(2)
            h = h + mixed @ out
            hidden = self.normed(h, gain_mlp) @ mlp_in
            is_relu = self.settings["act"] == "relu"
            hidden = torch.relu(hidden) if is_relu else functional.gelu(hidden, approximate="tanh")
            h = h + hidden @ mlp_out
        return self.normed(h[:, ::2], self.gain) @ self.readout


class PointNetwork:
    """A decoder, and one step of training on prompts that are drawn in it."""

    def __init__(self, settings, device, adam):
        self.points = Points(settings, device)
        self.net = Decoder(settings, self.points, device)
        self.clip = float(settings["clip"])
        betas = float(settings["b1"]), float(settings["b2"])
        self.optimizer = adam(self.net.parameters, device, lr=float(settings["lr"]), betas=betas)

    def step(self):
        x, y = self.points.sample()
        loss = functional.mse_loss(self.net.forward(x, y), y)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        if self.clip > 0:
            torch.nn.utils.clip_grad_norm_(self.net.parameters, self.clip)
        self.optimizer.step()


def needed(settings):
    """Bytes, roughly: what each layer keeps of every token, and the weights of attention."""
    batch, points, blocks = (int(settings[key]) for key in ("batch", "points", "blocks"))
    width, heads, hidden = (int(settings[key]) for key in ("width", "heads", "dmlp"))
    tokens = 2 * batch * points
    return 4 * blocks * tokens * (20 * width + 4 * hidden + 8 * heads * points)
