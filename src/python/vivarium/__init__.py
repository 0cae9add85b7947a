"""Vivarium: train small neural networks, the same runs and the same numbers as on the page."""

from .native import *
from .native import __version__
