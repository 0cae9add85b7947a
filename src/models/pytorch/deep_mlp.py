# z_0 = x, z_l = σ(W_l z_{l−1} + b_l), f(x) = uᵀ z_L + β

SHAPES = S["shapes"]
LAYERS = S["depth"]


def initial():
    p, fan_in = {}, N
    for name, shape in SHAPES.items():
        if name[0] in "wu":  # a bias follows the law of the weights before it
            fan_in = shape[0]
        p[name] = drawn_weights(shape, fan_in)
    p["w1"] = few_ones(p["w1"], N)
    return p


def forward(p, x):
    z = x
    for layer in range(1, LAYERS + 1):
        z = sigma(z @ p[f"w{layer}"] + p[f"b{layer}"])
    return z @ p[f"u{LAYERS}"] + p[f"beta{LAYERS}"]
