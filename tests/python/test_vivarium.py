"""The Python module: the numbers of the command line, as arrays, tables and pictures; and how it is stopped.

    cargo xtask python      builds the wheel and runs this
"""

import _thread
import base64
import gc
import os
import pathlib
import select
import signal
import struct
import threading
import time

import numpy
import pytest

import vivarium

LINK = "#v1/sparse-parity?n=8&k=2&width=16&held=64&every=10&steps=120&halt=steps&replicas=3&device=cpu"
SWEEP = "#v1/sparse-parity?k=2&width=32&lr=1&held=64&every=5&steps=300&replicas=3&device=cpu&sweep=n:6_8&series=k:1_2"
# So many steps that no machine makes them while a test waits.
ENDLESS = "#v1/sparse-parity?n=50&width=100&steps=10000000&halt=steps&every=1000&replicas=4&device=cpu"


def interrupted_after(seconds, work):
    """Presses Ctrl-C while `work` goes on; how long it went on after that."""
    pressed = []

    def press():
        pressed.append(time.monotonic())
        _thread.interrupt_main()

    timer = threading.Timer(seconds, press)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        work()
    return time.monotonic() - pressed[0]


def test_rows_come_one_by_one_and_the_weights_are_those_of_the_row():
    run = vivarium.run(LINK)
    assert run.step == 0 and run.ending is None
    steps, norms = [], []
    for row in run:
        assert row["step"] == run.step
        assert row["test_accuracy"].shape == (3,) and row["test_accuracy"].dtype == numpy.float32
        steps.append(row["step"])
        norms.append(numpy.linalg.norm(run.weights["w"]))
    assert steps == list(range(0, 121, 10))
    assert len(set(norms)) == len(norms), "the weights move"
    assert run.ending == "last step" and run.step == 120
    assert [row["step"] for row in run] == steps, "the rows are kept"
    assert len(run.solved) == 3 and len(run.relevant) == 2


def test_however_it_is_trained_the_numbers_are_the_same():
    at_once = vivarium.run(LINK).finish()
    in_parts = vivarium.run(LINK)
    for until in [7, 10, 55, 56]:
        assert in_parts.train(until).step == until
    in_parts.finish()
    assert list(at_once.metrics) == list(in_parts.metrics)
    for name, values in at_once.metrics.items():
        numpy.testing.assert_array_equal(values, in_parts[name], name)
    for name, values in at_once.weights.items():
        numpy.testing.assert_array_equal(values, in_parts.weights[name], name)
    assert at_once["step"].tolist() == list(range(0, 121, 10))
    assert at_once["test_loss"].shape == (13, 3)


def test_the_numbers_are_those_of_the_weights():
    """On all inputs, accuracy and loss are computed again from the weights: f(x) = uᵀ relu(W x + b) + β."""
    run = vivarium.run("#v1/sparse-parity?n=6&k=2&width=32&data=cube&steps=60&every=20&halt=steps&replicas=2&device=cpu")
    inputs = 1 - 2.0 * ((numpy.arange(64)[:, None] >> numpy.arange(6)) & 1)
    labels = inputs[:, run.relevant].prod(1)
    for row in run:
        weights = {name: values.astype(numpy.float64) for name, values in run.weights.items()}
        for replica in range(2):
            w, u, b, beta = (weights[name][replica] for name in ["w", "u", "b", "beta"])
            outputs = (numpy.maximum(inputs @ w + b, 0) @ u + beta)[:, 0]
            loss = numpy.maximum(1 - labels * outputs, 0).mean()
            assert row["loss_on_all_inputs"][replica] == pytest.approx(loss, rel=1e-4)
            assert row["accuracy_on_all_inputs"][replica] == pytest.approx((labels * outputs > 0).mean(), abs=1e-6)


def test_settings_are_given_by_their_keys():
    run = vivarium.run(LINK, steps=20, seed=5, lr=0.25, replicas=1)
    assert run.settings["seed"] == "5" and run.settings["lr"] == "0.25" and run.settings["steps"] == "20"
    assert "seed=5" in run.link
    other = vivarium.run(LINK, steps=20, seed=6, lr=0.25, replicas=1)
    assert (run.weights["w"] != other.weights["w"]).any()
    assert vivarium.run("https://example.org/page/" + LINK).link == vivarium.run(LINK).link


def test_errors_have_the_sentences_of_the_page():
    with pytest.raises(vivarium.LinkError) as error:
        vivarium.run("#v1/sparse-parity?n=twelve&width=0")
    assert isinstance(error.value, ValueError)
    assert len(error.value.sentences) == 2 and str(error.value) == "\n".join(error.value.sentences)
    with pytest.raises(vivarium.LinkError) as error:
        vivarium.run(LINK, sed=3)
    assert len(error.value.sentences) == 1
    with pytest.raises(vivarium.LinkError, match="vivarium.sweep"):
        vivarium.run(SWEEP)
    with pytest.raises(vivarium.LinkError, match="single run"):
        vivarium.sweep(LINK)
    with pytest.raises(vivarium.LinkError, match="no chart"):
        vivarium.run(LINK).reading("nothing")
    with pytest.raises(vivarium.LinkError):
        vivarium.run(LINK).reading("margin")
    with pytest.raises(KeyError, match="test_loss"):
        vivarium.run(LINK)["loss"]


def test_a_run_whose_loss_is_not_finite_diverges():
    run = vivarium.run(
        "#v1/sparse-parity?n=10&k=2&width=32&act=power&degree=4&lr=50&loss=square&every=1&held=64&steps=400&device=cpu"
    )
    with pytest.raises(vivarium.Diverged) as error:
        run.finish()
    assert isinstance(error.value, vivarium.TrainingError)
    assert run.ending == "diverged"
    assert numpy.isfinite(run["test_loss"]).all() and numpy.isfinite(run.weights["w"]).all()
    with pytest.raises(vivarium.Diverged):
        list(run)


def test_ctrl_c_stops_a_run_which_can_go_on():
    run = vivarium.run(ENDLESS)
    assert interrupted_after(1.0, run.finish) < 5
    reached = run.step
    assert 0 < reached < 10_000_000
    run.train(reached + 1500)
    assert run.step == reached + 1500
    assert interrupted_after(1.0, lambda: list(run)) < 5


def test_other_threads_of_python_go_on_while_it_trains():
    run, counted, is_over = vivarium.run(ENDLESS), [0], threading.Event()

    def count():
        while not is_over.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    try:
        interrupted_after(1.0, run.finish)
    finally:
        is_over.set()
        thread.join()
    assert counted[0] > 100


def in_a_forked_process(work):
    """What `work` gives as text in a process that is forked from this one; its exception, if it raises one."""
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            text = str(work())
        except BaseException as error:
            text = f"{type(error).__name__}: {error}"
        os.write(writes, text.encode())
        os._exit(0)
    os.close(writes)
    try:
        ready, _, _ = select.select([reads], [], [], 60)
        assert ready, "the forked process waits for ever"
        return os.read(reads, 4096).decode()
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(reads)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_process_is_told_that_the_run_is_of_another_one_and_can_open_its_own():
    run = vivarium.run(LINK)
    run.train(20)
    for call in [run.finish, lambda: run.step, lambda: run["test_loss"], lambda: next(iter(run)), lambda: run.weights]:
        assert in_a_forked_process(call).startswith("TrainingError: This run was opened in another process")
    assert in_a_forked_process(lambda: vivarium.run(LINK).finish().step) == "120"
    run.finish()
    assert run.step == 120, "the run of this process goes on"


def test_weights_can_be_written_to_and_outlive_the_run():
    run = vivarium.run(LINK)
    weights = run.weights["w"]
    del run
    gc.collect()
    weights *= 2
    assert weights.shape == (3, 8, 16) and numpy.isfinite(weights).all()


def test_a_checkpoint_holds_the_weights(tmp_path):
    run = vivarium.run(LINK).train(50)
    path = tmp_path / "run.safetensors"
    run.save(path)
    assert path.stat().st_size > run.weights["w"].nbytes
    assert vivarium.run(path).link.startswith("#v1/sparse-parity?")
    with pytest.raises(OSError):
        run.save(tmp_path / "nowhere" / "run.safetensors")


def test_a_table_goes_to_other_libraries_without_a_copy():
    pyarrow = pytest.importorskip("pyarrow")
    run = vivarium.run(LINK).finish()
    table = run.table
    assert len(table) == 39 and table.column_names[:2] == ["step", "replica"]
    arrow = pyarrow.table(table)
    assert arrow.num_rows == 39 and arrow.column_names == table.column_names
    assert arrow.schema.field("step").type == pyarrow.uint64()
    assert arrow.schema.field("test_loss").type == pyarrow.float32()
    numpy.testing.assert_array_equal(arrow["test_loss"].to_numpy(), run["test_loss"].ravel())
    # The memory is the table's own: two readers are told the same place.
    address = lambda: pyarrow.table(table)["test_loss"].chunk(0).buffers()[1].address
    assert address() == address()
    loss = arrow["test_loss"]
    del run, table, arrow
    gc.collect()
    assert numpy.isfinite(loss.to_numpy()).all(), "a column keeps its memory"


def test_pandas_and_polars_read_it():
    run = vivarium.run(LINK).finish()
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(run)
    assert frame.shape == (39, len(run.table.column_names))
    assert frame.filter(polars.col("replica") == 1)["step"].to_list() == list(range(0, 121, 10))
    pandas = pytest.importorskip("pandas")
    pyarrow = pytest.importorskip("pyarrow")
    frame = pyarrow.table(run).to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert frame.groupby("replica").size().tolist() == [13, 13, 13]


def test_a_run_trains_on_a_data_frame_or_a_file(tmp_path):
    path = tmp_path / "own.csv"
    lines = [f"{i * 37 % 101},{i * i % 89},{['no', 'yes'][i % 2]},{i % 3 % 2}" for i in range(120)]
    path.write_text("\n".join(["size,age,sold,week", *lines]) + "\n")
    link = "#v1/tabular?model=deep-mlp&widths=8&steps=20&every=10&replicas=1&halt=steps&device=cpu"
    with pytest.warns(UserWarning, match="not numbers: sold"):
        by_file = vivarium.run(link, table=path)
    assert "data=own&csv=" in by_file.link and by_file.settings["m"] == "108", "as many rows as there are"
    by_file.finish()
    with pytest.warns(UserWarning):
        again = vivarium.run("https://example.org/" + link, table=str(path), seed=0)
    assert again.link == by_file.link
    of_sold = vivarium.run(link, table=path, label="sold")
    assert of_sold.link != by_file.link and of_sold.finish().step == 20
    with pytest.raises(vivarium.LinkError, match="has no column colour"):
        vivarium.run(link, table=path, label="colour")
    with pytest.raises(vivarium.LinkError, match="does not train on a table"):
        vivarium.run(LINK, table=path)
    with pytest.raises(vivarium.LinkError, match="there is no table"):
        vivarium.run(link, label="sold")
    with pytest.raises(OSError):
        vivarium.run(link, table=tmp_path / "missing.csv")
    with pytest.raises(TypeError):
        vivarium.run(link, table=7)
    pandas = pytest.importorskip("pandas")
    by_frame = vivarium.run(link, table=pandas.read_csv(path), label="sold")
    assert by_frame.link == of_sold.link, "the same table"
    # A group has a setting of this name.
    group = vivarium.run("#v1/groups?op=table", table="0.1.1.0")
    assert group.settings["table"] == "0.1.1.0"


def test_charts_are_numbers_and_pictures():
    run = vivarium.run(LINK, show=["loss", "weights"]).finish()
    names = dict(run.charts)
    assert {"loss", "accuracy", "weights", "spectrum"} <= names.keys()
    loss = run.reading("loss")
    assert loss["kind"] == "lines" and loss["title"] == names["loss"]
    assert all(len(series["x"]) == len(series["y"]) for series in loss["series"])
    weights = run.reading("weights")
    assert weights["kind"] == "grid" and weights["values"].ndim == 2
    # A probe that was not on show is asked for now.
    spectrum = run.reading("spectrum")
    assert spectrum["kind"] == "bars" and len(spectrum["names"]) == len(spectrum["heights"]) > 2
    svg = run.svg()
    assert svg.startswith("<svg") and svg.count("<text") > 10
    assert run.svg(["accuracy"]) != svg and run.svg(dark=True) != svg
    shown = run._repr_mimebundle_()
    assert shown["image/svg+xml"] == svg
    # For the export of a notebook to PDF, which reads no SVG: in base 64, and readable.
    png = base64.b64decode(shown["image/png"], validate=True)
    assert png.startswith(b"\x89PNG\r\n\x1a\n") and png.endswith(b"IEND\xaeB`\x82")
    width, height = struct.unpack(">II", png[16:24])
    assert width >= 960 and height >= 480
    assert "120 of 120" in shown["text/plain"] == repr(run)


def test_the_page_is_a_frame():
    page = vivarium.run(LINK).page("https://example.org/vivarium/")
    assert page.html.startswith("<iframe ") and page.html == page._repr_html_()
    assert page.address.startswith("https://example.org/vivarium/#v1/sparse-parity?") and "embed=on" in page.address


def test_a_sweep_is_the_file_of_the_command_line(tmp_path):
    path, told = tmp_path / "map.csv", []
    sweep = vivarium.sweep(SWEEP, output=path, progress=lambda done, all: told.append((done, all)))
    lines = path.read_text().splitlines()
    table = [line for line in lines if not line.startswith("#")]
    assert lines[0].startswith("# lab sweep #v1/sparse-parity?") and len(table) == 1 + 4 * 3
    assert sweep.table.column_names == table[0].split(",")
    assert len(sweep) == 12 and told[-1] == (4, 4)
    assert sweep["cell"].tolist() == [cell for cell in range(4) for _ in range(3)]
    assert set(sweep["success"].tolist()) <= {0, 1}
    assert "t_c" in str(sweep) and sweep.svg().startswith("<svg")
    assert sweep._repr_mimebundle_()["image/svg+xml"] == sweep.svg()
    assert base64.b64decode(sweep._repr_mimebundle_()["image/png"]).startswith(b"\x89PNG")
    # Its runs are the runs of their own links.
    alone = vivarium.run(
        "#v1/sparse-parity?n=6&k=1&width=32&lr=1&held=64&every=5&steps=300&replicas=3&device=cpu"
    ).finish()
    assert alone.solved == [int(step) for step in sweep["step"][:3]]
    # What is in the file is not made again, and an end that was cut off is.
    before = path.read_bytes()
    path.write_text("\n".join(lines[:-4]) + "\n")
    vivarium.sweep(SWEEP, output=path)
    assert path.read_bytes() == before
    with pytest.raises(vivarium.TrainingError, match="another sweep"):
        vivarium.sweep(SWEEP, output=path, seed=9)


def test_a_sweep_over_words_has_a_column_of_words():
    sweep = vivarium.sweep(
        "#v1/sparse-parity?n=6&k=1&width=8&held=64&every=5&steps=20&device=cpu&sweep=loss:hinge_ce", threads=1
    )
    assert sweep["loss"] == ["hinge", "ce"]
    polars = pytest.importorskip("polars")
    assert polars.DataFrame(sweep)["loss"].to_list() == ["hinge", "ce"]


def test_ctrl_c_stops_a_sweep_which_goes_on_from_its_file(tmp_path):
    path = tmp_path / "map.csv"
    link = "#v1/sparse-parity?n=20&width=64&steps=20000&halt=steps&held=64&device=cpu&sweep=seed:lin:1..400:400"
    assert interrupted_after(2.0, lambda: vivarium.sweep(link, output=path)) < 10
    ended = len(path.read_text().splitlines()) - 2
    assert 0 < ended < 400
    told = []

    def stop(done, all):
        told.append(done)
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        vivarium.sweep(link, output=path, progress=stop)
    assert 0 <= told[0] <= 400 and len(path.read_text().splitlines()) - 2 >= ended


def test_every_name_has_a_stub():
    import ast

    stub = pathlib.Path(vivarium.__file__).with_name("__init__.pyi")
    assert stub.with_name("py.typed").exists()
    body = ast.parse(stub.read_text()).body
    names = {node.name: node for node in body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    public = {name for name in dir(vivarium) if not name.startswith("_") and name != "native"}
    assert public == set(names)
    for name, node in names.items():
        if isinstance(node, ast.ClassDef) and not issubclass(getattr(vivarium, name), Exception):
            stubbed = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
            there = set(vars(getattr(vivarium, name)))
            assert stubbed <= there, stubbed - there
            assert {part for part in there if not part.startswith("_")} <= stubbed
