# r = σ(a_r + c_r), u = σ(a_u + c_u), n = tanh(a_n + r ∘ c_n), h ← (1 − u) ∘ n + u ∘ h,
# with a = zW + b and c = hU + c_0: torch.nn.GRU, bidirectional, for networks side by side

SHAPES = S["shapes"]
WIDTH = S["width"]


def initial():
    p = {}
    for name, shape in SHAPES.items():
        fan_in = 2 * WIDTH if name in ("out", "beta") else WIDTH
        drawn = torch.empty(REPLICAS, *shape).uniform_(-1, 1) / math.sqrt(fan_in)
        p[name] = drawn_codes() if name == "codes" else drawn
    return p


def states(p, z, way, order):
    """The state after each position was read in this order, `[replicas, batch, N, WIDTH]`."""
    w, hidden, b, c_0 = (p[kind + way] for kind in "wubc")
    a = z @ w[:, None] + b[:, None]
    h, after = torch.zeros(REPLICAS, z.shape[1], WIDTH), {}
    for i in order:
        a_r, a_u, a_n = a[:, :, i].chunk(3, -1)
        c_r, c_u, c_n = (h @ hidden + c_0).chunk(3, -1)
        r, u = torch.sigmoid(a_r + c_r), torch.sigmoid(a_u + c_u)
        n = torch.tanh(a_n + r * c_n)
        h = (1 - u) * n + u * h
        after[i] = h
    return torch.stack([after[i] for i in range(N)], 2)


def forward(p, x):
    """`[replicas, batch, N]`."""
    z = encoded(p, x)
    both = torch.cat([states(p, z, "f", range(N)), states(p, z, "b", reversed(range(N)))], -1)
    return (both @ p["out"][:, None]).squeeze(-1) + p["beta"]
