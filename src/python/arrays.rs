//! Numbers as arrays of NumPy.
//!
//! # Why
//! NumPy takes a `bytearray` as the memory of an array: the array can be written to, keeps the memory alive, and needs no
//! crate that binds NumPy's own interface. The numbers are copied once, when they leave the run.

use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyTuple};

use super::columns::Values;

/// A number that NumPy knows.
pub trait Number: Copy {
    /// What NumPy calls its type.
    const TYPE: &'static str;
    /// Its size in bytes.
    const SIZE: usize = size_of::<Self>();
    /// Writes its bytes.
    fn write(self, to: &mut [u8]);
}

macro_rules! numbers {
    ($($number:ty = $name:literal),*) => {
        $(impl Number for $number {
            const TYPE: &'static str = $name;
            fn write(self, to: &mut [u8]) {
                to.copy_from_slice(&self.to_ne_bytes());
            }
        })*
    };
}

numbers! { u64 = "u8", f32 = "f4", f64 = "f8" }

/// An array of this shape.
///
/// # Errors
/// When there is no NumPy, or no memory.
pub fn array<'py, N: Number>(py: Python<'py>, values: &[N], shape: &[usize]) -> PyResult<Bound<'py, PyAny>> {
    let bytes = PyByteArray::new_with(py, values.len() * N::SIZE, |bytes| {
        values.iter().zip(bytes.chunks_exact_mut(N::SIZE)).for_each(|(value, to)| value.write(to));
        Ok(())
    })?;
    let numpy = py.import("numpy")?;
    let flat = numpy.call_method1("frombuffer", (bytes, N::TYPE))?;
    flat.call_method1("reshape", (PyTuple::new(py, shape)?,))
}

/// A column as an array, or as a list of words.
///
/// # Errors
/// As [`array`].
pub fn column<'py>(py: Python<'py>, values: &Values, shape: &[usize]) -> PyResult<Bound<'py, PyAny>> {
    match values {
        Values::U64(values) => array(py, values, shape),
        Values::F32(values) => array(py, values, shape),
        Values::F64(values) => array(py, values, shape),
        words => words.words().unwrap_or_default().into_pyobject(py),
    }
}
