"""Vivarium: train small neural networks, the same runs and the same numbers as on the page."""

from collections.abc import Callable, Iterator
from os import PathLike
from typing import Any, Literal, final

import numpy
import numpy.typing

__version__: str

_Floats = numpy.typing.NDArray[numpy.float32]
_Setting = str | int | float | bool
_DataFrame = Any  # a DataFrame of pandas or Polars

class LinkError(ValueError):
    """A link, a setting or a chart that cannot be used."""

    sentences: list[str]
    """One sentence for each reason, as on the page."""

class TrainingError(RuntimeError):
    """Training cannot start, or cannot go on."""

class Diverged(TrainingError):
    """The loss of every network is infinite or NaN."""

def run(
    link: str | PathLike[str],
    *,
    show: list[str] | None = None,
    held_out: int | None = None,
    table: str | PathLike[str] | _DataFrame | None = None,
    label: str | None = None,
    **settings: _Setting,
) -> Run:
    """Begins the run of a link, a preset or a file; nothing is trained yet.

    `settings` replace those of the link, by their keys: steps=2000, seed=3, lr=0.1, device="cpu".
    `show` chooses the charts, `held_out` the largest number of held-out examples in each measurement.
    A run on tables (#v1/tabular) trains on `table`, a CSV file or a DataFrame; `label` is the name of its label column.
    What is left out of the table is a warning.
    """

def sweep(
    link: str | PathLike[str],
    *,
    output: str | PathLike[str] | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
    table: str | PathLike[str] | _DataFrame | None = None,
    label: str | None = None,
    **settings: _Setting,
) -> Sweep:
    """Trains all runs of a sweep, on all cores, and returns when they have ended.

    With `output`, the CSV file of `lab sweep`: runs that are in it are skipped, so the same call continues a stopped
    sweep. `progress` is called with the number of runs that have ended, and with the number of all runs.
    `table` and `label` are those of `run`.
    """

@final
class Run:
    """A run, which is trained as far as somebody asks, and its own result."""

    @property
    def link(self) -> str:
        """The link of the run, for the page and for the command line."""
    @property
    def settings(self) -> dict[str, str]:
        """Every setting of the run with its value, as text of a link."""
    @property
    def step(self) -> int:
        """Training steps made."""
    @property
    def ending(self) -> Literal["target", "last step", "diverged"] | None:
        """Why the run has ended; None while it has not."""
    @property
    def solved(self) -> list[int | None]:
        """For each network, the step at which it reached the target; None where it has not."""
    @property
    def relevant(self) -> list[int]:
        """The input coordinates that the label depends on, counted from 0."""
    @property
    def device(self) -> tuple[str, str]:
        """The device and the program that train."""
    def __iter__(self) -> Rows:
        """The measurements from the first one on. Those that are not there yet are trained for."""
    def train(self, until: int) -> Run:
        """Trains up to a step, where the run then waits. A run that has ended stays as it is."""
    def finish(self) -> Run:
        """Trains to the end."""
    @property
    def metrics(self) -> dict[str, numpy.typing.NDArray[Any]]:
        """All measurements: `step`, and for each measure an array [measurements, replicas]."""
    def __getitem__(self, name: str) -> numpy.typing.NDArray[Any]:
        """One of the measures as an array [measurements, replicas], or the steps."""
    @property
    def table(self) -> Table:
        """All measurements with a row for each measurement and network, as the command line's CSV."""
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The table as an Arrow stream (the Arrow PyCapsule interface)."""
    @property
    def weights(self) -> dict[str, _Floats]:
        """The weights of all networks at this step, by their names: arrays [replicas, rows, columns]."""
    def save(self, path: str | PathLike[str]) -> None:
        """Writes the weights into a safetensors file, which the page and `lab run --resume` open."""
    @property
    def charts(self) -> list[tuple[str, str]]:
        """The charts of this run: their names in links, with their titles."""
    def reading(self, name: str) -> dict[str, Any]:
        """What a chart shows at this step, as numbers.

        `kind` is "lines" (with `series`, each with `name`, `x` and `y`), "grid" (with `values`) or "bars" (with `names`
        and `heights`).
        """
    def svg(self, show: list[str] | None = None, *, dark: bool = False) -> str:
        """The charts as the text of an SVG file: those on show, or these."""
    def page(self, address: str) -> Page:
        """The live page with this run in a frame; `address` is where the page is served."""
    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]: ...

@final
class Rows(Iterator[dict[str, Any]]):
    """The measurements of a run: each a dictionary with `step`, and with an array for each measure."""

    def __iter__(self) -> Rows: ...
    def __next__(self) -> dict[str, Any]: ...

@final
class Sweep:
    """A sweep whose runs have all ended."""

    @property
    def link(self) -> str:
        """The link of the sweep."""
    @property
    def table(self) -> Table:
        """The results with a row for each network: the CSV file that `lab sweep` writes."""
    @property
    def summary(self) -> str:
        """For each run, how many networks reached the target, and when; and the fitted power laws."""
    def svg(self, *, dark: bool = False) -> str:
        """The figure as the text of an SVG file."""
    def __getitem__(self, name: str) -> numpy.typing.NDArray[Any] | list[str]:
        """A column of the table."""
    def __len__(self) -> int:
        """The number of networks."""
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The table as an Arrow stream (the Arrow PyCapsule interface)."""
    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]: ...

@final
class Table:
    """A table that pandas, Polars, DuckDB and PyArrow read without copying it."""

    @property
    def column_names(self) -> list[str]:
        """The names of the columns."""
    def keys(self) -> list[str]:
        """The names of the columns."""
    def __len__(self) -> int:
        """The number of rows."""
    def __getitem__(self, name: str) -> numpy.typing.NDArray[Any] | list[str]:
        """A column as a NumPy array, or as a list of words."""
    def __contains__(self, name: str) -> bool: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The table as an Arrow stream (the Arrow PyCapsule interface)."""

@final
class Page:
    """The live page with one run, in a frame."""

    @property
    def html(self) -> str:
        """The frame as HTML."""
    @property
    def address(self) -> str:
        """The address that the frame shows."""
    def _repr_html_(self) -> str: ...
