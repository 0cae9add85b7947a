//! Cell rules on many queries at once: what a rule makes of an image, and whether the sign of its cells is the right label
//! (the search of [`vivarium_science::succinct::search`]).
//!
//! ```text
//! word      one cell for 32 queries, in two bits each: whether it is +1, and whether it is −1
//! lane      one rule on 32 queries: column by column, since columns do not see one another
//! layer     a cell is +1 next where one of nine pairs (cell, cell above) is there for which the rule gives +1
//! sum       of (cell + 1) over all cells that are read, in the bits of the sum
//! points    of 32 queries, in halves: 2 for a right answer, 1 for a sum of 0
//! ```
//!
//! # Why
//! A lane has a rule and a column for itself, so that no lane waits for another, and neighbouring lanes read neighbouring
//! words. The column is worked on from above in place, with the old cell above in a register. Unlike on the processor no
//! column ends early: lanes that wait for the slowest would gain nothing. All numbers are whole, so that the points are those
//! of the processor to the last bit.

#![allow(
    missing_docs,
    clippy::assign_op_pattern,
    clippy::collapsible_if,
    clippy::too_many_arguments,
    clippy::unnecessary_cast,
    reason = "the cube macro adds items of its own and knows fewer words than Rust; a kernel has no globals"
)]

use cubecl::prelude::*;

use super::buffer::Buffer;
use super::client::{client, limits};
use super::plan::Limits;
use vivarium_model::protocol::RunError;
use vivarium_science::succinct::search::{CellRule, CellValue, Query, ReadoutCells};

/// Lanes of a workgroup.
const LANES: u32 = 64;
/// Most numbers that a launch brings back: 8 MiB, and half as many workgroups as every GPU takes.
const MOST_ANSWERS: usize = 1 << 21;
/// Rows up to which the loop over them is written out.
const MOST_WRITTEN_OUT: usize = 32;

/// What the kernel is compiled for: the size of an image and the cells that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Rows, one of them for the test input.
    pub rows: usize,
    /// Columns, one of them for the label.
    pub columns: usize,
    /// First row whose cells are added up.
    pub first_read: usize,
}

impl Shape {
    /// Cells that are added up.
    const fn cells_read(self) -> usize {
        (self.rows - self.first_read) * self.columns
    }

    /// Bits of the largest sum of (cell + 1).
    const fn bits(self) -> usize {
        (usize::BITS - (2 * self.cells_read()).leading_zeros()) as usize
    }

    /// Turns that one lane makes in all its loops.
    const fn turns(self) -> u64 {
        let layer = if self.rows > MOST_WRITTEN_OUT { self.rows + 1 } else { 1 };
        (self.columns * self.rows * (layer + 2)) as u64
    }
}

/// Judges rule `i / blocks` on queries 32 (i mod `blocks`) and on, in lane i of `all`. Each search has `count` rules.
///
/// `signs` is `[searches, columns, rows, blocks]`; `labels` is `[searches, blocks, 3]`, the right labels, the bits of validation
/// queries and those of test queries; bit 9 r + 3 c + a of a rule says that a cell c under a cell a becomes +1 (r = 0) or −1 (r = 1).
/// `points` takes the points on validation queries with those on test queries in its upper half, and `nonce` at its end.
#[cube(launch_unchecked)]
pub fn judge(
    signs: &[u32],
    labels: &[u32],
    rules: &[u32],
    points: &mut [u32],
    blocks: u32,
    count: u32,
    all: u32,
    nonce: u32,
    #[comptime] shape: Shape,
) {
    let rows = comptime!(shape.rows);
    let columns = comptime!(shape.columns);
    let bits = comptime!(shape.bits());
    let at = ABSOLUTE_POS as usize;
    let across = blocks as usize;
    let all = all as usize;
    if at < all {
        let rule = rules[at / across];
        let block = at % across;
        let search = at / across / count as usize;
        let first_sign = search * (rows * columns * across) + block;
        let first_label = 3 * (search * across + block);
        // Each entry of the rule as a word of ones or of zeros.
        let mut gives = Array::<u32>::new(18usize);
        #[unroll]
        for entry in 0..18usize {
            gives[entry] = 0u32 - ((rule >> (entry as u32)) & 1u32);
        }
        let mut sum = Array::<u32>::new(bits);
        #[unroll]
        for bit in 0..bits {
            sum[bit] = 0u32;
        }
        let mut plus = Array::<u32>::new(rows);
        let mut minus = Array::<u32>::new(rows);
        for column in 0..columns {
            for row in 0..rows {
                let word = signs[first_sign + (column * rows + row) * across];
                plus[row] = word;
                minus[row] = !word;
            }
            for _layer in 0..rows {
                // Nothing is above the first row but itself.
                let mut above_plus = plus[0];
                let mut above_minus = minus[0];
                #[unroll(comptime!(shape.rows <= MOST_WRITTEN_OUT))]
                for row in 0..rows {
                    let p = plus[row];
                    let m = minus[row];
                    let z = !(p | m);
                    let above_zero = !(above_plus | above_minus);
                    let under_minus = (m & gives[0]) | (z & gives[3]) | (p & gives[6]);
                    let under_zero = (m & gives[1]) | (z & gives[4]) | (p & gives[7]);
                    let under_plus = (m & gives[2]) | (z & gives[5]) | (p & gives[8]);
                    plus[row] =
                        (under_minus & above_minus) | (under_zero & above_zero) | (under_plus & above_plus);
                    let under_minus = (m & gives[9]) | (z & gives[12]) | (p & gives[15]);
                    let under_zero = (m & gives[10]) | (z & gives[13]) | (p & gives[16]);
                    let under_plus = (m & gives[11]) | (z & gives[14]) | (p & gives[17]);
                    minus[row] =
                        (under_minus & above_minus) | (under_zero & above_zero) | (under_plus & above_plus);
                    above_plus = p;
                    above_minus = m;
                }
            }
            for read in 0..comptime!(shape.rows - shape.first_read) {
                let p = plus[read + comptime!(shape.first_read)];
                let z = !(p | minus[read + comptime!(shape.first_read)]);
                // cell + 1 is 2 for +1 and 1 for 0, never both.
                let mut carry = (sum[0] & z) | p;
                sum[0] = sum[0] ^ z;
                #[unroll]
                for bit in 1..bits {
                    let next = sum[bit] & carry;
                    sum[bit] = sum[bit] ^ carry;
                    carry = next;
                }
            }
        }
        // The sum of cells is above 0 where that of (cell + 1) is above the number of cells.
        let mut positive = 0u32;
        let mut tied = 0xffff_ffffu32;
        #[unroll]
        for down in 0..bits {
            let bit = comptime!(bits - 1 - down);
            if comptime!((shape.cells_read() >> bit) & 1 == 1) {
                tied = tied & sum[bit];
            } else {
                positive = positive | (tied & sum[bit]);
                tied = tied & !sum[bit];
            }
        }
        let right = !(positive ^ labels[first_label]) & !tied;
        let validation = labels[first_label + 1];
        let test = labels[first_label + 2];
        let first = 2u32 * (right & validation).count_ones() + (tied & validation).count_ones();
        let second = 2u32 * (right & test).count_ones() + (tied & test).count_ones();
        points[at] = first | (second << 16u32);
    }
    if at == 0 {
        points[all] = nonce;
    }
}

/// A rule as the kernel reads it.
fn entries(rule: CellRule) -> u32 {
    let gives = |entry: usize| {
        let [result, centre, above] = [entry / 9, entry / 3 % 3, entry % 3];
        let result = if result == 0 { CellValue::Plus } else { CellValue::Minus };
        rule.apply(CellValue::ALL[centre], CellValue::ALL[above]) == result
    };
    (0..18).map(|entry| u32::from(gives(entry)) << entry).sum()
}

/// Searches whose rules are judged on the GPU that has been opened, all on as many queries of the same size.
pub struct RuleJudge {
    client: Client,
    shape: Shape,
    searches: usize,
    blocks: usize,
    signs: Buffer,
    labels: Buffer,
    nonce: u32,
}

impl RuleJudge {
    /// The searches with these queries, of which the first `validation` are those for validation and the others those of the
    /// test; all lists are of one length.
    ///
    /// # Errors
    /// A sentence that says why this GPU cannot judge them.
    pub fn new(searches: &[Vec<Query>], validation: usize, readout: ReadoutCells) -> Result<Self, String> {
        let client = client();
        let first = searches.first().and_then(|queries| Some((queries.len(), queries.first()?.size())));
        let (count, (rows, columns)) = first.ok_or("there are no queries")?;
        let first_read = match readout {
            ReadoutCells::All => 0,
            ReadoutCells::Bottom => rows - 1,
        };
        let shape = Shape { rows, columns, first_read };
        let blocks = count.div_ceil(32);
        fits(shape, searches.len() * blocks, limits(&client))?;
        let mut signs = vec![0u32; searches.len() * columns * rows * blocks];
        let mut labels = vec![0u32; searches.len() * 3 * blocks];
        let each = signs.chunks_mut(columns * rows * blocks).zip(labels.chunks_mut(3 * blocks));
        for (queries, (signs, labels)) in searches.iter().zip(each) {
            for (number, query) in queries.iter().enumerate() {
                let (block, bit) = (number / 32, 1 << (number % 32));
                let part = if number < validation { 1 } else { 2 };
                labels[3 * block + part] |= bit;
                if query.label > 0 {
                    labels[3 * block] |= bit;
                }
                for (at, _) in query.image_signs().enumerate().filter(|(_, sign)| *sign > 0) {
                    let (row, column) = (at / columns, at % columns);
                    signs[(column * rows + row) * blocks + block] |= bit;
                }
            }
        }
        let [signs, labels] = [signs, labels].map(|words| Buffer::words(&client, &words));
        Ok(RuleJudge { client, shape, searches: searches.len(), blocks, signs, labels, nonce: 0 })
    }

    /// Most rules that one launch judges for each search.
    pub fn most_rules(&self) -> usize {
        (MOST_ANSWERS / (self.blocks * self.searches)).max(1)
    }

    /// For each search, what each of its rules answers: points on validation queries and on test queries, in halves. There is
    /// a list of rules for each search, all of one length.
    ///
    /// # Errors
    /// [`RunError::GpuLost`] where the GPU gives no answers.
    #[expect(unsafe_code, reason = "launching a kernel hands it raw buffers")]
    pub async fn judge(&mut self, rules: &[Vec<CellRule>]) -> Result<Vec<Vec<[u32; 2]>>, RunError> {
        // Never 0, which fresh memory holds.
        self.nonce = self.nonce % 0x00ff_ffff + 1;
        let entries: Vec<u32> = rules.iter().flatten().map(|rule| entries(*rule)).collect();
        let count = entries.len() / self.searches;
        let answers = entries.len() * self.blocks;
        let points = Buffer::empty(&self.client, answers + 1);
        // SAFETY: every length is that of its buffer, and no lane goes beyond them.
        unsafe {
            judge::launch_unchecked(
                &self.client,
                CubeCount::Static((answers as u32).div_ceil(LANES), 1, 1),
                CubeDim::new_1d(LANES),
                self.signs.whole(),
                self.labels.whole(),
                Buffer::words(&self.client, &entries).whole(),
                points.whole(),
                self.blocks as u32,
                count as u32,
                answers as u32,
                self.nonce,
                self.shape,
            );
        }
        let read = self.client.read_async(vec![points.handle()]).await.map_err(RunError::gpu_lost)?;
        let words = read.first().map(|bytes| u32::from_bytes(bytes)).unwrap_or_default();
        let Some((answers, [nonce])) = words.split_at_checked(answers) else {
            return Err(RunError::GpuLost("a launch gave too few numbers back".into()));
        };
        if *nonce != self.nonce {
            return Err(RunError::GpuLost("a launch did not give its numbers back".into()));
        }
        let add = |[first, second]: [u32; 2], word: &u32| [first + (word & 0xffff), second + (word >> 16)];
        let of_rule = |blocks: &[u32]| blocks.iter().fold([0; 2], add);
        let of_search = |answers: &[u32]| answers.chunks(self.blocks).map(of_rule).collect();
        Ok(answers.chunks(count * self.blocks).map(of_search).collect())
    }
}

/// Whether a GPU can judge one rule on so many blocks of queries.
fn fits(shape: Shape, blocks: usize, limits: Limits) -> Result<(), String> {
    let words = (shape.rows * shape.columns * blocks) as u64;
    if 4 * words > limits.buffer_bytes {
        return Err(format!("its queries take {} MiB", (4 * words) >> 20));
    }
    if shape.turns() > limits.turns {
        return Err("this simulated GPU ends long loops".into());
    }
    Ok(())
}

#[cfg(test)]
#[cfg(feature = "cli")]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_a_gpu_is_refused() {
        let shape = |rows, columns| Shape { rows, columns, first_read: 0 };
        let limits = |turns| Limits { lanes: 256, workgroup_bytes: 16_384, buffer_bytes: 1 << 27, turns };
        assert_eq!(fits(shape(16, 8), 100, limits(60_000)), Ok(()));
        assert!(fits(shape(101, 32), 100, limits(60_000)).is_err());
        assert_eq!(fits(shape(101, 32), 100, limits(u64::MAX)), Ok(()));
        assert!(fits(shape(101, 32), 20_000, limits(u64::MAX)).is_err());
        assert_eq!(shape(101, 64).bits(), 14);
    }
}
