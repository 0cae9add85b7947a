# f(a, b) = ReLU((E[a] + E'[b]) W + β) U, or with E[a] and E'[b] side by side; E' = E where tied

SHAPES = S["shapes"]


def initial():
    p = {}
    for name, shape in SHAPES.items():
        gain = 2 if name.startswith("embed") else 1
        p[name] = torch.randn(REPLICAS, *shape) * math.sqrt(gain / shape[0])
    p["b"].zero_()
    return p


def forward(p, x):
    a = one_hot(x, 0) @ p["embed"]
    b = one_hot(x, 1) @ p["embed" if S["tied"] == "yes" else "embed_b"]
    joined = a + b if S["join"] == "sum" else torch.cat([a, b], 2)
    return torch.relu(joined @ p["w"] + p["b"]) @ p["unembed"]
