def learning_rate(step):
    """What is set at this step, times what the schedule makes of it."""
    rate = S["lr"]
    for begin, value in S["lrs"]:
        rate = value if begin <= step else rate
    if step < S["warm"]:
        return rate * (step + 1) / S["warm"]
    made, left = step - S["warm"], max(S["steps"] - step, 0)
    if S["cool"] == "linear":
        return rate * left / max(S["steps"] - S["warm"], 1)
    if S["cool"] == "cosine":
        return rate * (1 - math.cos(math.pi * left / max(S["steps"] - S["warm"], 1))) / 2
    if S["cool"] == "drops":
        return rate * S["gamma"] ** (made // S["drop"])
    return rate


def clip(p):
    """Shortens each network's gradient, over all its parameters, to the largest norm."""
    gradients = [values.grad for values in p.values() if values.grad is not None]
    norm = sum((gradient**2).sum((1, 2)) for gradient in gradients).sqrt()
    scale = (S["clip"] / (norm + 1e-6)).clamp(max=1)
    for gradient in gradients:
        gradient.mul_(scale[:, None, None])


def optimizer(p):
    """What moves the parameters that are trained, some of which may be spared the weight decay."""
    trained = {name: values for name, values in p.items() if name not in S["fixed"] + S["frozen"]}
    decays = [values for name, values in trained.items() if name not in S["undecayed"]]
    others = [values for name, values in trained.items() if name in S["undecayed"]]
    groups = [{"params": decays, "weight_decay": S["wd"]}, {"params": others, "weight_decay": 0.0}]
    return moved([group for group in groups if group["params"]])


def started(p):
    """With `inits` initialisations, replica r begins from that of r mod inits."""
    if S["inits"] == 0:
        return p
    turn = torch.arange(REPLICAS) % S["inits"]
    return {name: values[turn].clone() for name, values in p.items()}


def loaded(path):
    """The parameters in a safetensors file, which is the length of a header, the header, and numbers."""
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header, data = json.loads(file.read(length)), bytearray(file.read())
    p = {}
    for name, (rows, columns) in S["shapes"].items():
        if header[name]["shape"] != [REPLICAS, rows, columns]:
            sys.exit(f"{path} holds weights of another network: {name} has another shape")
        begin, end = header[name]["data_offsets"]
        p[name] = torch.frombuffer(data[begin:end], dtype=torch.float32).view(REPLICAS, rows, columns).clone()
    return p


def measured(data, p, batch):
    """Loss and accuracy on what is trained on and on what is held out, each `[replicas]`."""
    with torch.no_grad():
        x, y = data.measured(batch)
        return (*judged(y, forward(p, x)), *tested(data, p))


def found(numbers):
    """Whether a network's loss and accuracy in training, and those held out, count as the solution."""
    if S["by"] == "loss":
        return numbers[2] <= S["limit"]
    return numbers[1 if S["by"] == "memory" else 3] >= S["target"]


def prepared(p):
    """What moves the parameters, and the schedule of its learning rate."""
    for name, values in p.items():
        values.requires_grad_(name not in S["fixed"] + S["frozen"])
    update = optimizer(p)
    return update, torch.optim.lr_scheduler.LambdaLR(update, learning_rate)


def train_step(p, step, batch, update, schedule):
    """One step of training."""
    x, y = batch
    smoothed = {"label_smoothing": S["ls"]} if S.get("ls", 0) > 0 else {}
    # Summed over replicas, so that each has the gradient that it would have alone.
    loss = losses(y, forward(p, x), **smoothed).mean((1, 2)).sum()
    if "lambda" in S:
        loss = loss + penalty(p, step).sum()
    update.zero_grad()
    loss.backward()
    if S.get("clip", 0) > 0:
        clip(p)
    update.step()
    schedule.step()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weights", metavar="FILE", help="begin from these weights, a safetensors file")
    parser.add_argument("--steps", type=int, default=S["steps"], help="last step")
    arguments = parser.parse_args()
    torch.manual_seed(S["seed"])
    p = loaded(arguments.weights) if arguments.weights else started(initial())
    update, schedule = prepared(p)
    data, solved = Data(), {}
    tries = S.get("tries", 1)
    names = ["train_loss", "train_accuracy", "test_loss", "test_accuracy"]
    for step in range(arguments.steps + 1):
        if "stages" in S:
            enter(step)
        batch = data.batch()
        if step % S["every"] == 0 or step == arguments.steps:
            row = [values for values in measured(data, p, batch) if values is not None]
            if step == 0:
                print(",".join(["step", "replica", *names[: len(row)]]))
            for replica, numbers in enumerate(zip(*(values.tolist() for values in row))):
                print(",".join([str(step), str(replica), *(f"{number:.7g}" for number in numbers)]), flush=True)
                if len(row) == 4 and found(numbers):
                    solved.setdefault(replica, step)
            # Of networks on the same sample one is enough.
            if S["until_target"] and len({replica // tries for replica in solved}) == math.ceil(REPLICAS / tries):
                break
        if step == arguments.steps:
            break
        train_step(p, step, batch, update, schedule)
    for replica, step in sorted(solved.items()):
        print(f"Replica {replica}: target accuracy at step {step}.", file=sys.stderr)


if __name__ == "__main__":
    main()
