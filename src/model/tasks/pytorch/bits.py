def drawn(replicas, size):
    x = torch.randint(0, 2, (replicas, size, N)) * 2.0 - 1
    return x, labels(x)


def noisy(x, y):
    """Each label is flipped with probability p."""
    return x, torch.where(torch.rand(y.shape) < S.get("noise", 0.0), -y, y)


class Data:
    """Training batches, and what is measured on."""

    def __init__(self):
        self.sample = None
        if S.get("data") == "cube":
            numbers = torch.arange(2**N)[None, :, None]
            x = 1 - 2.0 * (torch.div(numbers, 2 ** torch.arange(N), rounding_mode="floor") % 2)
            self.sample = Sample(x, labels(x))
            self.held_out = (x, labels(x))
        else:
            if S["m"] > 0:
                self.sample = Sample(*noisy(*drawn(REPLICAS, S["m"])))
            self.held_out = drawn(1, S["held"])

    def batch(self):
        if self.sample:
            return self.sample.batch(S["batch"])
        return noisy(*drawn(REPLICAS, S["batch"]))

    def measured(self, batch):
        """What training is measured on: the sample, or the batch that comes next."""
        return (self.sample.x[:, :8192], self.sample.y[:, :8192]) if self.sample else batch
