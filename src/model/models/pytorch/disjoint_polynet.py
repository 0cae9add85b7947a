def initial():
    w = torch.randn(REPLICAS, N, 1)
    return {"w": {"normal": w, "signs": w.sign(), "ones": torch.ones_like(w)}[S["init"]]}
