def losses(y, f):
    """Of every example, `[replicas, batch, 1]`."""
    if S["loss"] == "hinge":
        return torch.relu(1 - y * f)
    if S["loss"] == "square":
        return (y - f).square()
    if S["loss"] == "ce":
        return functional.softplus(-y * f)
    return -y * f  # correlation


def margins(y, f):
    return y * f


def tested(data, p):
    """Loss and accuracy on held-out examples, each `[replicas]`."""
    x, y = data.held_out
    f = forward(p, x)
    return losses(y, f).mean((1, 2)), (margins(y, f) > 0).float().mean((1, 2))
