//! The weights that are written by hand: each of the first q heads looks up one name (Mousavi-Hosseini et al. 2025, lemma 11
//! and equation A.2).
//!
//! ```text
//! W_h = α·I in the rows of the query's h-th name and the columns of the key's own code, and else 0
//! score_h(i, j) = α s² ⟨ω_{t_ih}, ω_j⟩,   with s² = d/q where codes are scaled by √(d/q)
//! ```
//!
//! Where no two codes have |⟨ω_i, ω_j⟩| above 1/2 (assumption 3), all weight but N e^{−α s²/2} at most is on the token that
//! is named; with one-hot codes all but N e^{−α s²}. Short random codes break the assumption, and of two equal codes the
//! named token has no more than the other: [`retrieval`](vivarium_science::tokens::theory::retrieval) has the attention weights for any codes. The
//! perceptron is then [`Teacher::build_readout`](vivarium_science::tokens::Teacher::build_readout). Heads and
//! hidden units beyond those that are needed stay zero.

use super::{Beginning, OnPrompts, QueryKey, TokenAttention};
use crate::models::{Architecture, prompts};
use crate::tasks::Task;
use vivarium_core::settings::{InvalidSetting, Settings};
use vivarium_science::tokens::TokenPrompts;

/// The share of attention beside the named token, at most, with the usual sharpness and codes that obey assumption 3.
const BESIDE: f64 = 1e-4;

impl TokenAttention {
    /// The sharpness α: that of the settings, or the usual (2/s²) ln(10⁴ N).
    pub fn sharpness(&self, prompts: &TokenPrompts) -> f64 {
        if self.alpha > 0.0 {
            return self.alpha;
        }
        let scale = f64::from(prompts.code_scale());
        2.0 / (scale * scale) * libm::log(prompts.length as f64 / BESIDE)
    }

    /// The weights of equation A.2, in the order of [`Architecture::parameters`], if that is what a run begins from and
    /// nothing [stands in its way](Self::look_up_problems).
    pub fn looks_up(&self, task: &Task, seed: u64) -> Option<Vec<Vec<f32>>> {
        let drawn = task.data().prompts()?;
        if self.begin == Beginning::Random || !self.look_up_problems(task).is_empty() {
            return None;
        }
        let readout = drawn.teacher(seed).build_readout(self.knots);
        let on = OnPrompts { net: self.clone(), prompts: drawn };
        let zeros = on.parameters(drawn.encoded_dim(), 1).into_iter().map(|p| vec![0.0; p.len()]);
        let mut weights: Vec<Vec<f32>> = zeros.collect();
        weights[prompts::CODES] = drawn.draw_position_codes(seed);
        let (read, size) = (self.score_width(&drawn), drawn.code_dim);
        // Codes are the last of what scores read.
        let begin = read - (drawn.names + 1) * size;
        let alpha = self.sharpness(&drawn) as f32;
        for head in 0..drawn.names {
            for i in 0..size {
                let row = head * read + begin + (head + 1) * size + i;
                weights[1][row * read + begin + i] = alpha;
            }
        }
        let (first, units, values) = (self.first_layer(), readout.b.len(), self.value_width(&drawn));
        for head in 0..drawn.names {
            for i in 0..drawn.dim {
                let from = &readout.w[(head * drawn.dim + i) * units..][..units];
                let to = &mut weights[first][(head * values + i) * self.width..][..units];
                to.iter_mut().zip(from).for_each(|(to, from)| *to = *from as f32);
            }
        }
        for (which, from) in [(first + 1, &readout.b), (first + 2, &readout.a), (first + 3, &vec![readout.c])]
        {
            weights[which].iter_mut().zip(from).for_each(|(to, from)| *to = *from as f32);
        }
        Some(weights)
    }

    /// What stands in the way of the weights of equation A.2, each with what would be right; nothing where a run does not
    /// begin from them.
    pub fn look_up_problems(&self, task: &Task) -> Vec<InvalidSetting> {
        let Some(drawn) = task.data().prompts().filter(|_| self.begin == Beginning::Construction) else {
            return vec![];
        };
        let (q, units) = (drawn.names, drawn.readout_unit_count(self.knots));
        let unmet = [
            (
                "h",
                self.heads < q,
                tr!("at least q = {q}, because the construction has a separate head for each name", q),
            ),
            (
                "qk",
                self.qk == QueryKey::Separate,
                tr!("combined, because the construction uses one combined matrix W_QK").into(),
            ),
            (
                "width",
                self.width < units,
                tr!(
                    "at least {units}, because the read-out that is set by hand has {units} hidden units",
                    units
                ),
            ),
        ];
        let problem = |(key, _, expected): (&str, bool, String)| {
            let found = self.value(key).map(|value| value.to_string()).unwrap_or_default();
            InvalidSetting::new(key, &found, expected)
        };
        unmet.into_iter().filter(|(_, unmet, _)| *unmet).map(problem).collect()
    }
}
