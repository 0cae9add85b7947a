//! Draws prompts, and encodes them as rows of numbers.

use super::{PositionCodes, Teacher, TeacherKind};
use vivarium_core::choices;
use vivarium_core::rng::{RandomStream, normal_pair};

choices! {
    /// Whether a position may name a token twice.
    pub enum NameRepeats {
        /// All names of a position are different.
        Distinct = "distinct", "All different";
        /// Each name is drawn by itself.
        Independent = "free", "Independent, repeats possible";
    }
}

choices! {
    /// Whether all positions of a prompt share one list of names.
    pub enum NameLists {
        /// Each position has names of its own.
        PerPosition = "each", "One for each position";
        /// All positions share one list of names: the paper's simple variant.
        Shared = "one", "One for all positions";
    }
}

choices! {
    /// The factor of the position codes in an encoded token.
    pub enum CodeScale {
        /// √(d/q), the paper's choice, so that the codes and the token have similar norms.
        Root = "root", "√(d/q)";
        /// 1, as in the authors' code.
        One = "one", "1";
    }
}

/// A distribution of prompts of tokens, each position of which names tokens, and the encoding of prompts for a
/// network.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TokenPrompts {
    /// Number N of positions in a prompt.
    pub length: usize,
    /// Dimension d of a token.
    pub dim: usize,
    /// Number q of tokens that a position names.
    pub names: usize,
    /// Whether a position may name the same token more than once.
    pub repeats: NameRepeats,
    /// Family of the label function g of the named tokens.
    pub function: TeacherKind,
    /// Number of hidden units of the label function g if it is a random network.
    pub hidden_units: usize,
    /// Kind of the vectors that encode positions, such as random or orthogonal codes.
    pub codes: PositionCodes,
    /// Dimension d_e of a position code.
    pub code_dim: usize,
    /// Choice of the factor by which position codes are multiplied in an encoded token.
    pub code_scaling: CodeScale,
}

impl Default for TokenPrompts {
    /// Prompts of eight positions, each of which names two of them.
    fn default() -> Self {
        TokenPrompts {
            length: 8,
            dim: 1,
            names: 2,
            repeats: NameRepeats::Distinct,
            function: TeacherKind::Squares,
            hidden_units: 8,
            codes: PositionCodes::OneHot,
            code_dim: 8,
            code_scaling: CodeScale::Root,
        }
    }
}

/// The random streams from which the tokens, names and noise of prompts are drawn.
#[derive(Debug, Clone, Copy)]
pub struct PromptStreams {
    /// Random stream from which the tokens of the prompts are drawn.
    pub tokens: RandomStream,
    /// Random stream of the names: the positions of the tokens that each position's label depends on.
    pub names: RandomStream,
    /// Random stream of the label noise and the noise's standard deviation; `None` for labels without noise.
    pub noise: Option<(RandomStream, f64)>,
    /// Whether all positions of a prompt share one list of names, or each has its own.
    pub lists: NameLists,
}

impl TokenPrompts {
    /// Length of a prompt's row: all tokens `[length, dim]`, all names `[length, names]` as positions from 0, then
    /// all labels `[length]`.
    pub fn row_len(&self) -> usize {
        self.length * (self.dim + self.names + 1)
    }

    /// Dimension D_e of an encoded token, with its own code and the codes of its names: d + (q + 1) d_e.
    pub fn encoded_dim(&self) -> usize {
        self.dim + (self.names + 1) * self.code_dim
    }

    /// Splits a prompt's row into tokens `[length, dim]`, names `[length, names]` and labels `[length]`.
    pub fn split_row<'a>(&self, row: &'a [f32]) -> (&'a [f32], &'a [f32], &'a [f32]) {
        let (tokens, rest) = row.split_at(self.length * self.dim);
        let (names, labels) = rest.split_at(self.length * self.names);
        (tokens, names, labels)
    }

    /// Draws the position codes of all positions from `seed`, `[length, code_dim]`.
    pub fn draw_position_codes(&self, seed: u64) -> Vec<f32> {
        self.codes.draw(seed, self.length, self.code_dim)
    }

    /// The factor s by which position codes are multiplied in an encoded token.
    pub fn code_scale(&self) -> f32 {
        match self.code_scaling {
            CodeScale::Root => libm::sqrt(self.dim as f64 / self.names as f64) as f32,
            CodeScale::One => 1.0,
        }
    }

    /// Appends the encoded tokens of a prompt, the input of a network: z_i = \[x_i; s·ω_i; s·ω_{t_i1}; …;
    /// s·ω_{t_iq}\] with s = [`TokenPrompts::code_scale`].
    ///
    /// # Shapes
    /// `codes` is `[length, code_dim]`; `row` is `[row_len]`; appended is `[length, encoded_dim]`.
    pub fn append_encoded(&self, codes: &[f32], row: &[f32], out: &mut Vec<f32>) {
        let ((tokens, names, _), scale) = (self.split_row(row), self.code_scale());
        let code =
            |position: usize| codes[position * self.code_dim..][..self.code_dim].iter().map(|x| x * scale);
        for (i, (token, list)) in tokens.chunks(self.dim).zip(names.chunks(self.names)).enumerate() {
            out.extend_from_slice(token);
            out.extend(code(i));
            list.iter().for_each(|name| out.extend(code(*name as usize)));
        }
    }

    /// Draws the label function g of the named tokens from `seed`.
    pub fn teacher(&self, seed: u64) -> Teacher {
        Teacher::draw(self.function, self.names, self.dim, self.hidden_units, seed)
    }

    /// Number of hidden units of the readout that [`Teacher::build_readout`] builds with `knots` interpolation
    /// intervals for each square.
    pub fn readout_unit_count(&self, knots: usize) -> usize {
        match self.function {
            TeacherKind::Linear | TeacherKind::Mean => 2,
            TeacherKind::Squares => self.names * self.dim * knots,
            TeacherKind::Network => self.hidden_units,
        }
    }

    /// Variance over prompts of a label without noise, for the label function that [`TokenPrompts::teacher`] draws
    /// from `seed`.
    pub fn label_variance(&self, seed: u64) -> f64 {
        self.teacher(seed).label_variance(self.length, self.repeats == NameRepeats::Independent)
    }

    /// Computes the labels of a prompt without noise, `[length]`, from its tokens `[length, dim]` and names `[length,
    /// names]`.
    pub fn compute_labels(&self, teacher: &Teacher, tokens: &[f32], names: &[f32]) -> Vec<f64> {
        let mut named = vec![0.0; self.names * self.dim];
        let label = |list: &[f32]| {
            for (place, name) in named.chunks_mut(self.dim).zip(list) {
                let token = &tokens[*name as usize * self.dim..][..self.dim];
                place.iter_mut().zip(token).for_each(|(wide, x)| *wide = f64::from(*x));
            }
            teacher.compute_label(&named)
        };
        names.chunks(self.names).map(label).collect()
    }

    /// Appends the prompts with the indices `examples`, from 0, of step `step` as rows to `out`, `[examples,
    /// row_len]`: tokens and names are drawn from the streams `from`, and `teacher` gives the labels, to which the
    /// noise of `from` is added.
    pub fn append_prompts(
        &self,
        teacher: &Teacher,
        from: &PromptStreams,
        step: u64,
        examples: impl Iterator<Item = usize>,
        out: &mut Vec<f32>,
    ) {
        let mut words = vec![];
        for example in examples {
            let begin = out.len();
            self.append_tokens(&from.tokens, step, example, &mut words, out);
            self.append_names(&from.names, from.lists, step, example, &mut words, out);
            let (tokens, names) = out[begin..].split_at(self.length * self.dim);
            let labels = self.compute_labels(teacher, tokens, names);
            match from.noise {
                None => out.extend(labels.into_iter().map(|label| label as f32)),
                Some((stream, deviation)) => {
                    let first = (example * self.length) as u32;
                    let noise = (first..).map(|at| f64::from(stream.draw_normal(step, at)));
                    out.extend(labels.into_iter().zip(noise).map(|(y, z)| (y + deviation * z) as f32));
                }
            }
        }
    }

    /// Appends the tokens of prompt `example`, from 0, of step `step` to `out`, `[length, dim]`: standard normal
    /// numbers, two from each pair of random words (Box and Muller 1958). `words` is a workspace.
    fn append_tokens(
        &self,
        stream: &RandomStream,
        step: u64,
        example: usize,
        words: &mut Vec<u32>,
        out: &mut Vec<f32>,
    ) {
        let count = self.length * self.dim;
        let even = count.next_multiple_of(2);
        words.resize(even, 0);
        stream.fill_u32(step, (example * even) as u32, words);
        for (pair, left) in words.chunks_exact(2).zip((1..=count).rev().step_by(2)) {
            out.extend(normal_pair([pair[0], pair[1]]).into_iter().take(left).map(|x| x as f32));
        }
    }

    /// Appends the names of prompt `example`, from 0, of step `step` to `out`, `[length, names]`: for each position
    /// the tokens that its label depends on, as positions from 0. `lists` says whether all positions share one
    /// list. `words` is a workspace.
    fn append_names(
        &self,
        stream: &RandomStream,
        lists: NameLists,
        step: u64,
        example: usize,
        words: &mut Vec<u32>,
        out: &mut Vec<f32>,
    ) {
        let count = if lists == NameLists::Shared { 1 } else { self.length };
        words.resize(count * self.names, 0);
        stream.fill_u32(step, (example * self.length * self.names) as u32, words);
        let begin = out.len();
        for list in words.chunks(self.names) {
            let first = out.len();
            for (before, word) in list.iter().enumerate() {
                let below = |bound: usize| ((u64::from(*word) * bound as u64) >> 32) as usize;
                let name = match self.repeats {
                    NameRepeats::Independent => below(self.length),
                    NameRepeats::Distinct => {
                        let taken = &mut [0; super::MAX_NAMES][..before];
                        taken.iter_mut().zip(&out[first..]).for_each(|(t, name)| *t = *name as usize);
                        taken.sort_unstable();
                        let skip = |name: usize, taken: &usize| name + usize::from(name >= *taken);
                        taken.iter().fold(below(self.length - before), skip)
                    }
                };
                out.push(name as f32);
            }
        }
        for _ in count..self.length {
            out.extend_from_within(begin..begin + self.names);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_core::rng::Purpose;

    const PROMPTS: TokenPrompts = TokenPrompts {
        length: 5,
        dim: 3,
        names: 2,
        repeats: NameRepeats::Distinct,
        function: TeacherKind::Squares,
        hidden_units: 4,
        codes: PositionCodes::OneHot,
        code_dim: 5,
        code_scaling: CodeScale::Root,
    };

    fn draw(prompts: &TokenPrompts, lists: NameLists, examples: std::ops::Range<usize>) -> Vec<f32> {
        let stream = |purpose| RandomStream::new(3, purpose, 0);
        let from = PromptStreams {
            tokens: stream(Purpose::Batch),
            names: stream(Purpose::Names),
            noise: None,
            lists,
        };
        let mut rows = vec![];
        prompts.append_prompts(&prompts.teacher(3), &from, 2, examples, &mut rows);
        rows
    }

    #[test]
    fn rows_hold_tokens_names_and_the_labels_that_follow() {
        for function in TeacherKind::ALL {
            let prompts = TokenPrompts { function: *function, ..PROMPTS };
            let rows = draw(&prompts, NameLists::PerPosition, 0..40);
            assert_eq!(rows.len(), 40 * prompts.row_len());
            let teacher = prompts.teacher(3);
            for row in rows.chunks(prompts.row_len()) {
                let (tokens, names, labels) = prompts.split_row(row);
                for (list, label) in names.chunks(2).zip(labels) {
                    assert!(list[0] != list[1] && list.iter().all(|name| (0.0..5.0).contains(name)));
                    let token = |name: &f32| tokens[*name as usize * 3..][..3].iter().map(|x| f64::from(*x));
                    let named: Vec<f64> = list.iter().flat_map(token).collect();
                    assert!((teacher.compute_label(&named) - f64::from(*label)).abs() < 1e-5);
                }
            }
        }
    }

    #[test]
    fn a_prompt_does_not_depend_on_other_prompts() {
        for length in [5, 4] {
            let prompts = TokenPrompts { length, ..PROMPTS };
            let whole = draw(&prompts, NameLists::PerPosition, 0..9);
            let parts =
                [draw(&prompts, NameLists::PerPosition, 0..4), draw(&prompts, NameLists::PerPosition, 4..9)]
                    .concat();
            assert_eq!(whole, parts);
            assert!(whole.chunks(prompts.row_len()).skip(1).all(|row| row[0] != whole[0]));
        }
    }

    #[test]
    fn names_are_uniform_and_a_shared_list_is_equal_at_all_positions() {
        for repeats in [NameRepeats::Distinct, NameRepeats::Independent] {
            let prompts = TokenPrompts { repeats, ..PROMPTS };
            let (rows, mut counts) = (draw(&prompts, NameLists::PerPosition, 0..4000), [[0u32; 5]; 5]);
            for row in rows.chunks(prompts.row_len()) {
                prompts.split_row(row).1.chunks(2).for_each(|l| counts[l[0] as usize][l[1] as usize] += 1);
            }
            for (i, j) in (0..25).map(|at| (at / 5, at % 5)) {
                let expected = match (repeats, i == j) {
                    (NameRepeats::Independent, _) => 800.0,
                    (NameRepeats::Distinct, true) => 0.0,
                    (NameRepeats::Distinct, false) => 1000.0,
                };
                assert!((f64::from(counts[i][j]) - expected).abs() < 130.0, "{repeats:?}: {counts:?}");
            }
            let row = draw(&prompts, NameLists::Shared, 0..1);
            let lists: Vec<&[f32]> = prompts.split_row(&row).1.chunks(2).collect();
            assert!(lists.iter().all(|list| *list == lists[0]));
        }
    }

    #[test]
    fn tokens_are_standard_normal() {
        let rows = draw(&PROMPTS, NameLists::PerPosition, 0..6000);
        let tokens: Vec<f64> = rows
            .chunks(PROMPTS.row_len())
            .flat_map(|row| PROMPTS.split_row(row).0)
            .map(|x| f64::from(*x))
            .collect();
        let moment = |p: i32| tokens.iter().map(|x| x.powi(p)).sum::<f64>() / tokens.len() as f64;
        assert!(moment(1).abs() < 0.015 && (moment(2) - 1.0).abs() < 0.02, "{} {}", moment(1), moment(2));
        assert!(moment(3).abs() < 0.05 && (moment(4) - 3.0).abs() < 0.12, "{} {}", moment(3), moment(4));
    }
}
