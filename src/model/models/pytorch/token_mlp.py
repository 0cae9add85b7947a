# h_0 = [z_1; …; z_N], h_l = relu(h_{l−1} W_l + b_l), ŷ = h_L W_{L+1} + b_{L+1}

SHAPES = S["shapes"]


def initial():
    p, fan_in = {}, 0
    for name, shape in SHAPES.items():
        if name == "codes":
            p[name] = drawn_codes()
            continue
        if name[0] == "w":  # a bias has the bound of the weights before it
            fan_in = shape[0]
        p[name] = torch.empty(REPLICAS, *shape).uniform_(-1, 1) / math.sqrt(fan_in)
    return p


def forward(p, x):
    """`[replicas, batch, N]`."""
    h = encoded(p, x).flatten(2)
    for layer in range(1, S["depth"] + 2):
        if layer > 1:
            h = torch.relu(h)
        h = h @ p[f"w{layer}"] + p[f"b{layer}"]
    return h
