# f(x) = Π_i (w_i·x + b_i)

SHAPES = S["shapes"]


def drawn_weights(shape, fan_in):
    """Uniform on ±1/√fan_in, normal of variance 2/fan_in, or signs."""
    values = torch.empty(REPLICAS, *shape)
    if S["init"] == "gaussian":
        return values.normal_() * math.sqrt(2 / fan_in)
    if S["init"] == "sign":
        return (values.uniform_() < 0.5).float() * 2 / math.sqrt(fan_in) - 1 / math.sqrt(fan_in)
    return values.uniform_(-1, 1) / math.sqrt(fan_in)


def initial():
    p = {name: drawn_weights(shape, N) for name, shape in SHAPES.items()}
    for name in S["fixed"]:
        p[name].zero_()
    return p


def forward(p, x):
    z = x @ p["w"] + p["b"]
    return z.prod(2, keepdim=True)
