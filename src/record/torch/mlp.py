# f(x) = uᵀ σ(W x + b) + β

SHAPES = S["shapes"]


def initial():
    fans = {"w": N, "b": N, "u": S["width"], "beta": S["width"]}
    p = {name: drawn_weights(shape, fans[name]) for name, shape in SHAPES.items()}
    if S["init"] in ("sparse", "perturbed"):
        # Ones on a few inputs of each neuron; layers above are uniform.
        scores = torch.rand(REPLICAS, *SHAPES["w"])
        chosen = scores.argsort(1).argsort(1) < S["ones"]
        p["w"] = torch.where(chosen, 1.0, 0.5 / N if S["init"] == "perturbed" else 0.0)
    for name in S["fixed"]:
        p[name].fill_(1.0 if name == "u" else 0.0)
    return p


def forward(p, x):
    return sigma(x @ p["w"] + p["b"]) @ p["u"] + p["beta"]
