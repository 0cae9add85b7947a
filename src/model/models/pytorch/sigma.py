def sigma(z):
    """The non-linearity of a hidden neuron; k is its degree."""
    act, k = S["act"], S.get("degree", 1)
    if act == "relu":
        return torch.relu(z)
    if act == "power":
        return z**k
    if act == "zigzag":  # through (k − 2j, (−1)^j), the outer segments for ever
        j = torch.floor((k - z.detach()) / 2).clamp(0, k - 1)
        return (1 - 2 * (j % 2)) * (1 + z - (k - 2 * j))
    if act == "wave":  # triangles of period 4
        distance = (z - k) % 4
        return torch.where(distance < 2, 1 - distance, distance - 3)
    if act == "osc":  # the polynomial through those points, in Newton's form
        total, product, weight = 0, torch.ones_like(z), (-1.0) ** k
        for m in range(k + 1):
            total = total + weight * product
            product, weight = product * (z + k - 2 * m), -weight / (m + 1)
        return total
    return torch.sin(math.pi / 2 * (z + 1 - k))


def drawn_weights(shape, fan_in):
    """Uniform on ±1/√fan_in, normal of variance 2/fan_in, or signs."""
    values = torch.empty(REPLICAS, *shape)
    if S["init"] == "gaussian":
        return values.normal_() * math.sqrt(2 / fan_in)
    if S["init"] == "sign":
        return (values.uniform_() < 0.5).float() * 2 / math.sqrt(fan_in) - 1 / math.sqrt(fan_in)
    return values.uniform_(-1, 1) / math.sqrt(fan_in)


def few_ones(w, inputs):
    """W with ones on a few inputs of each neuron; layers above are uniform."""
    if S["init"] not in ("sparse", "perturbed"):
        return w
    chosen = torch.rand_like(w).argsort(1).argsort(1) < S["ones"]
    return torch.where(chosen, 1.0, 0.5 / inputs if S["init"] == "perturbed" else 0.0)
