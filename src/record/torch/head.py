"""{{about}}

{{link}}

The same experiment in PyTorch, written by {{program}}. Its numbers follow the same laws as those of the page but come
from PyTorch's generator, so that runs agree as two seeds do. With --weights FILE it begins from weights that the page
or `lab run --checkpoint FILE` saved; where no data are drawn, numbers then agree to the last few digits.

    {{command}}
    python3 THIS_FILE > metrics.csv
"""

import argparse
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
