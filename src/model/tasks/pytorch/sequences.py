# Data: sequences of symbols, each of a Markov chain of its own; every symbol is the label of those before it.
#
# What is tested is KL(chain || network) in nats at the last symbol. How that compares with the strategies of counting
# n-grams, and so the page's accuracy, is left out: the run goes on to its last step.

K, T, GRAM = S["k"], S["t"], S["gram"]
CONTEXTS = K ** (GRAM - 1)


def simplex(*shape):
    """Uniform points of the simplex: exponentials by their sum."""
    drawn = torch.empty(*shape, K).exponential_()
    return drawn / drawn.sum(-1, keepdim=True)


def doubly_stochastic(count):
    """Matrices uniform among those whose rows and columns sum to one, by a walk within them (hit and run)."""
    rows = torch.full((count, K, K), 1 / K)
    each = torch.arange(count)
    for _ in range(1 if K == 2 else 2 * K**3):
        i, j = torch.rand(count, K).argsort(1)[:, :2].unbind(1)
        a, b = torch.rand(count, K).argsort(1)[:, :2].unbind(1)
        down = torch.minimum(rows[each, i, a], rows[each, j, b])
        up = torch.minimum(rows[each, i, b], rows[each, j, a])
        shift = torch.rand(count) * (down + up) - down
        rows[each, i, a] += shift
        rows[each, j, b] += shift
        rows[each, i, b] -= shift
        rows[each, j, a] -= shift
    return rows


def dirichlet_rows(*shape):
    """Rows of transition matrices with the Dirichlet distribution of parameter alpha, `[*shape, symbols]`."""
    if S["alpha"] == 1:
        return simplex(*shape)
    return torch.distributions.Dirichlet(torch.full((K,), S["alpha"])).sample(shape).clamp_min(2.0**-24)


def chains(law, count):
    """Transition matrices, `[count, contexts, symbols]`; the most recent symbol is the lowest digit of a context."""
    if law == "iid":
        return simplex(count, 1).expand(-1, CONTEXTS, -1)
    if law == "ds":
        return doubly_stochastic(count).repeat(1, CONTEXTS // K, 1)
    if law == "no-lower":
        # A context is its first symbol and the middle symbols; each middle has a matrix from the first symbol to the next.
        matrices = doubly_stochastic(count * CONTEXTS // K).view(count, CONTEXTS // K, K, K)
        return matrices.transpose(1, 2).reshape(count, CONTEXTS, K)
    if law == "lower-mixture":
        is_full = torch.rand(count, 1, 1) < S["mix"]
        lower = dirichlet_rows(count, CONTEXTS // K).repeat(1, K, 1)
        return torch.where(is_full, chains("no-lower", count), lower)
    if law == "mixture":
        is_doubly = torch.rand(count, 1, 1) < S["mix"]
        return torch.where(is_doubly, chains("ds", count), chains("iid", count))
    return dirichlet_rows(count, CONTEXTS)


def chosen(shares):
    return torch.multinomial(shares, 1).squeeze(1)


def walk(rows):
    """A sequence of each chain with a stationary beginning, `[count, length + 1]`, and the law after its context."""
    count, every = len(rows), torch.arange(CONTEXTS)
    following = K * (every % (CONTEXTS // K))[:, None] + torch.arange(K)  # [contexts, symbols]
    power = torch.zeros(count, CONTEXTS, CONTEXTS, dtype=torch.double)
    power.scatter_(2, following.expand(count, -1, -1), rows.double())
    for _ in range(20):  # a million steps of the chain
        power = power @ power
    context = chosen(power[:, 0].clamp_min(0))
    symbols = [torch.div(context, K**back, rounding_mode="floor") % K for back in reversed(range(GRAM - 1))]
    each = torch.arange(count)
    while len(symbols) < T + 1:
        law = rows[each, context]
        symbols.append(chosen(law))
        context = K * (context % (CONTEXTS // K)) + symbols[-1]
    return torch.stack(symbols, 1), law


class Data:
    """Training batches, and what is measured on."""

    def __init__(self):
        self.held_out = walk(chains(S["test"], S["held"]))

    def batch(self):
        x, _ = walk(chains(S["data"], REPLICAS * S["batch"]))
        x = x.view(REPLICAS, S["batch"], T + 1)
        return x[..., :-1], x[..., 1:].flatten(1)

    def measured(self, batch):
        return batch


def one_hot(x):
    """`[replicas or 1, batch, length, symbols]`."""
    return functional.one_hot(x, K).float()


def tested(data, p):
    """KL(truth || network) at the last symbol, `[replicas]`."""
    x, truth = data.held_out
    logits = forward(p, x[None, :, :-1]).view(REPLICAS, len(x), T, K)[:, :, -1]
    surprise = torch.xlogy(truth, truth) - truth * logits.log_softmax(-1)
    return surprise.sum(-1).mean(1), None
