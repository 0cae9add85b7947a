# One block of attention, read out at [CLS], and one MLP (Edelman 2024, appendix B.4.1), without layer norm

SHAPES = S["shapes"]
HEADS, SIZE = S["heads"], S["dattn"]


def initial():
    p = {}
    for name, (rows, columns) in SHAPES.items():
        # A head's matrices by their own shape.
        fans = S["demb"] + SIZE if name in ("query", "key", "value", "out") else rows + columns
        p[name] = torch.empty(REPLICAS, rows, columns).uniform_(-1, 1) * math.sqrt(6 / fans)
    p["b1"].zero_()
    p["b2"].zero_()
    return p


def forward(p, x):
    plus, minus, cls = p["tokens"].split(1, 1)  # each [replicas, 1, d]
    bits = torch.where(x[..., None] > 0, plus[:, None], minus[:, None]) + p["positions"][:, None]
    tokens = torch.cat([bits, cls[:, None].expand(*bits.shape[:2], -1, -1)], 2)  # [replicas, batch, n + 1, d]
    split = lambda z: z.unflatten(-1, (HEADS, SIZE)).transpose(2, 3)  # [replicas, batch, heads, tokens, size]
    q = split(tokens[:, :, -1:] @ p["query"][:, None])
    k, v = split(tokens @ p["key"][:, None]), split(tokens @ p["value"][:, None])
    shares = (q @ k.transpose(3, 4) / math.sqrt(SIZE)).softmax(-1)
    mixed = (shares @ v).transpose(2, 3).flatten(3).squeeze(2)  # [replicas, batch, heads · size]
    z = cls + mixed @ p["out"]
    h = functional.gelu(z @ p["w1"] + p["b1"])
    return (z + h @ p["w2"] + p["b2"]) @ p["u"]
