//! A file that a person gave: its first bytes here, the rest wherever it is.
//!
//! # Why
//! The memory of a WebAssembly program never shrinks, so the page takes no more of a file than it needs to tell what it
//! is. The rest stays with the browser, as a `Blob`, which a worker reads and the browser's storage keeps without
//! a copy. Natively all bytes are at hand.

use std::sync::Arc;

/// A file that a person gave. Copies are handles to the same.
#[derive(Debug, Clone, PartialEq)]
pub struct GivenFile {
    /// Bytes that it has.
    pub size: u64,
    /// Its first bytes; all of them where it is small or in memory.
    pub head: Arc<[u8]>,
    /// Where the browser has it.
    pub handle: Option<FileHandle>,
}

impl GivenFile {
    /// A file in memory.
    pub fn of(bytes: Vec<u8>) -> GivenFile {
        GivenFile { size: bytes.len() as u64, head: bytes.into(), handle: None }
    }

    /// All of it, where that is at hand.
    pub fn bytes(&self) -> Option<&[u8]> {
        (self.head.len() as u64 == self.size).then_some(&self.head)
    }
}

/// A file that the browser has; it lets go of it when the last handle is dropped.
#[derive(Debug, Clone, PartialEq)]
pub struct FileHandle(Arc<Held>);

#[derive(Debug, PartialEq)]
struct Held(u32);

#[cfg(all(target_family = "wasm", feature = "web"))]
pub use web::{BlobReader, given};

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

    use super::{FileHandle, GivenFile, Held};

    thread_local! {
        /// The files by their numbers. A handle is part of the page's state, which may hold no object of the browser.
        static FILES: RefCell<(u32, BTreeMap<u32, Blob>)> = const { RefCell::new((0, BTreeMap::new())) };
    }

    impl FileHandle {
        /// A handle to this file.
        pub fn new(file: Blob) -> FileHandle {
            FILES.with_borrow_mut(|(last, files)| {
                *last += 1;
                files.insert(*last, file);
                FileHandle(Arc::new(Held(*last)))
            })
        }

        /// The file.
        pub fn blob(&self) -> Option<Blob> {
            FILES.with_borrow(|(_, files)| files.get(&self.0.0).cloned())
        }
    }

    impl Drop for Held {
        fn drop(&mut self) {
            FILES.with_borrow_mut(|(_, files)| files.remove(&self.0));
        }
    }

    /// The file with up to `most` of its first bytes.
    ///
    /// # Errors
    /// Where the browser cannot read it: it is a folder, or it is gone.
    pub async fn given(file: Blob, most: usize) -> Result<GivenFile, JsValue> {
        let size = file.size();
        let head = file.slice_with_f64_and_f64(0.0, size.min(most as f64))?;
        let head = JsFuture::from(head.array_buffer()).await?;
        let head = Uint8Array::new(&head).to_vec().into();
        Ok(GivenFile { size: size as u64, head, handle: Some(FileHandle::new(file)) })
    }

    #[wasm_bindgen]
    extern "C" {
        type FileReaderSync;
        #[wasm_bindgen(constructor, catch)]
        fn new() -> Result<FileReaderSync, JsValue>;
        #[wasm_bindgen(method, catch, js_name = readAsArrayBuffer)]
        fn read(this: &FileReaderSync, file: &Blob) -> Result<ArrayBuffer, JsValue>;
    }

    /// Bytes that are fetched at once.
    const PIECE: f64 = 1048576.0;

    /// Reads a file piece by piece, which waits for the disk: in workers only.
    pub struct BlobReader<T> {
        file: Blob,
        reader: FileReaderSync,
        /// Bytes that have been fetched.
        fetched: f64,
        piece: Vec<u8>,
        /// Bytes of the piece that have been read.
        used: usize,
        told: T,
    }

    impl<T: FnMut(f64)> BlobReader<T> {
        /// A reader of this file; `told` hears before each piece which share has been read.
        ///
        /// # Errors
        /// Outside of workers.
        pub fn new(file: Blob, told: T) -> Result<Self, JsValue> {
            let reader = FileReaderSync::new()?;
            Ok(BlobReader { file, reader, fetched: 0.0, piece: vec![], used: 0, told })
        }

        fn fetch(&mut self) -> Result<(), JsValue> {
            let (begin, size) = (self.fetched, self.file.size());
            (self.told)(begin / size.max(1.0));
            self.fetched = size.min(begin + PIECE);
            let piece = self.reader.read(&self.file.slice_with_f64_and_f64(begin, self.fetched)?)?;
            let piece = Uint8Array::new(&piece);
            self.piece.resize(piece.length() as usize, 0);
            piece.copy_to(&mut self.piece);
            self.used = 0;
            Ok(())
        }
    }

    impl<T: FnMut(f64)> Read for BlobReader<T> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.used == self.piece.len() && self.fetched < self.file.size() {
                // Why is no use to anybody: the file has changed, or is gone.
                self.fetch().map_err(|_| io::Error::from(io::ErrorKind::Other))?;
            }
            let rest = &self.piece[self.used..];
            let count = rest.len().min(buffer.len());
            buffer[..count].copy_from_slice(&rest[..count]);
            self.used += count;
            Ok(count)
        }
    }
}
