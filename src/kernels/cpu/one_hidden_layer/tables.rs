//! Signed sums of rows, four rows at a time: the bits of examples as places in tables, and the tables.

use super::Row;

/// Examples in a block: the bits of a word.
pub const BLOCK: usize = 32;

/// Groups of four inputs tabulated at once: 16 KiB, half of a first-level cache.
pub const GROUPS: usize = 16;

/// The signed sums of four rows; bit j of the place is set where row j is subtracted.
pub type Table = [Row; 16];

/// Examples, as places in tables.
#[derive(Debug, Clone, Default)]
pub struct Patterns {
    /// For each example, four bits for each group of inputs.
    pub(super) places: Vec<u8>,
    /// For each block of 32 examples a word, where a set bit is a label of −1.
    pub(super) labels: Vec<u32>,
}

impl Patterns {
    /// The patterns of `words`: for each block of 32 examples a word for every input and one for the labels.
    pub fn new(words: &[u32], inputs: usize) -> Self {
        let mut patterns = Patterns::default();
        patterns.fill(words, inputs);
        patterns
    }

    /// Puts others in their place and keeps the memory.
    #[inline(always)]
    pub(super) fn fill(&mut self, words: &[u32], inputs: usize) {
        let (groups, blocks) = (inputs.div_ceil(4), words.len() / (inputs + 1));
        self.places.resize(blocks * BLOCK * groups, 0);
        self.labels.clear();
        let places = self.places.chunks_exact_mut(BLOCK * groups);
        for (places, words) in places.zip(words.chunks_exact(inputs + 1)) {
            for (g, four) in words[..inputs].chunks(4).enumerate() {
                for q in 0..4 {
                    // Four bytes, spread so that bit e of input j comes to bit 4e + j.
                    let mut mixed = 0;
                    for (j, word) in four.iter().enumerate() {
                        let mut x = (word >> (8 * q)) & 255;
                        x = (x | x << 12) & 0x000F_000F;
                        x = (x | x << 6) & 0x0303_0303;
                        x = (x | x << 3) & 0x1111_1111;
                        mixed |= x << j;
                    }
                    for e in 0..8 {
                        places[(8 * q + e) * groups + g] = (mixed >> (4 * e)) as u8 & 15;
                    }
                }
            }
            self.labels.push(words[inputs]);
        }
    }

    /// Label of example `e`, in {−1, +1}.
    #[inline(always)]
    pub(super) fn label(&self, e: usize) -> f32 {
        1.0 - 2.0 * ((self.labels[e / BLOCK] >> (e % BLOCK)) & 1) as f32
    }
}

/// Fills a table with the sixteen signed sums of four rows.
#[inline(always)]
pub fn tabulate(rows: &[Row; 4], table: &mut Table) {
    let [a, b, c, d] = *rows;
    let (both, apart) = (a + b, a - b);
    let low = [both, Row::ZERO - apart, apart, Row::ZERO - both];
    let (both, apart) = (c + d, c - d);
    let high = [both, Row::ZERO - apart, apart, Row::ZERO - both];
    // Written out, since otherwise the sixteen sums stay a loop that spills its rows.
    macro_rules! entries {
        ($($p:literal)*) => { $(table[$p] = low[$p % 4] + high[$p / 4];)* };
    }
    entries!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
}

/// z = Wx + b of one tile, whose rows of W are in fours, for every example in `places`.
#[inline(always)]
pub fn project(weights: &[Row], bias: Row, places: &[u8], tables: &mut [Table], z: &mut [Row]) {
    let groups = weights.len() / 4;
    for (at, weights) in weights.chunks(4 * GROUPS).enumerate() {
        let here = weights.len() / 4;
        for (four, table) in weights.as_chunks::<4>().0.iter().zip(tables.iter_mut()) {
            tabulate(four, table);
        }
        let (fours, rest) = tables[..here].as_chunks::<4>();
        for (z, places) in z.iter_mut().zip(places.chunks_exact(groups)) {
            let mut sum = if at == 0 { bias } else { *z };
            let (places, last) = places[at * GROUPS..at * GROUPS + here].as_chunks::<4>();
            for (tables, p) in fours.iter().zip(places) {
                sum = sum + tables[0][usize::from(p[0] & 15)];
                sum = sum + tables[1][usize::from(p[1] & 15)];
                sum = sum + tables[2][usize::from(p[2] & 15)];
                sum = sum + tables[3][usize::from(p[3] & 15)];
            }
            for (table, p) in rest.iter().zip(last) {
                sum = sum + table[usize::from(p & 15)];
            }
            *z = sum;
        }
    }
}
