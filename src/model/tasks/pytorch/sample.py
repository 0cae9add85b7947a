class Sample:
    """A finite sample, `[replicas or 1, size, ...]`, visited in epochs, by so many replicas in the same order."""

    def __init__(self, x, y, together=1):
        self.x, self.y, self.together = x, y, together
        self.size = y.shape[1]
        self.order = torch.zeros(REPLICAS, 0, dtype=torch.long)

    def batch(self, size):
        if size == self.size:
            return self.x, self.y
        while self.order.shape[1] < size:
            orders = torch.rand(math.ceil(REPLICAS / self.together), self.size).argsort(1)
            orders = orders.repeat_interleave(self.together, 0)[:REPLICAS]
            self.order = torch.cat([self.order, orders], 1)
        chosen, self.order = self.order[:, :size], self.order[:, size:]
        replica = torch.arange(REPLICAS)[:, None] if len(self.x) > 1 else 0
        return self.x[replica, chosen], self.y[replica, chosen]
