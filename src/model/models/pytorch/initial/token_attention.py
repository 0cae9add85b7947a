def initial():
    # PyTorch's own law for linear layers, but for W_QK.
    fan_in = {"q": READ, "k": READ, "w1": HEADS * SIZE, "b1": HEADS * SIZE, "w2": S["width"], "b2": S["width"]}
    p = {}
    for name, shape in SHAPES.items():
        if name == "codes":
            p[name] = drawn_codes()
        elif name == "qk":
            p[name] = S["std_qk"] * torch.randn(REPLICAS, *shape)
        else:
            p[name] = (2 * torch.rand(REPLICAS, *shape) - 1) / math.sqrt(fan_in[name])
    return p
