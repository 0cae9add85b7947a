//! Tables for other libraries, without a copy: the Arrow C data interface, and its stream interface in a capsule.
//!
//! # Why
//! pandas, Polars, DuckDB and PyArrow read a table through three C structures (Apache Arrow, "The Arrow C data interface"
//! and "The Arrow C stream interface", <https://arrow.apache.org/docs/format/CDataInterface.html>) and one method
//! ("The Arrow PyCapsule interface"). Our columns have four types and no missing values, so that this is shorter than what
//! calls one of the crates for it, which bring a dozen others. It is written without `unsafe`: a reference, a box and an
//! optional function have the layout of C's pointers. A reader that moves a structure away only sets its `release` to null,
//! so none of the structures may free memory when it is dropped ([`ManuallyDrop`]); `release` frees all memory.

use std::ffi::{CString, c_char, c_int, c_void};
use std::mem::{ManuallyDrop, MaybeUninit};
use std::ptr::{null, null_mut};
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use super::columns::{Column, ColumnValues, DataColumns};

/// Type and name of a column or of a table, in the layout of the C structure `ArrowSchema`.
#[repr(C)]
struct ArrowSchema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut ArrowSchema,
    dictionary: *mut ArrowSchema,
    /// C callback that frees the memory of the schema; None after it was called or the schema was moved away.
    release: Option<extern "C" fn(&mut ArrowSchema)>,
    /// The field `private_data` of the C structure: the memory that the pointers of the schema point to.
    private_data: Option<Box<SchemaBuffers>>,
}

/// Memory that the pointers of an [`ArrowSchema`] point to.
#[expect(clippy::vec_box, reason = "C gets a list of pointers")]
struct SchemaBuffers {
    /// Arrow's type string of the column or table, such as `f` for `f32`.
    format: CString,
    /// Name of the column; empty for a table.
    name: CString,
    /// Schemas of the columns of a table; empty for a column.
    children: Vec<Box<ManuallyDrop<ArrowSchema>>>,
}

/// Values of a column or of a table, in the layout of the C structure `ArrowArray`.
#[repr(C)]
struct ArrowArray {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *const *const c_void,
    children: *mut *mut ArrowArray,
    dictionary: *mut ArrowArray,
    /// C callback that frees the memory of the array; None after it was called or the array was moved away.
    release: Option<extern "C" fn(&mut ArrowArray)>,
    /// The field `private_data` of the C structure: the memory that the pointers of the array point to.
    private_data: Option<Box<ArrayBuffers>>,
}

/// Memory that the pointers of an [`ArrowArray`] point to.
#[expect(clippy::vec_box, reason = "C gets a list of pointers")]
struct ArrayBuffers {
    /// Pointers to the buffers of a column: first a null pointer, since no value is missing, then the values (of a
    /// column of words their byte offsets, then their bytes).
    buffers: Vec<*const c_void>,
    /// Arrays of the columns of a table; empty for a column.
    children: Vec<Box<ManuallyDrop<ArrowArray>>>,
    /// The table, held so that the values that `buffers` points to stay alive.
    _columns: Arc<DataColumns>,
}

/// A stream of one batch with the whole table, in the layout of the C structure `ArrowArrayStream`.
#[repr(C)]
struct ArrowStream {
    get_schema: extern "C" fn(&mut ArrowStream, &mut MaybeUninit<ArrowSchema>) -> c_int,
    get_next: extern "C" fn(&mut ArrowStream, &mut MaybeUninit<ArrowArray>) -> c_int,
    get_last_error: extern "C" fn(&mut ArrowStream) -> *const c_char,
    /// C callback that frees the memory of the stream; None after it was called or the stream was moved away.
    release: Option<extern "C" fn(&mut ArrowStream)>,
    /// The field `private_data` of the C structure: the table, and whether it was read; None after the stream
    /// was released.
    private_data: Option<Box<StreamState>>,
}

/// The table of an [`ArrowStream`], and whether its reader has got it.
struct StreamState {
    /// The table that the stream passes to its reader, as one batch.
    columns: Arc<DataColumns>,
    /// Whether the reader has got the table's only batch.
    is_read: bool,
}

/// C's error code for an invalid argument; returned for a stream that was released.
const EINVAL: c_int = 22;

impl ArrowSchema {
    /// A schema with the Arrow type string `format` and the name `name`; `children` are the schemas of the
    /// columns of a table.
    fn new(format: &str, name: &str, children: Vec<ArrowSchema>) -> ArrowSchema {
        // No name of ours has a zero in it.
        let text = |text: &str| CString::new(text).unwrap_or_default();
        let children = children.into_iter().map(|child| Box::new(ManuallyDrop::new(child))).collect();
        let mut parts = Box::new(SchemaBuffers { format: text(format), name: text(name), children });
        ArrowSchema {
            format: parts.format.as_ptr(),
            name: parts.name.as_ptr(),
            metadata: null(),
            flags: 0,
            n_children: parts.children.len() as i64,
            // A box is a pointer.
            children: parts.children.as_mut_ptr().cast(),
            dictionary: null_mut(),
            release: Some(release_schema),
            private_data: Some(parts),
        }
    }

    /// The schema of a table: a struct with one child per column.
    fn from_columns(columns: &DataColumns) -> ArrowSchema {
        let child = |column: &Column| ArrowSchema::new(arrow_format(&column.values), &column.name, vec![]);
        ArrowSchema::new("+s", "", columns.columns().iter().map(child).collect())
    }
}

impl ArrowArray {
    /// An array with `length` rows; `data` are the value buffers of a column, and `children` the columns of a table.
    ///
    /// The first buffer, which would mark missing values, is null.
    fn new(
        length: usize,
        data: Vec<*const c_void>,
        children: Vec<ArrowArray>,
        columns: &Arc<DataColumns>,
    ) -> ArrowArray {
        let children = children.into_iter().map(|child| Box::new(ManuallyDrop::new(child))).collect();
        let buffers = std::iter::once(null()).chain(data).collect();
        let mut parts = Box::new(ArrayBuffers { buffers, children, _columns: Arc::clone(columns) });
        ArrowArray {
            length: length as i64,
            null_count: 0,
            offset: 0,
            n_buffers: parts.buffers.len() as i64,
            n_children: parts.children.len() as i64,
            buffers: parts.buffers.as_ptr(),
            children: parts.children.as_mut_ptr().cast(),
            dictionary: null_mut(),
            release: Some(release_array),
            private_data: Some(parts),
        }
    }

    /// The array of a table: a struct with one child per column.
    fn from_columns(columns: &Arc<DataColumns>) -> ArrowArray {
        let child = |column: &Column| {
            ArrowArray::new(columns.row_count(), data_buffers(&column.values), vec![], columns)
        };
        ArrowArray::new(columns.row_count(), vec![], columns.columns().iter().map(child).collect(), columns)
    }

    /// An array without a `release` callback, by which Arrow marks the end of a stream.
    fn end_of_stream() -> ArrowArray {
        ArrowArray {
            length: 0,
            null_count: 0,
            offset: 0,
            n_buffers: 0,
            n_children: 0,
            buffers: null(),
            children: null_mut(),
            dictionary: null_mut(),
            release: None,
            private_data: None,
        }
    }
}

/// Arrow's type string for the values of a column, for example `f` for `f32`.
fn arrow_format(values: &ColumnValues) -> &'static str {
    match values {
        ColumnValues::U64(_) => "L",
        ColumnValues::F32(_) => "f",
        ColumnValues::F64(_) => "g",
        ColumnValues::Text { .. } => "u",
    }
}

/// Pointers to the values of a column; a text column has a pointer to its offsets and one to its bytes.
fn data_buffers(values: &ColumnValues) -> Vec<*const c_void> {
    match values {
        ColumnValues::U64(values) => vec![values.as_ptr().cast()],
        ColumnValues::F32(values) => vec![values.as_ptr().cast()],
        ColumnValues::F64(values) => vec![values.as_ptr().cast()],
        ColumnValues::Text { ends, letters } => vec![ends.as_ptr().cast(), letters.as_ptr().cast()],
    }
}

/// The callback `release` of a schema: frees its memory and that of its children.
extern "C" fn release_schema(schema: &mut ArrowSchema) {
    if let Some(mut parts) = schema.private_data.take() {
        // A child that was moved away has no `release`; its new owner releases it.
        for child in &mut parts.children {
            if let Some(release) = child.release {
                release(child);
            }
        }
    }
    schema.release = None;
}

/// The callback `release` of an array: frees its memory and that of its children.
extern "C" fn release_array(array: &mut ArrowArray) {
    if let Some(mut parts) = array.private_data.take() {
        for child in &mut parts.children {
            if let Some(release) = child.release {
                release(child);
            }
        }
    }
    array.release = None;
}

/// The callback `get_schema` of a stream: writes the table's schema to `out`; returns 0 or an error code.
extern "C" fn get_schema(stream: &mut ArrowStream, out: &mut MaybeUninit<ArrowSchema>) -> c_int {
    let Some(rest) = &stream.private_data else { return EINVAL };
    out.write(ArrowSchema::from_columns(&rest.columns));
    0
}

/// The callback `get_next` of a stream: writes the table to `out`, and afterwards the end of the stream; returns 0 or
/// an error code.
extern "C" fn get_next(stream: &mut ArrowStream, out: &mut MaybeUninit<ArrowArray>) -> c_int {
    let Some(rest) = &mut stream.private_data else { return EINVAL };
    let is_over = std::mem::replace(&mut rest.is_read, true);
    out.write(if is_over { ArrowArray::end_of_stream() } else { ArrowArray::from_columns(&rest.columns) });
    0
}

/// The callback `get_last_error` of a stream: no error has a description.
extern "C" fn get_last_error(_: &mut ArrowStream) -> *const c_char {
    null()
}

/// The callback `release` of a stream: frees its memory.
extern "C" fn release_stream(stream: &mut ArrowStream) {
    stream.private_data = None;
    stream.release = None;
}

/// A C stream that passes the table to its reader once, as one batch.
fn new_stream(columns: Arc<DataColumns>) -> ArrowStream {
    let rest = Some(Box::new(StreamState { columns, is_read: false }));
    ArrowStream { get_schema, get_next, get_last_error, release: Some(release_stream), private_data: rest }
}

/// A Python capsule with a stream of the table, which can be read once.
///
/// # Errors
/// When Python has no memory for it.
pub fn stream_capsule<'py>(py: Python<'py>, columns: Arc<DataColumns>) -> PyResult<Bound<'py, PyCapsule>> {
    let stream = ManuallyDrop::new(new_stream(columns));
    PyCapsule::new_with_value_and_destructor(py, stream, c"arrow_array_stream", |mut stream, _| {
        if let Some(release) = stream.release {
            release(&mut stream);
        }
    })
}
