class Sample:
    """A finite sample, `[replicas or 1, size, ...]`, visited in epochs, each replica in an order of its own."""

    def __init__(self, x, y):
        self.x, self.y = x, y
        self.size = y.shape[1]
        self.order = torch.zeros(REPLICAS, 0, dtype=torch.long)

    def batch(self, size):
        if size == self.size:
            return self.x, self.y
        while self.order.shape[1] < size:
            self.order = torch.cat([self.order, torch.rand(REPLICAS, self.size).argsort(1)], 1)
        chosen, self.order = self.order[:, :size], self.order[:, size:]
        replica = torch.arange(REPLICAS)[:, None] if len(self.x) > 1 else 0
        return self.x[replica, chosen], self.y[replica, chosen]
