//! One sequence, as the loops meet it: its symbols, where each of them stands, and sums over those places.

use super::attention::Span;
use crate::cpu::one_hidden_layer::{LANES, Row};

/// The symbols of a context and those that follow them.
#[derive(Debug, Clone)]
pub struct Sequence {
    /// How many positions.
    pub span: Span,
    /// The symbols, and 0 beyond.
    pub symbols: Vec<u8>,
    /// The symbol after each of them, and 0 beyond.
    pub next: Vec<u8>,
    /// 1 where a symbol stands, `[symbol][block]`.
    inside: Vec<Row>,
    /// Positions by symbol, in rising order.
    places: Vec<u32>,
    starts: Vec<usize>,
}

impl Sequence {
    /// Memory for sequences of `alphabet` symbols.
    pub fn new(alphabet: usize, span: Span) -> Self {
        Sequence {
            span,
            symbols: vec![0; span.stride()],
            next: vec![0; span.stride()],
            inside: vec![Row::ZERO; alphabet * span.blocks],
            places: vec![0; span.length + 1],
            starts: vec![0; alphabet + 1],
        }
    }

    /// Takes a context, and the symbols that follow if there is a symbol more.
    #[inline(always)]
    pub fn read(&mut self, symbols: &[u8]) {
        let length = self.span.length;
        self.symbols[..length].copy_from_slice(&symbols[..length]);
        let next = &symbols[1..];
        self.next[..next.len().min(length)].copy_from_slice(&next[..next.len().min(length)]);
        let blocks = self.span.blocks;
        let mut at = 0;
        for (a, inside) in self.inside.chunks_exact_mut(blocks).enumerate() {
            let symbols = self.symbols.as_chunks::<LANES>().0;
            for (row, symbols) in inside.iter_mut().zip(symbols) {
                *row = Row(symbols.map(|x| if usize::from(x) == a { 1.0 } else { 0.0 }));
            }
            self.starts[a] = at;
            for (i, x) in self.symbols[..length].iter().enumerate() {
                // Without a branch, which could not be foreseen.
                self.places[at] = i as u32;
                at += usize::from(usize::from(*x) == a);
            }
        }
        if let Some(last) = self.starts.last_mut() {
            *last = at;
        }
    }

    /// The positions of a symbol.
    #[inline(always)]
    pub fn places(&self, symbol: usize) -> &[u32] {
        &self.places[self.starts[symbol]..self.starts[symbol + 1]]
    }

    /// 1 where `symbol` stands in a block.
    #[inline(always)]
    pub fn inside(&self, symbol: usize, block: usize) -> Row {
        self.inside[symbol * self.span.blocks + block]
    }

    /// Σ over the places s of `symbol` of N tables at distance i − s, for each i of a block.
    ///
    /// # Shapes
    /// Each table has [`LANES`] zeros before distance 0 and `width` numbers in all.
    #[inline(always)]
    pub fn convolve<const N: usize>(
        &self,
        symbol: usize,
        block: usize,
        tables: &[f32],
        width: usize,
    ) -> [Row; N] {
        let mut sums = [Row::ZERO; N];
        let end = (block + 1) * LANES;
        for s in self.places(symbol).iter().map(|s| *s as usize).take_while(|s| *s < end) {
            let at = end - s;
            sums = add_across(sums, tables, width, at);
        }
        sums
    }

    /// Σ over the places s of `symbol` of N tables at s + δ, for each δ of a block.
    ///
    /// # Shapes
    /// Each table has a number for every position, [`LANES`] zeros after them, and `width` numbers in all.
    #[inline(always)]
    pub fn correlate<const N: usize>(
        &self,
        symbol: usize,
        block: usize,
        tables: &[f32],
        width: usize,
    ) -> [Row; N] {
        let mut sums = [Row::ZERO; N];
        let end = width - LANES;
        for s in self.places(symbol).iter().map(|s| *s as usize + block * LANES).take_while(|s| *s < end) {
            sums = add_across(sums, tables, width, s);
        }
        sums
    }
}

/// Adds the numbers from `at` on of each table; by value and in loops, which the compiler always unrolls.
#[inline(always)]
fn add_across<const N: usize>(mut sums: [Row; N], tables: &[f32], width: usize, at: usize) -> [Row; N] {
    for (sum, table) in sums.iter_mut().zip(tables.chunks_exact(width)) {
        let Some(row) = table[at..].first_chunk::<LANES>() else { continue };
        for (sum, x) in sum.0.iter_mut().zip(row) {
            *sum += x;
        }
    }
    sums
}
