def initial():
    fans = {"w": N, "b": N, "u": S["width"], "beta": S["width"]}
    p = {name: drawn_weights(shape, fans[name]) for name, shape in SHAPES.items()}
    p["w"] = few_ones(p["w"], N)
    for name in S["fixed"]:
        p[name].fill_(1.0 if name == "u" else 0.0)
    return p
