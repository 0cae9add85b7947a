# f(x) = Σ_i (u_i·x)^k w_i, the logits of +1 and −1: here the first less the second

SHAPES = S["shapes"]
NU = S["degree"] + 1


def initial():
    if S["from"] == "maximum":
        return of_largest_margin()
    deviation = S["std"] or 1 / math.sqrt(N)
    return {name: deviation * torch.randn(REPLICAS, *shape) for name, shape in SHAPES.items()}


def of_largest_margin():
    """A neuron for each pattern of signs up to a common one (Edelman 2024, appendix D.7). All others are zero."""
    p = {name: torch.zeros(REPLICAS, *shape) for name, shape in SHAPES.items()}
    k = len(RELEVANT)
    pattern, bit = torch.arange(2 ** (k - 1)), torch.arange(k)[:, None]
    signs = 1 - 2.0 * (torch.div(pattern, 2**bit, rounding_mode="floor") % 2).double()  # [k, neurons]
    share = len(pattern) ** (-1 / (k + 1))
    p["u"][:, RELEVANT, : len(pattern)] = (share * signs / math.sqrt(k + 1)).float()
    outer = (share * signs.prod(0) / math.sqrt(2 * (k + 1))).float()
    p["w"][:, 0, : len(pattern)], p["w"][:, 1, : len(pattern)] = outer, -outer
    return p


def forward(p, x):
    z = x @ p["u"]
    w = p["w"][:, :1] - p["w"][:, 1:]  # [replicas, 1, neurons]
    return z ** S["degree"] @ w.transpose(1, 2)
