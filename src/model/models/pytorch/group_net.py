# f(a, b)[c] = Σ_i σ(u_i[a] + v_i[b]) w_i[c]

SHAPES = S["shapes"]
NU = S["nu"]


def forward(p, x):
    z = one_hot(x, 0) @ p["u"] + one_hot(x, 1) @ p["v"]
    h = z.square() if S["act"] == "square" else torch.relu(z)
    return h @ p["w"].transpose(1, 2)
