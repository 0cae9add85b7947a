# The block of minGPT, read out at [CLS] (Edelman 2024, appendix A.3.1)

SHAPES = S["shapes"]
HEADS, WIDTH = S["heads"], S["demb"]


def initial():
    p = {name: 0.02 * torch.randn(REPLICAS, *shape) for name, shape in SHAPES.items()}
    p["gains"].fill_(1)
    for name in ("shifts", "biases", "b1", "b2"):
        p[name].zero_()
    return p


def row(values, which):
    return values[:, which : which + 1]


def normed(p, z, which):
    """Layer norm number `which` of `[replicas, ..., d]`."""
    if S["ln"] == "no":
        return z
    gain, shift = (row(p[name], which).view(-1, *[1] * (z.dim() - 2), WIDTH) for name in ("gains", "shifts"))
    return functional.layer_norm(z, (WIDTH,), eps=1e-5) * gain + shift


def dropped(z, rate):
    """Dropout in a training step; nothing is dropped where the network is measured."""
    return functional.dropout(z, rate) if rate > 0 and torch.is_grad_enabled() else z


def forward(p, x):
    one, zero, cls = (row(p["tokens"], which) for which in range(3))
    cls = cls + row(p["tokens"], 3)  # with its position
    bits = torch.where(x[..., None] > 0, one[:, None], zero[:, None]) + p["positions"][:, None]
    tokens = torch.cat([bits, cls[:, None].expand(*bits.shape[:2], -1, -1)], 2)
    tokens = dropped(tokens, S["edrop"])
    y = normed(p, tokens, 0)  # [replicas, batch, n + 1, d]
    split = lambda z: z.unflatten(-1, (HEADS, WIDTH // HEADS)).transpose(2, 3)  # [replicas, batch, heads, tokens, size]
    q = split(y[:, :, -1:] @ p["query"][:, None] + row(p["biases"], 0)[:, None])
    k = split(y @ p["key"][:, None])
    v = split(y @ p["value"][:, None] + row(p["biases"], 1)[:, None])
    shares = dropped((q @ k.transpose(3, 4) / math.sqrt(WIDTH // HEADS)).softmax(-1), S["adrop"])
    mixed = (shares @ v).transpose(2, 3).flatten(3).squeeze(2)  # [replicas, batch, d]
    z = tokens[:, :, -1] + dropped(mixed @ p["out"] + row(p["biases"], 2), S["rdrop"])
    h = functional.gelu(normed(p, z, 1) @ p["w1"] + p["b1"])
    classes = normed(p, z + dropped(h @ p["w2"] + p["b2"], S["rdrop"]), 2) @ p["head"]
    return classes[..., 1:] - classes[..., :1]  # logit of +1 less that of −1
