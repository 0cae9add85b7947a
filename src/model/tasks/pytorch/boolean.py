# Data: n bits, each 1 with the same probability, as ±1, and for a label a function of the relevant ones.

N, TRIES = S["n"], S["tries"]
RELEVANT = torch.tensor([bit - 1 for bit in S["relevant"]])
# The label of every value of the relevant bits, the first of which is the highest digit.
TRUTH = torch.tensor([2.0 * int(digit) - 1 for digit in S["truth"]])
MOST_DRAWS, MOST_SETS = 100, 2**18


def values(x, places):
    """What the function is at these places, `[..., places]`: the labels for each set of places."""
    powers = 2 ** torch.arange(places.shape[-1]).flip(0)
    return TRUTH[((x[..., places] > 0) * powers).sum(-1)]


def drawn(replicas, size):
    x = 2.0 * (torch.rand(replicas, size, N) < S["ones"]) - 1
    return x, values(x, RELEVANT)[..., None]


def is_told(x, y):
    """Whether a sample, `[size, N]` and `[size]`, fits no other set of places, as far as is tried."""
    sure = {"and": 1.0, "or": -1.0}.get(S["fn"])  # a place of a conjunction is 1 wherever the label is
    could = torch.ones(N, dtype=torch.bool) if sure is None else (x[y == sure] == sure).all(0)
    k, fitting = len(RELEVANT), 0
    sets = itertools.islice(itertools.combinations(could.nonzero()[:, 0].tolist(), k), MOST_SETS)
    while places := list(itertools.islice(sets, 4096)):
        fitting += (values(x, torch.tensor(places)) == y[:, None]).all(0).sum().item()
        if fitting > 1:
            return False
    return True


def sampled(size):
    """A sample, drawn again while it fits other places too: the first that does not, or the last."""
    for _ in range(MOST_DRAWS):
        x, y = drawn(1, size)
        if is_told(x[0], y[0, :, 0]):
            break
    return x, y


def shared(values):
    """For each network what the networks on one sample have in common, `[samples, ...]`."""
    return values.repeat_interleave(TRIES, 0)[:REPLICAS]


class Data:
    """Training batches, and what is measured on."""

    def __init__(self):
        self.samples = math.ceil(REPLICAS / TRIES)
        self.sample = None
        if S["m"] > 0:
            x, y = zip(*(sampled(S["m"]) for _ in range(self.samples)))
            self.sample = Sample(shared(torch.cat(x)), shared(torch.cat(y)), TRIES)
        self.held_out = drawn(1, S["held"])

    def batch(self):
        if self.sample:
            return self.sample.batch(S["batch"])
        return tuple(map(shared, drawn(self.samples, S["batch"])))

    def measured(self, batch):
        """What training is measured on: the sample, or the batch that comes next."""
        return (self.sample.x[:, :8192], self.sample.y[:, :8192]) if self.sample else batch
