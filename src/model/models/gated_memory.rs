//! Gated memory: the recurrent construction behind theorem 7 of Mousavi-Hosseini et al. 2025, executed position by position.
//!
//! ```text
//! gate(a, b) = 2 relu(⟨ω_a, ω_b⟩ − 1/2)
//! h→ ← h→ + x_i · gate(t_l, i)      slot l, one slot a name
//! ```
//!
//! and the same from the other end; at position i the memories of both passes and its own token are read out by a ReLU
//! network that computes g, [`Teacher::build_readout`](vivarium_science::tokens::Teacher::build_readout). Where codes obey assumption 3 the gate is 1
//! for the named position and 0 for every other.
//!
//! # Slots
//! A slot a name is enough where all positions have the same list. Where each has a list of its own, names are still to
//! come when a token passes, and the memory has to keep every token: a slot a position, N of them. Then x_i is written to
//! slot k by gate(k, i), and a position reads name t from slot k by gate(t, k). On such prompts q slots are too few: they
//! hold what each passing position wants for itself. The paper's lower bound (proposition 8) is about all recurrent networks
//! with states of bounded norm: a small error takes a width of order N / log(1 + 𝔏²‖U‖²), with the output matrix U and the
//! Lipschitz constant 𝔏 of what follows it.
//!
//! # Why
//! The paper's transition is a deep ReLU network that approximates x·gate, of polynomial width with large constants. Here
//! the product is a multiplication, which is what the network is there for, so that the memory can be looked at. Nothing
//! is trained: a step of the run is a step of both passes, and the one parameter that changes is how many have been made. A
//! position that a pass has not reached reads what the pass has come to, so that the error falls as the prompt passes, in
//! the middle first; after N − 1 steps every position has the answers of the whole network.

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use super::family::{Execution, Family};
#[cfg(not(target_family = "wasm"))]
use super::inside;
use super::layout::{self, Tensor, Tensors};
use super::on_prompts;
use super::prompts::{self, CODES};
use super::{Architecture, Bind, ModelConfig, Network, Parameter, Rows};
use crate::tasks::{ExampleForm, Examples, Task};
use vivarium_core::catalog::CatalogInfo;
use vivarium_core::pytorch::{ScriptPart, ToPyTorch};
use vivarium_core::settings::Range;
use vivarium_core::sources::MOUSAVI_2025;
use vivarium_core::{bounds, choices, settings};
use vivarium_science::tokens::{ReluReadout, TeacherKind, TokenPrompts};

choices! {
    /// What a slot of the memory is for.
    pub enum Slots {
        /// A position of the prompt: N slots.
        Positions = "positions", "One per position";
        /// A name of the list that all positions have: q slots.
        Names = "names", "One per name";
    }
}

settings! {
    /// A memory that is filled as the tokens pass, and a network that is written down.
    pub struct GatedMemory {
        /// Whether each slot is for a position or for a name; slots for names are enough if all positions have the same list of names.
        slots: Slots = Slots::Positions, "slots", "Slots of the memory", Range::Choice(Slots::OPTIONS);
        /// Number of linear pieces of the function that approximates each square x².
        knots: usize = 64, "knots", "Linear pieces per square x²", Range::Int(1, 512);
    }
}

/// Place of the number of positions that each pass has made, `[1, 1]`.
pub const PASSED: usize = 1;

impl GatedMemory {
    /// Name, source and summary.
    pub const INFO: CatalogInfo = CatalogInfo {
        slug: "gated-memory",
        name: "Gated memory",
        about: "A memory with slots, to which the tokens are written. If all positions have the same list of q names, q slots are enough; if each of the N positions has a separate list, N slots are enough. \
                The weights are set by hand, not trained.",
        sources: &[MOUSAVI_2025],
    };

    /// Its tensors in a file of weights.
    pub const TENSORS: Tensors = Tensors {
        formula: "\
gate(i, j) = 2 max(0, codes[i]·codes[j] − 1/2)
R_l  = Σ_j Σ_m gate(t_l, m) gate(m, j) x_j              slots=positions;  t_l = name l of position i
R_l  = Σ_j gate(name l of position j, j) x_j            slots=names
f_i  = max(0, [R_0, R_1, …] w + b) a + c
j runs over i, every j < i with j < passed, and every j > i with n − 1 − j < passed;  m = 0 … n − 1",
        loss: layout::POSITIONS,
        letters: &[
            [
                "e",
                "components of a position's code: `n` with `codes=onehot`, else `de`, where 0 stands for a number that the task chooses",
            ],
            ["x_j", "the numbers of token j"],
            [
                "U",
                "hidden units of the read-out: they depend on the function `g`; with `g=squares`, `knots` for each of the q · dim numbers",
            ],
        ],
        all: &[
            layout::CODES,
            Tensor::new(
                "passed",
                ["1", "1"],
                ["", ""],
                "positions that each of the two passes has made; the only number that changes",
            ),
            Tensor::new("w", ["q · dim", "U"], ["number of R", "unit"], "first layer of the read-out"),
            Tensor::new("b", ["1", "U"], ["", "unit"], "its biases"),
            Tensor::new("a", ["U", "1"], ["unit", ""], "weights of the output"),
            Tensor::new("c", ["1", "1"], ["", ""], "bias of the output"),
        ],
    };

    /// The network on these prompts.
    pub fn on(&self, prompts: TokenPrompts) -> OnPrompts {
        OnPrompts { net: self.clone(), prompts }
    }
}

impl Bind for GatedMemory {
    type Bound = OnPrompts;

    fn bind(&self, examples: &dyn Examples) -> Cow<'_, OnPrompts> {
        on_prompts::bound(self, examples)
    }
}

impl ModelConfig for GatedMemory {
    fn takes(&self) -> &'static [ExampleForm] {
        &[ExampleForm::Prompt]
    }

    fn constructed(&self, task: &Task, seed: u64) -> Option<Vec<Vec<f32>>> {
        Some(self.on(task.data().prompts()?).written(seed))
    }

    fn family(&self) -> Option<Family> {
        Some(Family::Execution(Execution { clock: PASSED }))
    }

    fn has_weights(&self) -> bool {
        false
    }
}

impl ToPyTorch for GatedMemory {
    fn to_pytorch(&self, _seed: u64) -> Result<ScriptPart, String> {
        Err("A gated memory is executed, not trained.".into())
    }
}

/// The network on the prompts of a task.
pub type OnPrompts = on_prompts::OnPrompts<GatedMemory>;

/// What the memory holds as a prompt passes.
#[derive(Debug, Clone, PartialEq)]
pub struct Filled {
    /// Slots of each pass.
    pub slots: usize,
    /// h→ after each position, from the first, `[positions, slots, dim]`.
    pub forward: Vec<f64>,
    /// h← after each position, from the last: row i belongs to position i, `[positions, slots, dim]`.
    pub backward: Vec<f64>,
}

/// The gates that are open, row by row: with whom, and how far.
struct Gates(Vec<Vec<(usize, f64)>>);

impl Gates {
    /// # Shapes
    /// `codes` is `[positions, dimension]`.
    fn of(codes: &[f32], dimension: usize) -> Self {
        let rows: Vec<&[f32]> = codes.chunks(dimension).collect();
        let gate = |a: &[f32], b: &[f32]| {
            let dot: f64 = a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
            2.0 * (dot - 0.5).max(0.0)
        };
        let open = |a: &&[f32]| {
            let all = rows.iter().enumerate().map(|(j, b)| (j, gate(a, b)));
            all.filter(|(_, gate)| *gate > 0.0).collect()
        };
        Gates(rows.iter().map(open).collect())
    }

    /// The gate between two positions.
    fn between(&self, a: usize, b: usize) -> f64 {
        self.0[a].iter().find(|(j, _)| *j == b).map_or(0.0, |(_, gate)| *gate)
    }
}

/// A network of ReLUs whose units know which of their weights are not zero.
struct Sparse {
    /// Of each unit, inputs and weights.
    units: Vec<Vec<(usize, f64)>>,
    b: Vec<f64>,
    a: Vec<f64>,
    c: f64,
}

impl Sparse {
    /// Of `w`, `[inputs, units]`, `b`, `a` and `c`.
    fn of(weights: &[&[f32]]) -> Self {
        let [w, b, a, c] = [0, 1, 2, 3].map(|i| weights[i].iter().map(|x| f64::from(*x)).collect::<Vec<_>>());
        let unit = |k: usize| {
            let column = w.iter().skip(k).step_by(b.len()).copied().enumerate();
            column.filter(|(_, w)| *w != 0.0).collect()
        };
        Sparse { units: (0..b.len()).map(unit).collect(), b, a, c: c[0] }
    }

    fn output(&self, x: &[f64]) -> f64 {
        let mut sum = self.c;
        for ((unit, b), a) in self.units.iter().zip(&self.b).zip(&self.a) {
            let z: f64 = unit.iter().map(|(i, w)| w * x[*i]).sum();
            sum += a * (z + b).max(0.0);
        }
        sum
    }
}

fn add(to: &mut [f64], token: &[f32], gate: f64) {
    to.iter_mut().zip(token).for_each(|(h, x)| *h += gate * f64::from(*x));
}

impl OnPrompts {
    /// Slots of each pass.
    pub fn slots(&self) -> usize {
        match self.net.slots {
            Slots::Positions => self.prompts.length,
            Slots::Names => self.prompts.names,
        }
    }

    /// Hidden units of the readout.
    fn units(&self) -> usize {
        self.prompts.readout_unit_count(self.net.knots)
    }

    /// All parameters of one network, before any position has passed.
    pub fn written(&self, seed: u64) -> Vec<Vec<f32>> {
        let ReluReadout { w, b, a, c } = self.prompts.teacher(seed).build_readout(self.net.knots);
        let narrow = |values: Vec<f64>| values.into_iter().map(|x| x as f32).collect();
        vec![
            self.prompts.draw_position_codes(seed),
            vec![0.0],
            narrow(w),
            narrow(b),
            narrow(a),
            vec![c as f32],
        ]
    }

    /// What the memory of each pass holds after every position of a prompt.
    ///
    /// # Shapes
    /// `codes` is `[positions, code_dim]`, `row` a prompt as [`TokenPrompts`] writes it.
    pub fn filled(&self, codes: &[f32], row: &[f32]) -> Filled {
        let (n, gates) = (self.prompts.length, Gates::of(codes, self.prompts.code_dim));
        let size = self.slots() * self.prompts.dim;
        let pass = |order: &mut dyn Iterator<Item = usize>| {
            let (mut state, mut all) = (vec![0.0; size], vec![0.0; n * size]);
            for i in order {
                self.write(&gates, row, i, &mut state);
                all[i * size..][..size].copy_from_slice(&state);
            }
            all
        };
        let (forward, backward) = (pass(&mut (0..n)), pass(&mut (0..n).rev()));
        Filled { slots: self.slots(), forward, backward }
    }

    /// Names of position `i`.
    fn list<'a>(&self, row: &'a [f32], i: usize) -> impl Iterator<Item = usize> + 'a {
        let (q, names) = (self.prompts.names, self.prompts.split_row(row).1);
        names[i * q..][..q].iter().map(|name| *name as usize)
    }

    /// The slots that position `i` writes its token to, each with its gate.
    fn writes(&self, gates: &Gates, row: &[f32], i: usize, mut slot: impl FnMut(usize, f64)) {
        match self.net.slots {
            Slots::Positions => gates.0[i].iter().for_each(|(k, gate)| slot(*k, *gate)),
            Slots::Names => {
                let names = self.list(row, i).enumerate();
                names.for_each(|(l, name)| slot(l, gates.between(name, i)));
            }
        }
    }

    /// Position `i` passes: its token goes to the slots whose gates it opens.
    fn write(&self, gates: &Gates, row: &[f32], i: usize, state: &mut [f64]) {
        let d = self.prompts.dim;
        let token = &self.prompts.split_row(row).0[i * d..][..d];
        self.writes(gates, row, i, |k, gate| add(&mut state[k * d..][..d], token, gate));
    }

    /// The slots that position `i` reads each of its names from: the place of the name, the slot and its gate.
    fn slots_read(&self, gates: &Gates, row: &[f32], i: usize, mut slot: impl FnMut(usize, usize, f64)) {
        for (l, name) in self.list(row, i).enumerate() {
            match self.net.slots {
                Slots::Positions => gates.0[name].iter().for_each(|(k, gate)| slot(l, *k, *gate)),
                Slots::Names => slot(l, l, 1.0),
            }
        }
    }

    /// Position `i` reads its names, `[names, dim]`, from the memory, and adds them to `into`.
    fn read(&self, gates: &Gates, row: &[f32], i: usize, state: &[f64], into: &mut [f64]) {
        let d = self.prompts.dim;
        self.slots_read(gates, row, i, |l, from, gate| {
            let held = &state[from * d..][..d];
            into[l * d..][..d].iter_mut().zip(held).for_each(|(r, h)| *r += gate * h);
        });
    }

    /// What every position has read of its names after `passed` positions of each pass, `[positions, names · dim]`.
    fn reads(&self, gates: &Gates, row: &[f32], passed: usize) -> Vec<f64> {
        let (n, size) = (self.prompts.length, self.prompts.names * self.prompts.dim);
        let (mut reads, empty) = (vec![0.0; n * size], vec![0.0; self.slots() * self.prompts.dim]);
        let mut pass = |order: &mut dyn Iterator<Item = usize>| {
            let mut state = empty.clone();
            for (before, i) in order.enumerate() {
                self.read(gates, row, i, &state, &mut reads[i * size..][..size]);
                if before < passed {
                    self.write(gates, row, i, &mut state);
                }
            }
        };
        pass(&mut (0..n));
        pass(&mut (0..n).rev());
        let mut own = empty;
        for i in 0..n {
            own.fill(0.0);
            self.write(gates, row, i, &mut own);
            self.read(gates, row, i, &own, &mut reads[i * size..][..size]);
        }
        reads
    }
}

impl Architecture for OnPrompts {
    fn parameters(&self, _inputs: usize, replicas: usize) -> Vec<Parameter> {
        let (TokenPrompts { names, dim, .. }, units) = (self.prompts, self.units());
        vec![
            prompts::codes(&self.prompts, replicas),
            Parameter::new("passed", [replicas, 1, 1]),
            Parameter::new("w", [replicas, names * dim, units]),
            Parameter::new("b", [replicas, 1, units]),
            Parameter::new("a", [replicas, units, 1]),
            Parameter::new("c", [replicas, 1, 1]),
        ]
    }

    fn rows(&self) -> Rows {
        Rows::NONE
    }

    fn initial(&self, seed: u64, _inputs: usize, replicas: usize) -> Vec<Vec<f32>> {
        self.written(seed).into_iter().map(|values| values.repeat(replicas)).collect()
    }

    fn step_flops(&self, _inputs: usize, batch: usize) -> f64 {
        let TokenPrompts { length, names, dim, .. } = self.prompts;
        // Both passes read and write a few slots at every position. A unit of the readout looks at all named numbers, one
        // of squares at one.
        let looks = if self.prompts.function == TeacherKind::Squares { 1 } else { names * dim };
        let position = 8 * names * dim + 2 * self.units() * (looks + 1);
        // As if it were trained: a measurement is held to be a third of it.
        3.0 * batch as f64 * length as f64 * position as f64
    }

    fn activations(&self, _inputs: usize) -> u64 {
        bounds::saturating_product([
            self.prompts.length,
            self.prompts.names.max(self.slots()) * self.prompts.dim,
        ])
    }

    fn decays(&self, _which: usize) -> bool {
        false
    }
}

impl Network for OnPrompts {
    fn evaluate(&self, weights: &[&[f32]], _inputs: usize, x: &[f32], _stage: usize) -> Vec<f32> {
        let gates = Gates::of(weights[CODES], self.prompts.code_dim);
        let (passed, readout) = (weights[PASSED][0] as usize, Sparse::of(&weights[2..]));
        let size = self.prompts.names * self.prompts.dim;
        let mut outputs = vec![];
        for row in x.chunks_exact(self.prompts.row_len()) {
            let reads = self.reads(&gates, row, passed);
            outputs.extend(reads.chunks(size).map(|named| readout.output(named) as f32));
        }
        outputs
    }

    /// Slots after each position of each pass, gates, and what each position has read. A pass that has not come to a position
    /// leaves its slots as they are.
    #[cfg(not(target_family = "wasm"))]
    fn inside_at(
        &self,
        at: &inside::At<'_>,
        weights: &[&[f32]],
        _inputs: usize,
        x: &[f32],
    ) -> Result<Vec<inside::Inside>, String> {
        if !at.wants(inside::Kind::Activations) {
            return Ok(vec![]);
        }
        let TokenPrompts { length: n, names, dim, .. } = self.prompts;
        let (slots, passed) = (self.slots(), (weights[PASSED][0] as usize).min(n));
        let (examples, size) = (x.len() / self.prompts.row_len(), slots * dim);
        inside::fits(bounds::saturating_product([
            examples,
            n,
            2 * size + slots * (names + 1) + names * dim,
        ]))?;
        let gates = Gates::of(weights[CODES], self.prompts.code_dim);
        let mut all = inside::Gathered::default();
        for row in x.chunks_exact(self.prompts.row_len()) {
            let Filled { forward, backward, .. } = self.filled(weights[CODES], row);
            let after = |of: &[f64], i: usize| match passed {
                0 => vec![0.0; size],
                _ => of[i * size..][..size].to_vec(),
            };
            let held = (0..n).flat_map(|i| after(&forward, i.min(passed.saturating_sub(1))));
            let held = held.chain((0..n).flat_map(|i| after(&backward, i.max(n - passed))));
            let axes = [("direction", 2), ("position", n), ("slot", slots), ("component", dim)];
            all.activations("activations", &axes, held);
            let (mut write, mut read) = (vec![0.0; n * slots], vec![0.0; n * names * slots]);
            for i in 0..n {
                self.writes(&gates, row, i, |k, gate| write[i * slots + k] += gate);
                self.slots_read(&gates, row, i, |l, k, gate| read[(i * names + l) * slots + k] += gate);
            }
            all.activations("gates.write", &[("position", n), ("slot", slots)], write);
            all.activations("gates.read", &[("position", n), ("name", names), ("slot", slots)], read);
            let axes = [("position", n), ("name", names), ("component", dim)];
            all.activations("read", &axes, self.reads(&gates, row, passed));
        }
        Ok(all.arrays())
    }
}
