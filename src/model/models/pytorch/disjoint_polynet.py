# f(x) = Π_i w_i·x over the i-th of k blocks of bits

SHAPES = S["shapes"]


def initial():
    w = torch.randn(REPLICAS, N, 1)
    return {"w": {"normal": w, "signs": w.sign(), "ones": torch.ones_like(w)}[S["init"]]}


def forward(p, x):
    k, product = S["degree"], 1
    for i in range(k):
        block = slice(i * N // k, (i + 1) * N // k)
        product = product * (x[..., block] @ p["w"][:, block])
    return product
