# Data: traces of one Turing machine on uniform tapes; every token is the label of those before it.
#
# A token is 2 · state + symbol under the head. What is tested is the cross-entropy in nats over all places, and the
# accuracy on cells that were written before.

K, T = len(S["rules"]), S["t"]
WRITE, MOVE, NEXT = (torch.tensor(column) for column in zip(*S["rules"]))


def next_states(states):
    """The states by the table, or by lot."""
    return torch.randint(0, K // 2, states.shape) if S["next"] == "lot" else states


def runs(count):
    """Tokens `[count, T + 1]`, and whether the cell of each was written before."""
    tape = torch.randint(0, 2, (count, 2 * T + 3))
    written = torch.zeros(count, 2 * T + 3, dtype=torch.bool)
    each, head, state = torch.arange(count), torch.full((count,), T + 1), next_states(torch.zeros(count, dtype=torch.long))
    tokens, known = [], []
    for _ in range(T + 1):
        token = 2 * state + tape[each, head]
        tokens.append(token)
        known.append(written[each, head])
        tape[each, head], written[each, head] = WRITE[token], True
        head, state = head + MOVE[token], next_states(NEXT[token])
    return torch.stack(tokens, 1), torch.stack(known, 1)


class Data:
    """Training batches, and what is measured on."""

    def __init__(self):
        self.held_out = runs(S["held"])

    def batch(self):
        x = runs(REPLICAS * S["batch"])[0].view(REPLICAS, S["batch"], T + 1)
        return x[..., :-1], x[..., 1:].flatten(1)

    def measured(self, batch):
        return batch


def one_hot(x):
    """`[replicas or 1, batch, length, tokens]`."""
    return functional.one_hot(x, K).float()


def tested(data, p):
    """Loss over all places, and accuracy on cells that were written before, each `[replicas]`."""
    x, known = data.held_out
    logits = forward(p, x[None, :, :-1])
    y, known = x[None, :, 1:].flatten(1), known[:, 1:].flatten()
    ones = logits.softmax(-1)[..., 1::2].sum(-1)  # probability that the symbol is 1
    right = ((ones > 0.5) == (y % 2 == 1)).float()[:, known]
    return losses(y, logits).mean((1, 2)), right.mean(1)
