class Lion(torch.optim.Optimizer):
    """Every weight moves by the same distance (Chen et al. 2023, algorithm 2)."""

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for w in group["params"]:
                if w.grad is None:
                    continue
                mean = self.state[w].setdefault("mean", torch.zeros_like(w))
                push = (S["b1"] * mean + (1 - S["b1"]) * w.grad).sign()
                w.mul_(1 - group["lr"] * group["weight_decay"]).sub_(group["lr"] * push)
                mean.mul_(S["b2"]).add_(w.grad, alpha=1 - S["b2"])


def moved(groups):
    """The schedule sets the rate of every step."""
    return Lion(groups, {"lr": 1.0})
