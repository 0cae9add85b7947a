# One layer on the tokens a, b and "=", read out at "=", without layer norm (Nanda et al. 2023)

SHAPES = S["shapes"]
HEADS, SIZE = S["heads"], S["dattn"]


def initial():
    p = {}
    for name, shape in SHAPES.items():
        size = ORDER + 1 if name == "unembed" else S["demb"]
        p[name] = torch.randn(REPLICAS, *shape) / math.sqrt(size)
    p["b_in"].zero_()
    p["b_out"].zero_()
    return p


def forward(p, x):
    a, b = one_hot(x, 0) @ p["embed"], one_hot(x, 1) @ p["embed"]
    equals = p["equals"].expand(-1, a.shape[1], -1)
    tokens = torch.stack([a, b, equals], 2) + p["positions"][:, None]  # [replicas, batch, 3, d]
    split = lambda z: z.unflatten(-1, (HEADS, SIZE)).transpose(2, 3)  # [replicas, batch, heads, tokens, size]
    q = split(tokens[:, :, 2:] @ p["query"][:, None])
    k, v = split(tokens @ p["key"][:, None]), split(tokens @ p["value"][:, None])
    shares = (q @ k.transpose(3, 4) / math.sqrt(SIZE)).softmax(-1)
    mixed = (shares @ v).transpose(2, 3).flatten(3).squeeze(2)  # [replicas, batch, heads · size]
    z = tokens[:, :, 2] + mixed @ p["out"]
    h = torch.relu(z @ p["w_in"] + p["b_in"])
    return (z + h @ p["w_out"] + p["b_out"]) @ p["unembed"]
