def moved(groups):
    """Descent with Nesterov's momentum and coupled weight decay. The schedule sets the rate of every step."""
    return torch.optim.SGD(groups, lr=1.0, momentum=S["mom"], nesterov=True)
