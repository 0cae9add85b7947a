# f(x)_{p,i} = Σ_{q ≤ p} 1[x_q = i] Σ_{s ≤ q} v_{q−s} W[x_p, x_s]

SHAPES = S["shapes"]
PLACES = torch.arange(T)
PAST = (PLACES <= PLACES[:, None]).float()
DISTANCE = (PLACES[:, None] - PLACES).clamp_min(0)


def initial():
    lags = (PLACES[None] == (S["from"] != "unigram")).float()  # at distance 1, or 0
    w0, v0 = torch.tensor(S.get("w0", 0.0)), torch.tensor(S.get("v0", 0.0))
    values = {
        "bigram": {"kernel": torch.eye(K), "lags": lags},
        "unigram": {"kernel": torch.ones(K, K), "lags": lags},
        "constant": {"kernel": w0, "lags": v0},
        "layer1": {"kernel": w0, "lags": lags},
        "layer2": {"kernel": torch.eye(K), "lags": v0},
    }
    return {name: values[S["from"]][name].float().expand(REPLICAS, *shape).clone() for name, shape in SHAPES.items()}


def forward(p, x):
    """Logits after every symbol, `[replicas, batch · length, symbols]`."""
    symbols = one_hot(x)  # [replicas or 1, batch, length, symbols]
    lags = p["lags"][:, 0][:, DISTANCE] * PAST  # v_{q−s}, [replicas, length, length]
    seen = lags[:, None] @ symbols @ p["kernel"].transpose(1, 2)[:, None]  # of every m: [replicas, batch, q, m]
    reached = symbols @ seen.transpose(2, 3)  # Σ_s v_{q−s} W[x_p, x_s], [replicas, batch, p, q]
    return ((reached * PAST) @ symbols).flatten(1, 2)
