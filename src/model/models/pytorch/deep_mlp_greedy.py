# Layer after layer: stage l trains W_l, b_l and a head of its own, f(x) = u_lᵀ z_l + β_l, on the frozen layers below

stage = 1


def enter(step):
    """The stage of a training step: the steps are divided evenly, and the last stage stays."""
    global stage
    stage = min(step * S["stages"] // S["steps"] + 1, S["stages"])


def forward(p, x):
    z = x
    for layer in range(1, stage + 1):
        # Parameters of other stages then have no gradient, and the optimizer leaves them as they are.
        z = sigma(z.detach() @ p[f"w{layer}"] + p[f"b{layer}"])
    return z @ p[f"u{stage}"] + p[f"beta{stage}"]
