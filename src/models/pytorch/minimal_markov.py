# f(x)_{p,i} = Σ_{q ≤ p} 1[x_q = i] Σ_{s ≤ q} v_{q−s} W[x_p, x_s]

SHAPES = S["shapes"]
PLACES = torch.arange(T)
PAST = (PLACES <= PLACES[:, None]).float()
DISTANCE = (PLACES[:, None] - PLACES).clamp_min(0)


def initial():
    values = {"kernel": S["w0"], "lags": S["v0"]}
    return {name: torch.full((REPLICAS, *shape), float(values[name])) for name, shape in SHAPES.items()}


def forward(p, x):
    """Logits after every symbol, `[replicas, batch · length, symbols]`."""
    symbols = one_hot(x)  # [replicas or 1, batch, length, symbols]
    lags = p["lags"][:, 0][:, DISTANCE] * PAST  # v_{q−s}, [replicas, length, length]
    seen = lags[:, None] @ symbols @ p["kernel"].transpose(1, 2)[:, None]  # of every m: [replicas, batch, q, m]
    reached = symbols @ seen.transpose(2, 3)  # Σ_s v_{q−s} W[x_p, x_s], [replicas, batch, p, q]
    return ((reached * PAST) @ symbols).flatten(1, 2)
