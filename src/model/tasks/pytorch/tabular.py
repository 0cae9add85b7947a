# Data: rows of a generated table, of which each network holds out a tenth and learns from some of the others.

N = S["n"]
COLUMNS = [column - 1 for column in S["relevant"]]


def table():
    x = torch.randn(S["rows"], N)
    pieces = torch.floor(S["pieces"] * torch.special.ndtr(x[:, COLUMNS]))
    first = torch.where(torch.rand(len(COLUMNS)) < 0.5, -1.0, 1.0)
    steps = first * (1 - 2 * (pieces % 2))
    y = steps.sum(1).sign() if S["rule"] == "majority" else steps.prod(1)
    y = torch.where(torch.rand(S["rows"]) < S["noise"], -y, y)
    if S["turned"] == "yes":
        x = x @ torch.linalg.qr(torch.randn(N, N)).Q
    return x, y[:, None]


class Data:
    """Training batches, and what is measured on."""

    def __init__(self):
        x, y = table()
        order, tested = torch.rand(REPLICAS, S["rows"]).argsort(1), S["rows"] // 10
        held_out, sample = order[:, : S["held"]], order[:, tested : tested + S["sample"]]
        self.sample = Sample(x[sample], y[sample])
        self.held_out = (x[held_out], y[held_out])

    def batch(self):
        return self.sample.batch(S["batch"])

    def measured(self, batch):
        """What training is measured on: the sample."""
        return self.sample.x[:, :8192], self.sample.y[:, :8192]
