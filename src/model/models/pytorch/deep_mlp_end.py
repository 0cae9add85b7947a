# All layers are trained together: f(x) = uᵀ z_L + β

LAYERS = S["depth"]


def forward(p, x):
    z = x
    for layer in range(1, LAYERS + 1):
        z = sigma(z @ p[f"w{layer}"] + p[f"b{layer}"])
    return z @ p[f"u{LAYERS}"] + p[f"beta{LAYERS}"]
