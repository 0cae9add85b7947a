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


def credits(y, f):
    """What each answer counts in the accuracy: an output of 0 has no sign and counts 1/2."""
    return (margins(y, f) > 0).float() + (margins(y, f) == 0).float() / 2


def judged(y, f):
    """Loss and accuracy, each `[replicas]`."""
    return losses(y, f).mean((1, 2)), credits(y, f).mean((1, 2))


def tested(data, p):
    """Loss and accuracy on held-out examples, each `[replicas]`."""
    x, y = data.held_out
    return judged(y, forward(p, x))
