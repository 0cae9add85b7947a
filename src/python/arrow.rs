//! Tables for other libraries, without a copy: the Arrow C data interface, and its stream interface in a capsule.
//!
//! # Why
//! pandas, Polars, DuckDB and PyArrow read a table through three C structures (Apache Arrow, "The Arrow C data interface"
//! and "The Arrow C stream interface", <https://arrow.apache.org/docs/format/CDataInterface.html>) and one method
//! ("The Arrow PyCapsule interface"). Our columns have four types and no missing values, so that this is shorter than what
//! calls one of the crates for it, which bring a dozen others. It is written without `unsafe`: a reference, a box and an
//! optional function have the layout of the pointers that C has there. What the reader of a structure moves away it
//! empties of its `release` alone, so that none of the structures may free anything when it is dropped ([`ManuallyDrop`]);
//! all is freed by `release`.

use std::ffi::{CString, c_char, c_int, c_void};
use std::mem::{ManuallyDrop, MaybeUninit};
use std::ptr::{null, null_mut};
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use super::columns::{Column, Columns, Values};

/// A column's type and name, or a table's: `struct ArrowSchema`.
#[repr(C)]
struct Schema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut Schema,
    dictionary: *mut Schema,
    release: Option<extern "C" fn(&mut Schema)>,
    /// Its `private_data`: what the pointers lead to.
    parts: Option<Box<SchemaParts>>,
}

#[expect(clippy::vec_box, reason = "C gets a list of pointers")]
struct SchemaParts {
    format: CString,
    name: CString,
    children: Vec<Box<ManuallyDrop<Schema>>>,
}

/// A column's values, or a table's: `struct ArrowArray`.
#[repr(C)]
struct Array {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *const *const c_void,
    children: *mut *mut Array,
    dictionary: *mut Array,
    release: Option<extern "C" fn(&mut Array)>,
    /// Its `private_data`.
    parts: Option<Box<ArrayParts>>,
}

#[expect(clippy::vec_box, reason = "C gets a list of pointers")]
struct ArrayParts {
    buffers: Vec<*const c_void>,
    children: Vec<Box<ManuallyDrop<Array>>>,
    /// Where the buffers are.
    _columns: Arc<Columns>,
}

/// A table, in one piece: `struct ArrowArrayStream`.
#[repr(C)]
struct Stream {
    get_schema: extern "C" fn(&mut Stream, &mut MaybeUninit<Schema>) -> c_int,
    get_next: extern "C" fn(&mut Stream, &mut MaybeUninit<Array>) -> c_int,
    get_last_error: extern "C" fn(&mut Stream) -> *const c_char,
    release: Option<extern "C" fn(&mut Stream)>,
    /// Its `private_data`.
    rest: Option<Box<Rest>>,
}

/// What a stream has still to give.
struct Rest {
    columns: Arc<Columns>,
    is_given: bool,
}

/// How C calls an invalid argument: a stream that was released.
const EINVAL: c_int = 22;

impl Schema {
    fn new(format: &str, name: &str, children: Vec<Schema>) -> Schema {
        // No name of ours has a zero in it.
        let text = |text: &str| CString::new(text).unwrap_or_default();
        let children = children.into_iter().map(|child| Box::new(ManuallyDrop::new(child))).collect();
        let mut parts = Box::new(SchemaParts { format: text(format), name: text(name), children });
        Schema {
            format: parts.format.as_ptr(),
            name: parts.name.as_ptr(),
            metadata: null(),
            flags: 0,
            n_children: parts.children.len() as i64,
            // A box is a pointer.
            children: parts.children.as_mut_ptr().cast(),
            dictionary: null_mut(),
            release: Some(release_schema),
            parts: Some(parts),
        }
    }

    /// Of a table.
    fn of(columns: &Columns) -> Schema {
        let child = |column: &Column| Schema::new(format(&column.values), &column.name, vec![]);
        Schema::new("+s", "", columns.all().iter().map(child).collect())
    }
}

impl Array {
    /// Of a column, or of a table with columns. The first buffer would tell which values are missing.
    fn new(length: usize, data: Vec<*const c_void>, children: Vec<Array>, columns: &Arc<Columns>) -> Array {
        let children = children.into_iter().map(|child| Box::new(ManuallyDrop::new(child))).collect();
        let buffers = std::iter::once(null()).chain(data).collect();
        let mut parts = Box::new(ArrayParts { buffers, children, _columns: Arc::clone(columns) });
        Array {
            length: length as i64,
            null_count: 0,
            offset: 0,
            n_buffers: parts.buffers.len() as i64,
            n_children: parts.children.len() as i64,
            buffers: parts.buffers.as_ptr(),
            children: parts.children.as_mut_ptr().cast(),
            dictionary: null_mut(),
            release: Some(release_array),
            parts: Some(parts),
        }
    }

    /// Of a table.
    fn of(columns: &Arc<Columns>) -> Array {
        let child = |column: &Column| Array::new(columns.rows(), data(&column.values), vec![], columns);
        Array::new(columns.rows(), vec![], columns.all().iter().map(child).collect(), columns)
    }

    /// What stands for the end of a stream.
    fn none() -> Array {
        Array {
            length: 0,
            null_count: 0,
            offset: 0,
            n_buffers: 0,
            n_children: 0,
            buffers: null(),
            children: null_mut(),
            dictionary: null_mut(),
            release: None,
            parts: None,
        }
    }
}

/// How Arrow writes the type of a column.
fn format(values: &Values) -> &'static str {
    match values {
        Values::U64(_) => "L",
        Values::F32(_) => "f",
        Values::F64(_) => "g",
        Values::Text { .. } => "u",
    }
}

/// Where its values are.
fn data(values: &Values) -> Vec<*const c_void> {
    match values {
        Values::U64(values) => vec![values.as_ptr().cast()],
        Values::F32(values) => vec![values.as_ptr().cast()],
        Values::F64(values) => vec![values.as_ptr().cast()],
        Values::Text { ends, letters } => vec![ends.as_ptr().cast(), letters.as_ptr().cast()],
    }
}

extern "C" fn release_schema(schema: &mut Schema) {
    if let Some(mut parts) = schema.parts.take() {
        // Those that were moved away are released where they are.
        for child in &mut parts.children {
            if let Some(release) = child.release {
                release(child);
            }
        }
    }
    schema.release = None;
}

extern "C" fn release_array(array: &mut Array) {
    if let Some(mut parts) = array.parts.take() {
        for child in &mut parts.children {
            if let Some(release) = child.release {
                release(child);
            }
        }
    }
    array.release = None;
}

extern "C" fn get_schema(stream: &mut Stream, out: &mut MaybeUninit<Schema>) -> c_int {
    let Some(rest) = &stream.rest else { return EINVAL };
    out.write(Schema::of(&rest.columns));
    0
}

extern "C" fn get_next(stream: &mut Stream, out: &mut MaybeUninit<Array>) -> c_int {
    let Some(rest) = &mut stream.rest else { return EINVAL };
    let is_over = std::mem::replace(&mut rest.is_given, true);
    out.write(if is_over { Array::none() } else { Array::of(&rest.columns) });
    0
}

/// Nothing that fails has more to say.
extern "C" fn get_last_error(_: &mut Stream) -> *const c_char {
    null()
}

extern "C" fn release_stream(stream: &mut Stream) {
    stream.rest = None;
    stream.release = None;
}

fn stream(columns: Arc<Columns>) -> Stream {
    let rest = Some(Box::new(Rest { columns, is_given: false }));
    Stream { get_schema, get_next, get_last_error, release: Some(release_stream), rest }
}

/// A capsule with the table as a stream, which its reader empties.
///
/// # Errors
/// When Python has no memory for it.
pub fn capsule<'py>(py: Python<'py>, columns: Arc<Columns>) -> PyResult<Bound<'py, PyCapsule>> {
    let stream = ManuallyDrop::new(stream(columns));
    PyCapsule::new_with_value_and_destructor(py, stream, c"arrow_array_stream", |mut stream, _| {
        if let Some(release) = stream.release {
            release(&mut stream);
        }
    })
}
