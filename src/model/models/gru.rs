//! Bidirectional gated recurrent network on prompts of tokens (Cho et al. 2014; Mousavi-Hosseini et al. 2025, section 5),
//! on many replicas at once: one net of w units reads the tokens from the first to the last, another from the last to
//! the first, and the output at a position is linear in both states there.
//!
//! ```text
//! a = z_i W + b,  c = h U + c_0                     each 3w numbers: those of r, of the gate u, of n
//! r = σ(a_r + c_r),  u = σ(a_u + c_u),  n = tanh(a_n + r ∘ c_n)
//! h ← (1 − u) ∘ n + u ∘ h                           from h = 0
//! ŷ_i = [h→_i; h←_i] O + β                          states after position i was read
//! ```
//!
//! z_i is what [`prompts`] says; the units are those of PyTorch's `GRU`, which calls u z. All numbers begin uniform on
//! ±1/√w, those of O and β on ±1/√(2w), as PyTorch has them.
//!
//! [`mod@reference`] has these formulas and their gradients in double precision.

pub mod reference;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use super::layout::{self, Tensor, Tensors};
use super::on_prompts::{self, PromptNetwork};
use super::{Bind, Family, Initialisation, ModelConfig, Parameter, prompts};
use crate::tasks::{ExampleForm, Examples};
use vivarium_core::bounds;
use vivarium_core::catalog::CatalogInfo;
use vivarium_core::pytorch::{ScriptPart, ToPyTorch};
use vivarium_core::settings;
use vivarium_core::settings::Range;
use vivarium_core::sources::{CHO_2014, MOUSAVI_2025};
use vivarium_science::tokens::TokenPrompts;

settings! {
    /// Two gated recurrent nets, one from each end, and a linear read-out of both at every position.
    pub struct Gru {
        /// Number of hidden units in each of the two directions.
        width: usize = 64, "width", "Hidden units", Range::Int(1, 1024), "units";
    }
}

impl Gru {
    /// Name, source and summary.
    pub const INFO: CatalogInfo = CatalogInfo {
        slug: "gru",
        name: "Bidirectional GRU",
        about: "A recurrent network that reads the prompt in both directions. After the network has read a token, it has access to this token only through its hidden state.",
        sources: &[CHO_2014, MOUSAVI_2025],
    };

    /// Its tensors in a file of weights.
    pub const TENSORS: Tensors = Tensors {
        formula: "\
a = z_i wf + bf,  c = h uf + cf      each is [reset gate, update gate, new state]
r = sigmoid(a_0 + c_0),  u = sigmoid(a_1 + c_1),  m = tanh(a_2 + r ∘ c_2)
h ← (1 − u) ∘ m + u ∘ h             from h = 0 for i = 0 … n − 1; F_i is h after position i
the same with wb, bb, ub, cb         from h = 0 for i = n − 1 … 0; B_i is h after position i
f_i = [F_i, B_i] out + beta",
        loss: layout::POSITIONS,
        letters: &[
            layout::PROMPT_LETTERS[0],
            layout::PROMPT_LETTERS[1],
            layout::PROMPT_LETTERS[2],
            ["a_0, a_1, a_2", "the three thirds of a vector a of 3 · width numbers"],
        ],
        all: &[
            layout::CODES,
            Tensor::new(
                "wf",
                ["D", "3 · width"],
                ["number of z_i", "unit: reset gates, then update gates, then new states"],
                "input weights, forward",
            ),
            Tensor::new(
                "uf",
                ["width", "3 · width"],
                ["unit", "unit: reset, update, new"],
                "recurrent weights, forward",
            ),
            Tensor::new(
                "bf",
                ["1", "3 · width"],
                ["", "unit: reset, update, new"],
                "biases of the input, forward",
            ),
            Tensor::new(
                "cf",
                ["1", "3 · width"],
                ["", "unit: reset, update, new"],
                "biases of the state, forward",
            ),
            Tensor::new(
                "wb",
                ["D", "3 · width"],
                ["number of z_i", "unit: reset, update, new"],
                "input weights, backward",
            ),
            Tensor::new(
                "ub",
                ["width", "3 · width"],
                ["unit", "unit: reset, update, new"],
                "recurrent weights, backward",
            ),
            Tensor::new(
                "bb",
                ["1", "3 · width"],
                ["", "unit: reset, update, new"],
                "biases of the input, backward",
            ),
            Tensor::new(
                "cb",
                ["1", "3 · width"],
                ["", "unit: reset, update, new"],
                "biases of the state, backward",
            ),
            Tensor::new(
                "out",
                ["2 · width", "1"],
                ["unit: forward, then backward", ""],
                "weights of the output",
            ),
            Tensor::new("beta", ["1", "1"], ["", ""], "bias of the output"),
        ],
    };
}

/// Places of the parameters of one direction in [`Architecture::parameters`](super::Architecture::parameters).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Direction {
    /// W, `[D, 3w]`.
    pub input: usize,
    /// U, `[w, 3w]`.
    pub hidden: usize,
    /// b, `[1, 3w]`.
    pub input_bias: usize,
    /// c_0, `[1, 3w]`.
    pub hidden_bias: usize,
}

/// From the first position to the last.
pub const FORWARD: Direction = Direction { input: 1, hidden: 2, input_bias: 3, hidden_bias: 4 };
/// From the last position to the first.
pub const BACKWARD: Direction = Direction { input: 5, hidden: 6, input_bias: 7, hidden_bias: 8 };
/// Place of O, `[2w, 1]`, first the rows of the direction [`FORWARD`].
pub const OUT: usize = 9;
/// Place of β.
pub const BETA: usize = 10;

/// The network on the prompts of a task.
pub type OnPrompts = on_prompts::OnPrompts<Gru>;
/// The network of one replica in double precision.
pub type Plain = on_prompts::Plain<Gru>;

impl Bind for Gru {
    type Bound = OnPrompts;

    fn bind(&self, examples: &dyn Examples) -> Cow<'_, OnPrompts> {
        on_prompts::bound(self, examples)
    }
}

impl ModelConfig for Gru {
    fn takes(&self) -> &'static [ExampleForm] {
        &[ExampleForm::Prompt]
    }

    fn family(&self) -> Option<Family> {
        Some(Family::Gru(self.clone()))
    }

    #[cfg(feature = "train")]
    fn net(&self) -> Option<Box<dyn super::Net>> {
        Some(Box::new(self.clone()))
    }
}

impl ToPyTorch for Gru {
    fn to_pytorch(&self, _seed: u64) -> Result<ScriptPart, String> {
        let (code, frozen) = (vec![include_str!("pytorch/gru.py")], vec![prompts::CODES]);
        Ok(ScriptPart { code, frozen_parameters: frozen, ..ScriptPart::default() })
    }
}

impl PromptNetwork for Gru {
    fn shapes(&self, prompts: &TokenPrompts) -> Vec<(String, [usize; 2])> {
        let (w, d) = (self.width, prompts.encoded_dim());
        let shapes = [
            ("wf", d, 3 * w),
            ("uf", w, 3 * w),
            ("bf", 1, 3 * w),
            ("cf", 1, 3 * w),
            ("wb", d, 3 * w),
            ("ub", w, 3 * w),
            ("bb", 1, 3 * w),
            ("cb", 1, 3 * w),
            ("out", 2 * w, 1),
            ("beta", 1, 1),
        ];
        shapes.map(|(name, rows, columns)| (name.into(), [rows, columns])).into()
    }

    fn draw(&self, _prompts: &TokenPrompts, seed: u64, which: usize, parameter: &Parameter) -> Vec<f32> {
        let fan_in = if matches!(which, OUT | BETA) { 2 * self.width } else { self.width };
        Initialisation::Uniform.draw(seed, which, parameter, fan_in)
    }

    fn step_flops(&self, prompts: &TokenPrompts, batch: usize) -> f64 {
        let (w, d) = (self.width as f64, prompts.encoded_dim() as f64);
        // The prompt needs no gradient.
        let position = 3.0 * w * (4.0 * d + 6.0 * w) + 100.0 * w;
        2.0 * position * batch as f64 * prompts.length as f64
    }

    fn activations(&self, prompts: &TokenPrompts) -> u64 {
        bounds::saturating_product([3, prompts.length, self.width])
    }

    fn outputs(plain: &Plain, row: &[f32]) -> Vec<f64> {
        plain.read_out(row)
    }

    #[cfg(not(target_family = "wasm"))]
    fn inside(plain: &Plain, row: &[f32], all: &mut super::inside::Gathered) {
        let axes = [("direction", 2), ("position", plain.prompts.length), ("neuron", plain.net.width)];
        all.activations("activations", &axes, plain.states(row));
    }
}

#[cfg(feature = "train")]
impl super::Net for Gru {
    fn forward(
        &self,
        examples: &dyn crate::tasks::Examples,
        parameters: &[burn::tensor::Tensor<3>],
        x: burn::tensor::Tensor<3>,
        _stage: usize,
    ) -> burn::tensor::Tensor<3> {
        use burn::tensor::Tensor;
        use vivarium_operators::gru::next_state_tensors;
        let (of_task, width) = (prompts::of(examples), self.width);
        let z = prompts::encoded(&of_task, &parameters[prompts::CODES], &x);
        let ([replicas, ..], [_, batch, _], length) = (z.dims(), x.dims(), of_task.length);
        let parameter = |which: usize| parameters[which].clone();
        let read = |at: Direction, order: &mut dyn Iterator<Item = usize>| {
            let a = z.clone().matmul(parameter(at.input)) + parameter(at.input_bias);
            // All prompts of a position side by side.
            let a = a.reshape([replicas, batch, length, 3 * width]).swap_dims(1, 2);
            let mut h = Tensor::<3>::zeros([replicas, batch, width], &x.device());
            let mut states = vec![];
            for i in order {
                let a = a.clone().narrow(1, i, 1).reshape([replicas, batch, 3 * width]);
                h = next_state_tensors(a, h, parameter(at.hidden), parameter(at.hidden_bias));
                states.push(h.clone());
            }
            states
        };
        let forth = read(FORWARD, &mut (0..length));
        let mut back = read(BACKWARD, &mut (0..length).rev());
        back.reverse();
        let output = |(forth, back)| {
            let both = Tensor::cat(vec![forth, back], 2); // [replicas, batch, 2 width]
            both.matmul(parameter(OUT)) + parameter(BETA)
        };
        Tensor::cat(forth.into_iter().zip(back).map(output).collect(), 2)
    }

    fn trained(&self, _stage: usize) -> Vec<bool> {
        (0..=BETA).map(|which| which != prompts::CODES).collect()
    }
}
