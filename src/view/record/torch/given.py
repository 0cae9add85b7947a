# The initial weights of the run: numbers of 32 bits in base64, of one network for all replicas or of each replica.

GIVEN = {
{{given}}}


def initial():
    if not GIVEN:
        sys.exit(
            "This script does not hold the initial weights of its run, because they are large. The command at the top of the"
            " script saves them with --steps 0 --checkpoint FILE; the script then starts from them with --weights FILE."
        )
    p = {}
    for name, shape in SHAPES.items():
        numbers = torch.frombuffer(bytearray(base64.b64decode(GIVEN[name])), dtype=torch.float32)
        p[name] = numbers.view(-1, *shape).expand(REPLICAS, -1, -1).clone()
    return p
