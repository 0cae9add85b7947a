# f(x) = Σ_i (u_i·x)^k w_i, the logits of +1 and −1: here the first less the second

SHAPES = S["shapes"]
NU = S["degree"] + 1


def initial():
    deviation = S["std"] or 1 / math.sqrt(N)
    return {name: deviation * torch.randn(REPLICAS, *shape) for name, shape in SHAPES.items()}


def forward(p, x):
    z = x @ p["u"]
    w = p["w"][:, :1] - p["w"][:, 1:]  # [replicas, 1, neurons]
    return z ** S["degree"] @ w.transpose(1, 2)
