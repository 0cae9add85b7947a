"""The Arrow C data interface, read as a program in C reads it: what is moved away is freed once, and not before."""

import ctypes
import gc

import numpy
import pytest

import vivarium

LINK = "#v1/sparse-parity?n=8&k=2&width=16&held=64&every=10&steps=40&halt=steps&replicas=3&device=cpu"


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


class Stream(ctypes.Structure):
    pass


Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_void_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
    ("dictionary", ctypes.c_void_p),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))),
    ("private_data", ctypes.c_void_p),
]
Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(Array))),
    ("dictionary", ctypes.c_void_p),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))),
    ("private_data", ctypes.c_void_p),
]
Stream._fields_ = [
    ("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Schema))),
    ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Array))),
    ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(Stream))),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Stream))),
    ("private_data", ctypes.c_void_p),
]

pointer = ctypes.pythonapi.PyCapsule_GetPointer
pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


def moved(structure):
    """A copy, of which the original is emptied."""
    copy = type(structure)()
    ctypes.pointer(copy)[0] = structure
    structure.release = type(structure.release)()
    return copy


def release(structure):
    structure.release(ctypes.byref(structure))
    assert not structure.release, "a structure that is released says so"


def test_a_reader_may_move_and_release_in_any_order():
    run = vivarium.run(LINK).finish()
    losses, names = run["test_loss"].ravel(), run.table.column_names
    capsule = run.__arrow_c_stream__()
    stream = moved(Stream.from_address(pointer(capsule, b"arrow_array_stream")))
    del run, capsule
    gc.collect()

    schema, array, end = Schema(), Array(), Array()
    assert stream.get_schema(ctypes.byref(stream), ctypes.byref(schema)) == 0
    assert stream.get_next(ctypes.byref(stream), ctypes.byref(array)) == 0
    assert stream.get_next(ctypes.byref(stream), ctypes.byref(end)) == 0
    assert not end.release, "the table comes in one piece"
    release(stream)

    assert schema.format == b"+s" and array.length == 15 and array.null_count == 0
    children = [schema.children[at].contents for at in range(schema.n_children)]
    assert [child.name.decode() for child in children] == names
    assert [child.format for child in children] == [b"L", b"L"] + [b"f"] * (len(names) - 2)
    assert array.n_children == schema.n_children and array.n_buffers == 1 and not array.buffers[0]

    at = names.index("test_loss")
    loss, name = moved(array.children[at].contents), moved(schema.children[at].contents)
    release(array)
    release(schema)
    gc.collect()
    assert name.name == b"test_loss" and loss.n_buffers == 2
    values = numpy.ctypeslib.as_array(ctypes.cast(loss.buffers[1], ctypes.POINTER(ctypes.c_float)), (15,))
    numpy.testing.assert_array_equal(values, losses)
    release(loss)
    release(name)


def test_a_capsule_that_nobody_reads_is_freed():
    resource = pytest.importorskip("resource")
    run = vivarium.run(LINK, replicas=1000, every=1, steps=100, n=6, width=4).finish()
    run.table.__arrow_c_stream__()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # Each is a table of its own, of three megabytes.
    for _ in range(200):
        run.table.__arrow_c_stream__()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 2 * before
