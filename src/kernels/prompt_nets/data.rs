//! What goes into the kernels of networks on prompts and what comes out, as plain numbers.

use super::FIELDS;
use vivarium_science::tokens::TokenPrompts;

/// Appends a prompt as the kernels read it: tokens and labels as the bits of floats, then names block by block.
fn push(prompts: &TokenPrompts, row: &[f32], out: &mut Vec<u32>) {
    let (tokens, names, labels) = prompts.split_row(row);
    out.extend(tokens.iter().chain(labels).map(|number| number.to_bits()));
    for block in 0..prompts.names {
        out.extend(names.iter().skip(block).step_by(prompts.names).map(|name| *name as u32));
    }
}

/// Appends prompts without lists, as many words each as
/// [`PromptLayout::words`](crate::prompt_layout::PromptLayout::words) says.
pub(super) fn push_rows(prompts: &TokenPrompts, rows: &[f32], out: &mut Vec<u32>) {
    rows.chunks(prompts.row_len()).for_each(|row| push(prompts, row, out));
}

/// Appends prompts with lists, as many words each as
/// [`PromptLayout::listed_words`](crate::prompt_layout::PromptLayout::listed_words) says: behind each, block by
/// block, where the positions begin that name each position, `[length + 1]`, and these positions in rising order, `[length]`.
pub(super) fn push_listed_rows(prompts: &TokenPrompts, rows: &[f32], out: &mut Vec<u32>) {
    let n = prompts.length;
    for row in rows.chunks(prompts.row_len()) {
        let begin = out.len();
        push(prompts, row, out);
        let names = begin + n * (prompts.dim + 1);
        for block in 0..prompts.names {
            let (named, list) = (names + block * n, out.len());
            out.resize(list + 2 * n + 1, 0);
            for i in 0..n {
                let name = out[named + i] as usize;
                out[list + 1 + name] += 1;
            }
            (0..n).for_each(|name| out[list + 1 + name] += out[list + name]);
            // From the last on, so that positions rise.
            let mut ends: Vec<u32> = out[list + 1..][..n].to_vec();
            for i in (0..n).rev() {
                let end = &mut ends[out[named + i] as usize];
                *end -= 1;
                out[list + n + 1 + *end as usize] = i as u32;
            }
        }
    }
}

/// What was measured before a step of every network that was trained, one run after the other.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Record {
    /// Steps made before.
    pub step: u64,
    /// Mean squared error of the next batch, or of the finite sample, for each network; not a number if any output is.
    pub train: Vec<f32>,
    /// Mean squared error of the held-out prompts, for each network.
    pub test: Vec<f32>,
}

/// The mean over `positions` of what workgroups or prompts say of one network.
pub(super) fn mean(measured: &[f32], positions: usize) -> f32 {
    let sum = |field: usize| measured.iter().skip(field).step_by(FIELDS).map(|x| f64::from(*x)).sum::<f64>();
    if sum(1) > 0.0 { f32::NAN } else { (sum(0) / positions.max(1) as f64) as f32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_say_who_names_whom() {
        let prompts = TokenPrompts { length: 4, dim: 2, names: 2, ..Default::default() };
        let tokens: Vec<f32> = (0..8).map(|x| x as f32 / 8.0).collect();
        let names = [3.0, 1.0, 0.0, 1.0, 3.0, 2.0, 3.0, 0.0];
        let labels = [5.0, 6.0, 7.0, 8.0];
        let row = [&tokens[..], &names, &labels].concat();
        let (mut plain, mut listed) = (vec![], vec![]);
        push_rows(&prompts, &row, &mut plain);
        push_listed_rows(&prompts, &row, &mut listed);
        assert_eq!(plain.len(), 4 * 5);
        assert_eq!(listed[..20], plain[..]);
        let floats = plain[..12].iter().map(|bits| f32::from_bits(*bits)).collect::<Vec<_>>();
        assert_eq!(floats, [&tokens[..], &labels].concat());
        assert_eq!(plain[12..], [3, 0, 3, 3, 1, 1, 2, 0]);
        // Of the first block 0 is named by 1, 3 by the others; of the second 0 by 3, 1 by 0 and 1, 2 by 2.
        assert_eq!(listed[20..], [0, 1, 1, 1, 4, 1, 0, 2, 3, 0, 1, 3, 4, 4, 3, 0, 1, 2]);
    }
}
