# f(x) = w·x

SHAPES = S["shapes"]


def initial():
    w = torch.randn(REPLICAS, *SHAPES["w"]) * math.sqrt(2 / N)
    return {"w": w if S["begin"] == "gaussian" else torch.zeros_like(w)}


def forward(p, x):
    return x @ p["w"]
