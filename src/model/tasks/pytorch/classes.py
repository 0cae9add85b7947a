def losses(y, f, label_smoothing=0.0):
    """Cross-entropies of labels `[replicas or 1, batch]` and logits `[replicas, batch, classes]`: `[replicas, batch, 1]`."""
    y = y.expand(f.shape[:2])
    each = functional.cross_entropy(f.transpose(1, 2), y, reduction="none", label_smoothing=label_smoothing)
    return each[..., None]


def margins(y, f):
    """The label's logit less the largest other one."""
    y = y.expand(f.shape[:2])[..., None]
    own = f.gather(2, y)
    return own - f.scatter(2, y, -math.inf).amax(2, keepdim=True)


def judged(y, f):
    """Loss and accuracy, each `[replicas]`."""
    return losses(y, f).mean((1, 2)), (margins(y, f) > 0).float().mean((1, 2))
