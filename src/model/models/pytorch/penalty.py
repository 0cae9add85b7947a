def penalty(p, step):
    """λ Σ_i ‖ω_i‖^ν of each replica, ω_i being column i of all parameters."""
    strength = S["lambda"]
    for begin, value in S["lambdas"]:
        strength = value if begin <= step else strength
    squares = sum(values.square().sum(1) for values in p.values())  # [replicas, neurons]
    return strength * squares.pow(NU / 2).sum(1)
