# Data: n bits of ±1, and for a label the sign of a linear form of them, the teacher.

N = S["n"]
TEACHER = torch.tensor(S["teacher"], dtype=torch.double)


def labels(x):
    return torch.where(x.double() @ TEACHER < 0, -1.0, 1.0)[..., None]  # [replicas, batch, 1]
