# Two tokens a point, (x, 0) and (0, y) or (x, y); h ← h + attention(norm(h)), h ← h + mlp(norm(h)); ŷ at the questions

SHAPES = S["shapes"]
WIDTH, HEADS = S["width"], S["heads"]


def initial():
    p = {}
    for name, shape in SHAPES.items():
        if name.startswith("gain"):
            p[name] = torch.ones(REPLICAS, *shape)
            continue
        deviation = S["std_in"] if name in ("read_in", "positions") else 1 / math.sqrt(shape[0])
        if name.startswith(("out", "mlp_out")):  # what is added to the residual stream, as in GPT-2
            deviation /= math.sqrt(2 * S["blocks"])
        p[name] = deviation * torch.randn(REPLICAS, *shape)
    return p


def normed(p, h, gain):
    if S["norm"] == "layer":
        h = h - h.mean(-1, keepdim=True)
    return h * torch.rsqrt((h * h).mean(-1, keepdim=True) + 1e-5) * p[gain][:, None]


def attend(p, z, layer, past):
    split = lambda z: z.unflatten(-1, (HEADS, WIDTH // HEADS)).transpose(2, 3)  # [replicas, batch, heads, t, size]
    q, k, v = (split(z @ p[f"{name}{layer}"][:, None]) for name in ("query", "key", "value"))
    scores = q @ k.transpose(3, 4) / math.sqrt(WIDTH // HEADS)
    if S["attend"] == "softmax":
        weights = scores.masked_fill(~past, -math.inf).softmax(-1)
    else:
        weights = torch.relu(scores) * past / past.sum(-1, keepdim=True)
    return (weights @ v).transpose(2, 3).flatten(3)


def forward(p, x):
    """A prediction for each point, `[replicas, batch, points]`."""
    h = tokens(x, S["format"] == "joint") @ p["read_in"][:, None]
    t = h.shape[2]
    if S["pos"] == "learned":
        h = h + p["positions"][:, None, :t]
    past = torch.ones(t, t, dtype=torch.bool, device=h.device).tril()
    sigma = torch.relu if S["act"] == "relu" else lambda z: functional.gelu(z, approximate="tanh")
    for layer in range(1, S["blocks"] + 1):
        h = h + attend(p, normed(p, h, f"gain_attention{layer}"), layer, past) @ p[f"out{layer}"][:, None]
        hidden = sigma(normed(p, h, f"gain_mlp{layer}") @ p[f"mlp_in{layer}"][:, None])
        h = h + hidden @ p[f"mlp_out{layer}"][:, None]
    return (normed(p, h[:, :, ::2], "gain") @ p["readout"][:, None])[..., 0]
