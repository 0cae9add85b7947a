def moved(groups):
    """Plain descent with coupled weight decay. The schedule sets the rate of every step."""
    return torch.optim.SGD(groups, lr=1.0, momentum=S["mom"])
