//! Prompts, drawn and written row by row.

use super::{Codes, Function, Teacher};
use vivarium_core::choices;
use vivarium_core::rng::{Stream, normal_pair};

choices! {
    /// Whether a position may name a token twice.
    pub enum Repeats {
        /// All names of a position are different.
        Distinct = "distinct", "All different";
        /// Each name is drawn by itself.
        Free = "free", "Independent, repeats possible";
    }
}

choices! {
    /// How many lists of names a prompt has.
    pub enum Lists {
        /// Each position has names of its own.
        Each = "each", "One for each position";
        /// All positions have the same: the simple variant.
        One = "one", "One for all positions";
    }
}

choices! {
    /// By what codes are multiplied where a token is written down.
    pub enum CodeScale {
        /// √(d/q), so that codes weigh as much as the token's numbers: the paper's.
        Root = "root", "√(d/q)";
        /// 1, as in the authors' code.
        One = "one", "1";
    }
}

/// What prompts are drawn, and how they are written down.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prompts {
    /// Positions N of a prompt.
    pub length: usize,
    /// Numbers d in a token.
    pub dim: usize,
    /// Names q of a position.
    pub names: usize,
    /// Whether names are different.
    pub repeats: Repeats,
    /// What the labels are.
    pub function: Function,
    /// Hidden units of a random network.
    pub units: usize,
    /// How positions are written down.
    pub codes: Codes,
    /// Numbers d_e in a position's code.
    pub code_dim: usize,
    /// By what codes are multiplied.
    pub scale: CodeScale,
}

impl Default for Prompts {
    /// Eight positions, each of which names two of them.
    fn default() -> Self {
        Prompts {
            length: 8,
            dim: 1,
            names: 2,
            repeats: Repeats::Distinct,
            function: Function::Squares,
            units: 8,
            codes: Codes::OneHot,
            code_dim: 8,
            scale: CodeScale::Root,
        }
    }
}

/// Random numbers of one kind of prompts: tokens, names, and label noise with its standard deviation.
#[derive(Debug, Clone, Copy)]
pub struct Draw {
    /// Of tokens.
    pub tokens: Stream,
    /// Of names.
    pub names: Stream,
    /// Of label noise, if there is any, with its standard deviation.
    pub noise: Option<(Stream, f64)>,
    /// How many lists of names there are.
    pub lists: Lists,
}

impl Prompts {
    /// Numbers in a row: all tokens `[length, dim]`, then all names `[length, names]` as positions from 0, then all labels
    /// `[length]`.
    pub fn columns(&self) -> usize {
        self.length * (self.dim + self.names + 1)
    }

    /// Numbers D_e of a token with its own code and those of its names: d + (q + 1) d_e.
    pub fn width(&self) -> usize {
        self.dim + (self.names + 1) * self.code_dim
    }

    /// A row's tokens, names and labels.
    pub fn parts<'a>(&self, row: &'a [f32]) -> (&'a [f32], &'a [f32], &'a [f32]) {
        let (tokens, rest) = row.split_at(self.length * self.dim);
        let (names, labels) = rest.split_at(self.length * self.names);
        (tokens, names, labels)
    }

    /// The codes of all positions, `[length, code_dim]`.
    pub fn position_codes(&self, seed: u64) -> Vec<f32> {
        self.codes.draw(seed, self.length, self.code_dim)
    }

    /// What codes are multiplied by.
    pub fn code_scale(&self) -> f32 {
        match self.scale {
            CodeScale::Root => libm::sqrt(self.dim as f64 / self.names as f64) as f32,
            CodeScale::One => 1.0,
        }
    }

    /// Appends the tokens of a prompt as networks see them: z_i = \[x_i; s·ω_i; s·ω_{t_i1}; …; s·ω_{t_iq}\] with
    /// s = [`Prompts::code_scale`].
    ///
    /// # Shapes
    /// `codes` is `[length, code_dim]`; appended is `[length, width]`.
    pub fn encode(&self, codes: &[f32], row: &[f32], out: &mut Vec<f32>) {
        let ((tokens, names, _), scale) = (self.parts(row), self.code_scale());
        let code =
            |position: usize| codes[position * self.code_dim..][..self.code_dim].iter().map(|x| x * scale);
        for (i, (token, list)) in tokens.chunks(self.dim).zip(names.chunks(self.names)).enumerate() {
            out.extend_from_slice(token);
            out.extend(code(i));
            list.iter().for_each(|name| out.extend(code(*name as usize)));
        }
    }

    /// g.
    pub fn teacher(&self, seed: u64) -> Teacher {
        Teacher::new(self.function, self.names, self.dim, self.units, seed)
    }

    /// Hidden units of [`Teacher::readout`] with so many `knots` for each square, whatever is drawn of g.
    pub fn readout_units(&self, knots: usize) -> usize {
        match self.function {
            Function::Linear | Function::Mean => 2,
            Function::Squares => self.names * self.dim * knots,
            Function::Network => self.units,
        }
    }

    /// The variance of a label without noise.
    pub fn variance(&self, seed: u64) -> f64 {
        self.teacher(seed).variance(self.length, self.repeats == Repeats::Free)
    }

    /// The labels of a prompt, `[length]`, of its tokens `[length, dim]` and names `[length, names]`.
    pub fn labels(&self, teacher: &Teacher, tokens: &[f32], names: &[f32]) -> Vec<f64> {
        let mut named = vec![0.0; self.names * self.dim];
        let label = |list: &[f32]| {
            for (place, name) in named.chunks_mut(self.dim).zip(list) {
                let token = &tokens[*name as usize * self.dim..][..self.dim];
                place.iter_mut().zip(token).for_each(|(wide, x)| *wide = f64::from(*x));
            }
            teacher.label(&named)
        };
        names.chunks(self.names).map(label).collect()
    }

    /// Appends the prompts `examples` of `step` as rows to `out`.
    pub fn draw(
        &self,
        teacher: &Teacher,
        from: &Draw,
        step: u64,
        examples: impl Iterator<Item = usize>,
        out: &mut Vec<f32>,
    ) {
        let mut words = vec![];
        for example in examples {
            let begin = out.len();
            self.draw_tokens(&from.tokens, step, example, &mut words, out);
            self.draw_names(&from.names, from.lists, step, example, &mut words, out);
            let (tokens, names) = out[begin..].split_at(self.length * self.dim);
            let labels = self.labels(teacher, tokens, names);
            match from.noise {
                None => out.extend(labels.into_iter().map(|label| label as f32)),
                Some((stream, deviation)) => {
                    let first = (example * self.length) as u32;
                    let noise = (first..).map(|at| f64::from(stream.normal(step, at)));
                    out.extend(labels.into_iter().zip(noise).map(|(y, z)| (y + deviation * z) as f32));
                }
            }
        }
    }

    /// Standard normal numbers, two from each pair of words (Box and Muller 1958).
    fn draw_tokens(
        &self,
        stream: &Stream,
        step: u64,
        example: usize,
        words: &mut Vec<u32>,
        out: &mut Vec<f32>,
    ) {
        let count = self.length * self.dim;
        let even = count.next_multiple_of(2);
        words.resize(even, 0);
        stream.words(step, (example * even) as u32, words);
        for (pair, left) in words.chunks_exact(2).zip((1..=count).rev().step_by(2)) {
            out.extend(normal_pair([pair[0], pair[1]]).into_iter().take(left).map(|x| x as f32));
        }
    }

    fn draw_names(
        &self,
        stream: &Stream,
        lists: Lists,
        step: u64,
        example: usize,
        words: &mut Vec<u32>,
        out: &mut Vec<f32>,
    ) {
        let count = if lists == Lists::One { 1 } else { self.length };
        words.resize(count * self.names, 0);
        stream.words(step, (example * self.length * self.names) as u32, words);
        let begin = out.len();
        for list in words.chunks(self.names) {
            let first = out.len();
            for (before, word) in list.iter().enumerate() {
                let below = |bound: usize| ((u64::from(*word) * bound as u64) >> 32) as usize;
                let name = match self.repeats {
                    Repeats::Free => below(self.length),
                    Repeats::Distinct => {
                        let taken = &mut [0; super::MOST_NAMES][..before];
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

    const PROMPTS: Prompts = Prompts {
        length: 5,
        dim: 3,
        names: 2,
        repeats: Repeats::Distinct,
        function: Function::Squares,
        units: 4,
        codes: Codes::OneHot,
        code_dim: 5,
        scale: CodeScale::Root,
    };

    fn draw(prompts: &Prompts, lists: Lists, examples: std::ops::Range<usize>) -> Vec<f32> {
        let stream = |purpose| Stream::new(3, purpose, 0);
        let from = Draw { tokens: stream(Purpose::Batch), names: stream(Purpose::Names), noise: None, lists };
        let mut rows = vec![];
        prompts.draw(&prompts.teacher(3), &from, 2, examples, &mut rows);
        rows
    }

    #[test]
    fn rows_hold_tokens_names_and_the_labels_that_follow() {
        for function in Function::ALL {
            let prompts = Prompts { function: *function, ..PROMPTS };
            let rows = draw(&prompts, Lists::Each, 0..40);
            assert_eq!(rows.len(), 40 * prompts.columns());
            let teacher = prompts.teacher(3);
            for row in rows.chunks(prompts.columns()) {
                let (tokens, names, labels) = prompts.parts(row);
                for (list, label) in names.chunks(2).zip(labels) {
                    assert!(list[0] != list[1] && list.iter().all(|name| (0.0..5.0).contains(name)));
                    let token = |name: &f32| tokens[*name as usize * 3..][..3].iter().map(|x| f64::from(*x));
                    let named: Vec<f64> = list.iter().flat_map(token).collect();
                    assert!((teacher.label(&named) - f64::from(*label)).abs() < 1e-5);
                }
            }
        }
    }

    #[test]
    fn a_prompt_does_not_depend_on_those_beside_it() {
        for length in [5, 4] {
            let prompts = Prompts { length, ..PROMPTS };
            let whole = draw(&prompts, Lists::Each, 0..9);
            let parts = [draw(&prompts, Lists::Each, 0..4), draw(&prompts, Lists::Each, 4..9)].concat();
            assert_eq!(whole, parts);
            assert!(whole.chunks(prompts.columns()).skip(1).all(|row| row[0] != whole[0]));
        }
    }

    #[test]
    fn names_are_uniform_and_one_list_is_the_same_everywhere() {
        for repeats in [Repeats::Distinct, Repeats::Free] {
            let prompts = Prompts { repeats, ..PROMPTS };
            let (rows, mut counts) = (draw(&prompts, Lists::Each, 0..4000), [[0u32; 5]; 5]);
            for row in rows.chunks(prompts.columns()) {
                prompts.parts(row).1.chunks(2).for_each(|l| counts[l[0] as usize][l[1] as usize] += 1);
            }
            for (i, j) in (0..25).map(|at| (at / 5, at % 5)) {
                let expected = match (repeats, i == j) {
                    (Repeats::Free, _) => 800.0,
                    (Repeats::Distinct, true) => 0.0,
                    (Repeats::Distinct, false) => 1000.0,
                };
                assert!((f64::from(counts[i][j]) - expected).abs() < 130.0, "{repeats:?}: {counts:?}");
            }
            let row = draw(&prompts, Lists::One, 0..1);
            let lists: Vec<&[f32]> = prompts.parts(&row).1.chunks(2).collect();
            assert!(lists.iter().all(|list| *list == lists[0]));
        }
    }

    #[test]
    fn tokens_are_standard_normal() {
        let rows = draw(&PROMPTS, Lists::Each, 0..6000);
        let tokens: Vec<f64> = rows
            .chunks(PROMPTS.columns())
            .flat_map(|row| PROMPTS.parts(row).0)
            .map(|x| f64::from(*x))
            .collect();
        let moment = |p: i32| tokens.iter().map(|x| x.powi(p)).sum::<f64>() / tokens.len() as f64;
        assert!(moment(1).abs() < 0.015 && (moment(2) - 1.0).abs() < 0.02, "{} {}", moment(1), moment(2));
        assert!(moment(3).abs() < 0.05 && (moment(4) - 3.0).abs() < 0.12, "{} {}", moment(3), moment(4));
    }
}
