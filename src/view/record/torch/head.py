"""{{about}}

{{link}}

The same experiment in PyTorch, written by {{program}}. Its random numbers have the same
distributions as on the page, but come from PyTorch's generator. So a run of this script and a run of the page differ
like two runs of the page with different seeds. With --weights FILE the script starts from weights that the page or
`lab run --checkpoint FILE` saved. If no data are random, the results then agree up to the last few digits.

    {{command}}
    python3 THIS_FILE > metrics.csv
"""

import argparse
import base64
import itertools
import json
import math
import struct
import sys

import torch
from torch.nn import functional

S = {
{{settings}}}
REPLICAS = S["replicas"]  # networks side by side, the first axis of every tensor
