def moved(groups):
    """Adam or AdamW. The schedule sets the rate of every step."""
    make = torch.optim.AdamW if S["wdkind"] == "decoupled" else torch.optim.Adam
    return make(groups, lr=1.0, betas=(S["b1"], S["b2"]), eps=S["eps"])
