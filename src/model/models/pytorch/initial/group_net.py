def initial():
    if S["from"] == "memorise":
        return memorising()
    return {name: S["std"] * torch.randn(REPLICAS, *shape) for name, shape in SHAPES.items()}


def memorising():
    """Two neurons for each pair and its product: (u + v)² w − (u − v)² w = 4 u v w = 1. All others are zero."""
    p = {name: torch.zeros(REPLICAS, *shape) for name, shape in SHAPES.items()}
    neuron, size = torch.arange(2 * ORDER**2), 0.25 ** (1 / 3)
    pair, sign = torch.div(neuron, 2, rounding_mode="floor"), 1 - 2.0 * (neuron % 2)
    p["u"][:, torch.div(pair, ORDER, rounding_mode="floor"), neuron] = size
    p["v"][:, pair % ORDER, neuron] = size * sign
    p["w"][:, products()[pair], neuron] = size * sign
    return p
