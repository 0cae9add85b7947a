"""The notebook runs, and what it asserts holds."""

import pathlib

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")
pytest.importorskip("matplotlib")

NOTEBOOK = pathlib.Path(__file__).parents[1] / "notebook" / "vivarium.ipynb"


def test_the_notebook_runs_and_shows_charts(capsys):
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "what it shows is not kept"
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    shown = {cell["id"]: cell.get("outputs", []) for cell in notebook.cells}
    for name in ["display-run", "display-sweep", "spectrum-check"]:
        data = [output["data"] for output in shown[name] if "data" in output]
        assert data and data[-1]["image/svg+xml"].startswith("<svg"), name
    with capsys.disabled():
        print()
        for name in ["figure-check", "spectrum-check", "vmap-ours", "vmap-torch"]:
            print("".join(output.get("text", "") for output in shown[name]).rstrip())
