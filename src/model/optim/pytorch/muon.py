class Muon(torch.optim.Optimizer):
    """Nearly orthogonal updates of matrices, and Adam for vectors (Jordan et al. 2024)."""

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for w in group["params"]:
                if w.grad is None:
                    continue
                state, rate = self.state[w], group["lr"]
                if min(w.shape[1:]) == 1:
                    rate = rate * S["vecrate"]
                    push = self.of_vector(w.grad, state)
                else:
                    sums = state.setdefault("sums", torch.zeros_like(w))
                    sums.mul_(S["mom"]).add_(w.grad)
                    push = orthogonal(w.grad + S["mom"] * sums) * max(1, w.shape[2] / w.shape[1]) ** 0.5
                w.mul_(1 - rate * group["weight_decay"]).sub_(rate * push)

    @staticmethod
    def of_vector(gradient, state, betas=(0.9, 0.95), eps=1e-10):
        state["step"] = state.get("step", 0) + 1
        means = []
        for beta, number in zip(betas, (gradient, gradient**2)):
            mean = state.setdefault(f"mean{beta}", torch.zeros_like(gradient))
            mean.mul_(beta).add_(number, alpha=1 - beta)
            means.append(mean / (1 - beta ** state["step"]))
        return means[0] / (means[1].sqrt() + eps)


def orthogonal(u):
    """Makes the singular values of each network's matrix nearly 1, by the Newton-Schulz iteration."""
    a, b, c = 3.4445, -4.7750, 2.0315
    x = u / ((u**2).sum((1, 2), keepdim=True).sqrt() + 1e-7)
    is_tall = x.shape[1] > x.shape[2]
    x = x.mT if is_tall else x
    for _ in range(S["nssteps"]):
        square = x @ x.mT
        x = a * x + (b * square + c * square @ square) @ x
    return x.mT if is_tall else x


def moved(groups):
    """The schedule sets the rate of every step."""
    return Muon(groups, {"lr": 1.0})
