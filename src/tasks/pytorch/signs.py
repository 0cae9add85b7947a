def losses(y, f, label_smoothing=0.0):
    """Of every example, `[replicas, batch, 1]`. Only the cross-entropy takes smoothed labels."""
    if S["loss"] == "hinge":
        return torch.relu(1 - y * f)
    if S["loss"] == "square":
        return (y - f).square()
    if S["loss"] == "ce":
        return functional.softplus(-y * f) + label_smoothing / 2 * y * f
    return -y * f  # correlation


def margins(y, f):
    return y * f


def judged(y, f):
    """Loss and accuracy, each `[replicas]`."""
    return losses(y, f).mean((1, 2)), (margins(y, f) > 0).float().mean((1, 2))


def tested(data, p):
    """Loss and accuracy on held-out examples, each `[replicas]`."""
    x, y = data.held_out
    return judged(y, forward(p, x))
