# Data: n bits of ±1, and the product of the relevant ones for a label.

N = S["n"]
RELEVANT = [bit - 1 for bit in S["relevant"]]


def labels(x):
    return x[..., RELEVANT].prod(-1, keepdim=True)  # [replicas, batch, 1]
