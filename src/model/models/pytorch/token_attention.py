# head_h(i) = Σ_j softmax_j(s_i W_h s_j)_j v_j, and w₂ᵀ relu(W₁ᵀ [heads] + b₁) + b₂

SHAPES = S["shapes"]
HEADS = S["h"]
READ = SHAPES["qk" if S["qk"] == "combined" else "q"][0] // HEADS  # numbers that scores read
SIZE = SHAPES["w1"][0] // HEADS  # numbers in a value


def forward(p, x):
    """Outputs at every position, `[replicas, batch, length]`."""
    z = encoded(p, x)  # [replicas, batch, length, D]
    s = z[..., z.shape[-1] - READ :][:, :, None]
    matrix = lambda name: p[name].unflatten(1, (HEADS, READ))[:, None]  # [replicas, 1, heads, READ, columns]
    if S["qk"] == "combined":
        scores = s @ matrix("qk") @ s.transpose(3, 4)
    else:
        q, k = s @ matrix("q"), s @ matrix("k")
        scores = q @ k.transpose(3, 4) / math.sqrt(q.shape[-1])
    heads = scores.softmax(-1) @ z[..., :SIZE][:, :, None]  # [replicas, batch, heads, length, SIZE]
    heads = heads.transpose(2, 3).flatten(3)
    hidden = torch.relu(heads @ p["w1"][:, None] + p["b1"][:, None])
    return (hidden @ p["w2"][:, None] + p["b2"][:, None])[..., 0]
