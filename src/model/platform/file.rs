//! Uploaded files: the first bytes in memory, the rest in the browser.
//!
//! # Why
//! The memory of a WebAssembly program never shrinks, so the page reads no more of a file than it needs to recognise
//! what it is. The rest stays with the browser, as a `Blob`, which a worker reads and the browser's storage keeps
//! without a copy. Natively all bytes are at hand.

use std::sync::Arc;

/// File that the user has opened. Clones share the content.
#[derive(Debug, Clone, PartialEq)]
pub struct UploadedFile {
    /// Size of the whole file in bytes.
    pub size: u64,
    /// First bytes of the file; all bytes if the file is small or in memory.
    pub head: Arc<[u8]>,
    /// Handle to the browser's file; None if all bytes are in `head`.
    pub handle: Option<FileHandle>,
}

impl UploadedFile {
    /// Creates an uploaded file from its content, all of which is in memory.
    pub fn from_bytes(bytes: Vec<u8>) -> UploadedFile {
        UploadedFile { size: bytes.len() as u64, head: bytes.into(), handle: None }
    }

    /// All bytes of the file; None if only the first ones are in memory.
    pub fn bytes(&self) -> Option<&[u8]> {
        (self.head.len() as u64 == self.size).then_some(&self.head)
    }
}

/// Handle to a file in the browser, which is released when the last handle is dropped.
#[derive(Debug, Clone, PartialEq)]
pub struct FileHandle(Arc<FileId>);

/// Number under which a file of the browser is registered, from 1; dropping it releases the file.
#[derive(Debug, PartialEq)]
struct FileId(u32);

#[cfg(all(target_family = "wasm", feature = "web"))]
pub use web::{BlobReader, open_blob};

#[cfg(all(target_family = "wasm", feature = "web"))]
mod web {
    use std::cell::RefCell;
    use std::collections::BTreeMap;
    use std::io::{self, Read};
    use std::sync::Arc;

    use js_sys::{ArrayBuffer, Uint8Array};
    use wasm_bindgen::prelude::*;
    use wasm_bindgen_futures::JsFuture;
    use web_sys::Blob;

    use super::{FileHandle, FileId, UploadedFile};

    thread_local! {
        /// Last used number, and the browser's files by their numbers, on this thread. The page's state holds only the
        /// numbers, since it may not contain browser objects.
        static FILES: RefCell<(u32, BTreeMap<u32, Blob>)> = const { RefCell::new((0, BTreeMap::new())) };
    }

    impl FileHandle {
        /// Registers a file of the browser on this thread and returns a handle to it.
        pub fn new(file: Blob) -> FileHandle {
            FILES.with_borrow_mut(|(last, files)| {
                *last += 1;
                files.insert(*last, file);
                FileHandle(Arc::new(FileId(*last)))
            })
        }

        /// The browser's file object of this handle; None if it is not registered on this thread.
        pub fn blob(&self) -> Option<Blob> {
            FILES.with_borrow(|(_, files)| files.get(&self.0.0).cloned())
        }
    }

    impl Drop for FileId {
        fn drop(&mut self) {
            FILES.with_borrow_mut(|(_, files)| files.remove(&self.0));
        }
    }

    /// Opens a file and reads up to `max_bytes` of its first bytes.
    ///
    /// # Errors
    /// If the browser cannot read it: it is a folder, or it was removed.
    pub async fn open_blob(file: Blob, max_bytes: usize) -> Result<UploadedFile, JsValue> {
        let size = file.size();
        let head = file.slice_with_f64_and_f64(0.0, size.min(max_bytes as f64))?;
        let head = JsFuture::from(head.array_buffer()).await?;
        let head = Uint8Array::new(&head).to_vec().into();
        Ok(UploadedFile { size: size as u64, head, handle: Some(FileHandle::new(file)) })
    }

    #[wasm_bindgen]
    extern "C" {
        /// The browser's synchronous file reader, which exists only in workers.
        type FileReaderSync;
        #[wasm_bindgen(constructor, catch)]
        fn new() -> Result<FileReaderSync, JsValue>;
        /// Reads all bytes of `file` and blocks the thread meanwhile.
        #[wasm_bindgen(method, catch, js_name = readAsArrayBuffer)]
        fn read(this: &FileReaderSync, file: &Blob) -> Result<ArrayBuffer, JsValue>;
    }

    /// Number of bytes that [`BlobReader`] reads from a file at once.
    const CHUNK_BYTES: f64 = 1048576.0;

    /// Synchronous reader of a file in chunks, which blocks its thread: for workers only.
    pub struct BlobReader<T> {
        file: Blob,
        reader: FileReaderSync,
        /// Number of bytes that have been read from the file.
        fetched_bytes: f64,
        chunk: Vec<u8>,
        /// Number of bytes of the chunk that have been consumed.
        chunk_position: usize,
        on_progress: T,
    }

    impl<T: FnMut(f64)> BlobReader<T> {
        /// Creates a reader; `on_progress` is called before each chunk with the fraction of the file that has been
        /// read.
        ///
        /// # Errors
        /// Outside of a worker.
        pub fn new(file: Blob, on_progress: T) -> Result<Self, JsValue> {
            let reader = FileReaderSync::new()?;
            Ok(BlobReader { file, reader, fetched_bytes: 0.0, chunk: vec![], chunk_position: 0, on_progress })
        }

        /// Reads the next chunk of at most [`CHUNK_BYTES`] bytes from the file into `chunk`.
        fn fetch_chunk(&mut self) -> Result<(), JsValue> {
            let (begin, size) = (self.fetched_bytes, self.file.size());
            (self.on_progress)(begin / size.max(1.0));
            self.fetched_bytes = size.min(begin + CHUNK_BYTES);
            let piece = self.reader.read(&self.file.slice_with_f64_and_f64(begin, self.fetched_bytes)?)?;
            let piece = Uint8Array::new(&piece);
            self.chunk.resize(piece.length() as usize, 0);
            piece.copy_to(&mut self.chunk);
            self.chunk_position = 0;
            Ok(())
        }
    }

    impl<T: FnMut(f64)> Read for BlobReader<T> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.chunk_position == self.chunk.len() && self.fetched_bytes < self.file.size() {
                // The cause does not matter: the file has changed, or was removed.
                self.fetch_chunk().map_err(|_| io::Error::from(io::ErrorKind::Other))?;
            }
            let rest = &self.chunk[self.chunk_position..];
            let count = rest.len().min(buffer.len());
            buffer[..count].copy_from_slice(&rest[..count]);
            self.chunk_position += count;
            Ok(count)
        }
    }
}
