//! Buffers on the GPU that know their lengths, so that kernels are handed what is there.

use cubecl::prelude::*;
use cubecl::server::Handle;

/// Words or numbers on the GPU.
#[derive(Clone)]
pub struct Buffer {
    handle: Handle,
    length: usize,
}

impl Buffer {
    /// Room for `length` words or numbers, whatever they are.
    pub fn empty(client: &Client, length: usize) -> Self {
        Buffer { handle: client.empty(4 * length), length }
    }

    /// These words.
    pub fn words(client: &Client, words: &[u32]) -> Self {
        Buffer { handle: client.create_from_slice(u32::as_bytes(words)), length: words.len() }
    }

    /// These numbers.
    pub fn numbers(client: &Client, numbers: &[f32]) -> Self {
        Buffer { handle: client.create_from_slice(f32::as_bytes(numbers)), length: numbers.len() }
    }

    /// All of it, as a kernel takes it.
    #[expect(unsafe_code, reason = "a buffer is handed over with its length")]
    pub fn whole(&self) -> BufferArg {
        // SAFETY: the length is that of the buffer.
        unsafe { BufferArg::from_raw_parts(self.handle.clone(), self.length) }
    }

    /// All of it, to be read.
    pub fn handle(&self) -> Handle {
        self.handle.clone()
    }

    /// `count` words or numbers from number `begin` on, to be read.
    pub fn part(&self, begin: usize, count: usize) -> Handle {
        let rest = self.length - begin - count;
        self.handle().offset_start(4 * begin as u64).offset_end(4 * rest as u64)
    }
}
