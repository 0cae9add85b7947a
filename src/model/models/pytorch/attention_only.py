# z_i ← z_i + Σ_{j ≤ i} softmax(q_i·(k_j + R_{i−j}) / √size)_j v_j, layer by layer, and z_i P for logits

SHAPES = S["shapes"]
D, PRE = S["d"], S["norm"] == "pre"
PLACES = torch.arange(T)
DISTANCE = (PLACES[:, None] - PLACES).clamp_min(0)  # i − j
FUTURE = PLACES > PLACES[:, None]


def initial():
    if S["from"] == "circuit":
        return induction_head()
    p = {}
    for name, shape in SHAPES.items():
        # What is added to the residual stream is smaller with a norm, as in the authors' code.
        added = PRE and (name.startswith("out") or name.startswith("mlp_out"))
        deviation = S["std"] / math.sqrt(2 * len(S["heads"])) if added else S["std"]
        is_gain = "gain" in name
        p[name] = torch.ones(REPLICAS, *shape) if is_gain else deviation * torch.randn(REPLICAS, *shape)
    if S["from"] != "drawn":
        given = {"layer1": "1", "layer2": "2"}.get(S["from"], "none")
        by_hand = induction_head()
        p |= {name: by_hand[name] for name in SHAPES if name in ("embed", "readout") or name.endswith(given)}
    return p


def induction_head():
    """Written by hand (Edelman 2024, proposition 8.2), in blocks of K: the symbol, the one before it, and the output."""
    p = {name: torch.zeros(REPLICAS, *shape) for name, shape in SHAPES.items()}

    def put(name, row, column, value):
        each = torch.arange(K)
        p[name][:, row * K + each, column * K + each] = float(value or 0)

    put("embed", 0, 0, 1)
    for layer in (1, 2):
        put(f"query{layer}", 0, 0, S.get("c"))
        put(f"key{layer}", 1, 0, layer - 1)
        put(f"value{layer}", 0, layer, 1)
    p["distances1"][:, 1, :K] = 1
    put("readout", 2, 0, S["a"])
    return p


def normed(p, z, gain):
    return functional.layer_norm(z, (D,), eps=1e-5) * p[gain][:, None] if PRE else z


def attend(p, z, layer, heads):
    split = lambda z: z.unflatten(-1, (heads, D // heads)).transpose(2, 3)  # [replicas, batch, heads, length, size]
    q, k, v = (split(z @ p[f"{name}{layer}"][:, None]) for name in ("query", "key", "value"))
    scores = q @ k.transpose(3, 4)
    if S["pos"] == "relative":
        by_distance = q @ split(p[f"distances{layer}"][:, None]).transpose(3, 4)
        scores = scores + by_distance.gather(4, DISTANCE.expand_as(by_distance))
    scores = (scores / math.sqrt(D // heads)).masked_fill(FUTURE, -math.inf)
    return (scores.softmax(-1) @ v).transpose(2, 3).flatten(3)


def forward(p, x):
    """Logits after every symbol, `[replicas, batch · length, symbols]`."""
    z = one_hot(x) @ p["embed"][:, None]  # [replicas, batch, length, d]
    if S["pos"] == "absolute":
        z = z + p["positions"][:, None]
    for layer, heads in enumerate(S["heads"], 1):
        mixed = attend(p, normed(p, z, f"gain{layer}"), layer, heads)
        z = z + (mixed @ p[f"out{layer}"][:, None] if PRE else mixed)
        if S["mlp"] == "on":
            hidden = torch.relu(normed(p, z, f"mlp_gain{layer}") @ p[f"mlp_in{layer}"][:, None])
            z = z + hidden @ p[f"mlp_out{layer}"][:, None]
    return (normed(p, z, "gain") @ p["readout"][:, None]).flatten(1, 2)
