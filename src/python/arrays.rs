//! Numbers as arrays of NumPy.
//!
//! # Why
//! NumPy takes a `bytearray` as the memory of an array: the array can be written to, keeps the memory alive, and needs no
//! crate that binds NumPy's own interface. The numbers are copied once, when they leave the run.

use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyTuple};

use super::columns::ColumnValues;

/// A type of number that can be an element of a NumPy array.
pub trait NumpyNumber: Copy {
    /// NumPy's type string of the number, for example `f4` for `f32`.
    const NUMPY_TYPE: &'static str;
    /// Size of one number in bytes.
    const BYTES: usize = size_of::<Self>();
    /// Writes the number into `to` in native byte order, [`NumpyNumber::BYTES`] bytes.
    fn write_bytes(self, to: &mut [u8]);
}

macro_rules! numbers {
    ($($number:ty = $name:literal),*) => {
        $(impl NumpyNumber for $number {
            const NUMPY_TYPE: &'static str = $name;
            fn write_bytes(self, to: &mut [u8]) {
                to.copy_from_slice(&self.to_ne_bytes());
            }
        })*
    };
}

numbers! { u64 = "u8", f32 = "f4", f64 = "f8" }

/// Copies `values` into a new NumPy array of the shape `shape`; the last axis varies fastest.
///
/// # Errors
/// When there is no NumPy, or no memory.
pub fn numpy_array<'py, N: NumpyNumber>(
    py: Python<'py>,
    values: &[N],
    shape: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    let bytes = PyByteArray::new_with(py, values.len() * N::BYTES, |bytes| {
        values.iter().zip(bytes.chunks_exact_mut(N::BYTES)).for_each(|(value, to)| value.write_bytes(to));
        Ok(())
    })?;
    let numpy = py.import("numpy")?;
    let flat = numpy.call_method1("frombuffer", (bytes, N::NUMPY_TYPE))?;
    flat.call_method1("reshape", (PyTuple::new(py, shape)?,))
}

/// The values of a column as a NumPy array of the shape `shape`; a column of words becomes a Python list.
///
/// # Errors
/// As [`numpy_array`].
pub fn column_to_python<'py>(
    py: Python<'py>,
    values: &ColumnValues,
    shape: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    match values {
        ColumnValues::U64(values) => numpy_array(py, values, shape),
        ColumnValues::F32(values) => numpy_array(py, values, shape),
        ColumnValues::F64(values) => numpy_array(py, values, shape),
        words => words.words().unwrap_or_default().into_pyobject(py),
    }
}
