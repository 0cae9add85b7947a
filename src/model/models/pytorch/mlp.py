# f(x) = uᵀ σ(W x + b) + β

SHAPES = S["shapes"]


def forward(p, x):
    return sigma(x @ p["w"] + p["b"]) @ p["u"] + p["beta"]
