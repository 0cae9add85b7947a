# z_0 = x, z_l = σ(W_l z_{l−1} + b_l)

SHAPES = S["shapes"]


def initial():
    p, fan_in = {}, N
    for name, shape in SHAPES.items():
        if name[0] in "wu":  # a bias follows the law of the weights before it
            fan_in = shape[0]
        p[name] = drawn_weights(shape, fan_in)
    p["w1"] = few_ones(p["w1"], N)
    return p
