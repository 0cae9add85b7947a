//! The picture of a run on a sparse Boolean function: bits that can be flipped, beams from the bits that the network
//! attends to, and the network's answer as a needle.
//!
//! # Why
//! While the loss is still flat, attention is nearly uniform, and no beam is drawn: a beam needs at least twice the
//! attention of a uniform distribution. So the picture starts without beams, and what the network finds is seen to appear.
//! A network with one hidden layer has no attention; there the beams are the bits' shares of its weights.

mod picture;

use vivarium_model::models::family::{Family, Head};
use vivarium_model::models::mlp;
use vivarium_model::optim::loss::Loss;
use vivarium_model::run::{RunSpec, SuccessCriterion};
use vivarium_model::tasks::sparse_boolean::formula::TruthTable;
use vivarium_model::tasks::{Batch, Task, TaskData};
use vivarium_plot::scene::Scene;
use vivarium_view::display::hero::{Frame, Hero, StageProgress, Touch};
use vivarium_view::display::words::{MISSING, format_signed, format_thousands, join_list};

/// Time in which an example is shown while nobody touches the picture, in milliseconds.
const EXAMPLE_MS: f64 = 900.0;

/// Largest number of input bits of which a picture is drawn.
const MAX_BITS: usize = 200;
/// Largest number of operations of a forward pass on one example, as the cost model counts them, of which a picture is
/// drawn: a few milliseconds.
const MAX_OPERATIONS: u64 = 5_000_000;
/// Number of held-out examples that are shown one after the other.
const EXAMPLES: usize = 64;
/// Number of held-out examples over which the attention on the relevant bits is averaged.
const AVERAGED_EXAMPLES: usize = 16;
/// Largest number of beams.
const MAX_BEAMS: usize = 6;
/// Beams are drawn until they have this share of the attention together.
const BEAM_MASS: f32 = 0.9;
/// A beam's smallest share of the attention in inputs of few bits; of many bits it is twice the uniform share.
const MAX_BEAM_FLOOR: f32 = 0.2;
/// Duration of a change of beams and answer after a touch or for another example, in milliseconds.
const ANSWER_MS: f64 = 120.0;
/// Duration of a change of beams and answer for newer weights, in milliseconds.
const WEIGHTS_MS: f64 = 400.0;

/// Quantity that the beams of the picture show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Beams {
    /// Attention of the token \[CLS\] to the bits of the shown example.
    Attention {
        /// Number of heads over which the attention is averaged.
        heads: usize,
    },
    /// Each bit's share of the weights |u|·|w| of a network with one hidden layer.
    Weights {
        /// Number of hidden neurons.
        neurons: usize,
    },
}

/// Quantity that the beams of the run's network show, if there is a picture of it: of networks that attend from \[CLS\] or have one
/// hidden layer, on few enough bits.
fn drawable_beams(spec: &RunSpec) -> Option<Beams> {
    let has_known_label =
        matches!((&spec.task, spec.task.data()), (Task::SparseBoolean(_), _) | (_, TaskData::Bits(Some(_))));
    let is_drawable = has_known_label
        && spec.task.examples().inputs() <= MAX_BITS
        && crate::parameters::check_is_small(spec).is_ok()
        && spec.forward_operations() <= MAX_OPERATIONS;
    match spec.model.config().family()? {
        Family::ReadAtCls(block) if is_drawable => Some(Beams::Attention { heads: block.heads.max(1) }),
        Family::OneHiddenLayer(layer) if is_drawable && layer.head == Head::Sum => {
            Some(Beams::Weights { neurons: layer.width })
        }
        _ => None,
    }
}

/// Whether the lab has a picture of the run.
pub fn has_hero(spec: &RunSpec) -> bool {
    drawable_beams(spec).is_some()
}

/// The picture of a run; `None` if the lab has none for its network.
pub fn new_hero(spec: &RunSpec) -> Option<Box<dyn Hero>> {
    let beams = drawable_beams(spec)?;
    let examples = spec.task.examples();
    let (n, mut held_out) = (examples.inputs(), Batch::default());
    let count = examples.held_out_count().unwrap_or(EXAMPLES).min(EXAMPLES);
    spec.task.sampler().append_held_out(spec.run.seed, 0, count, &mut held_out);
    let mut hero = BooleanHero {
        beams,
        table: match &spec.task {
            Task::SparseBoolean(task) => Some(task.truth_table()),
            _ => None,
        },
        relevant: examples.relevant(spec.run.seed),
        lengths: spec.architecture().parameters(n, 1).iter().map(|parameter| parameter.len()).collect(),
        bits: held_out.x.get(..n).map_or_else(|| vec![1.0; n], <[f32]>::to_vec),
        spec: spec.clone(),
        held_out,
        example: 0,
        key_bit: None,
        last_flipped: None,
        weights: vec![],
        has_diverged: false,
        before: Reading::default(),
        latest: Reading::default(),
        changed_ms: f64::NEG_INFINITY,
        duration_ms: ANSWER_MS,
        relevant_share: None,
        progress: StageProgress::default(),
        ended_ms: None,
    };
    hero.key_bit = hero.strongest_bit();
    if spec.can_page_initialize() {
        hero.set_weights(StageProgress::default(), &spec.initialize_replicas(1), f64::NEG_INFINITY);
    }
    Some(Box::new(hero))
}

/// Values of the network on the shown example.
#[derive(Debug, Clone, PartialEq, Default)]
struct Reading {
    /// Each bit's share of the attention or of the weights, from 0 to 1, `[bits]`; empty before the first weights.
    shares: Vec<f32>,
    /// Answer: 0 for one label and 1 for the other; with the cross-entropy, the probability of the second.
    answer: f32,
}

/// State of the picture of one run on a function of bits.
#[derive(Debug, Clone)]
struct BooleanHero {
    /// Settings of the run.
    spec: RunSpec,
    /// Quantity that the beams show.
    beams: Beams,
    /// Labels of all combinations of the relevant bits; `None` if the label is their product.
    table: Option<TruthTable>,
    /// Indices of the bits that determine the label, from 0, ascending.
    relevant: Vec<usize>,
    /// Number of entries of each parameter tensor.
    lengths: Vec<usize>,
    /// Bits of the shown example, each +1 or −1.
    bits: Vec<f32>,
    /// Held-out examples, which are shown one by one.
    held_out: Batch,
    /// Index of the held-out example that was shown last.
    example: usize,
    /// Index of the relevant bit that turns the label of most held-out examples.
    key_bit: Option<usize>,
    /// Index of the bit that was flipped last.
    last_flipped: Option<usize>,
    /// All parameter tensors in the order of `RunSpec::parameters`; empty before the first.
    weights: Vec<Vec<f32>>,
    /// Whether weights are not finite.
    has_diverged: bool,
    /// Shares and answer from which the picture moves.
    before: Reading,
    /// Shares and answer of the latest weights on the shown example.
    latest: Reading,
    /// Time at which the movement began, in milliseconds.
    changed_ms: f64,
    /// Duration of the movement in milliseconds.
    duration_ms: f64,
    /// Share of the attention or weights on all relevant bits together, averaged over held-out examples.
    relevant_share: Option<f32>,
    /// Progress of the run.
    progress: StageProgress,
    /// Time at which the run ended, in milliseconds.
    ended_ms: Option<f64>,
}

/// The attention on each bit, averaged over `heads`: `[examples, bits]` from `[examples, heads, bits + 1]`, where the last
/// token is \[CLS\].
fn attention_by_bit(attention: &[f32], heads: usize, bits: usize) -> Vec<f32> {
    let mut means = vec![];
    for example in attention.chunks_exact(heads * (bits + 1)) {
        let mean = |bit: usize| example.iter().skip(bit).step_by(bits + 1).sum::<f32>() / heads as f32;
        means.extend((0..bits).map(mean));
    }
    means
}

/// Each bit's share of the weights: the sum of |u_j|·|w_ij| over all neurons j, divided by the sum over all bits. `w` is
/// `[bits, neurons]`, `u` is `[neurons]`.
fn weight_by_bit(w: &[f32], u: &[f32]) -> Vec<f32> {
    let size = |row: &[f32]| row.iter().zip(u).map(|(w, u)| (w * u).abs()).sum::<f32>();
    let sizes: Vec<f32> = w.chunks_exact(u.len().max(1)).map(size).collect();
    let all: f32 = sizes.iter().sum();
    sizes.into_iter().map(|size| size / all).collect()
}

/// Indices of the bits with beams, the largest share first: at most [`MAX_BEAMS`], until they have [`BEAM_MASS`] together,
/// each with at least twice the share of a uniform distribution.
fn bits_with_beams(shares: &[f32]) -> Vec<usize> {
    let floor = (2.0 / (shares.len() + 1) as f32).min(MAX_BEAM_FLOOR);
    let mut order: Vec<usize> = (0..shares.len()).filter(|bit| shares[*bit] >= floor).collect();
    vivarium_core::sorting::sort_by(&mut order, |a, b| shares[*b].total_cmp(&shares[*a]).then(a.cmp(b)));
    order.truncate(MAX_BEAMS);
    let mut mass = 0.0;
    order.retain(|bit| {
        let is_needed = mass < BEAM_MASS;
        mass += shares[*bit];
        is_needed
    });
    order
}

impl BooleanHero {
    /// Number of bits n of an input.
    fn bit_count(&self) -> usize {
        self.bits.len()
    }

    /// Whether the network's values are known.
    fn has_network(&self) -> bool {
        !self.weights.is_empty()
    }

    /// Whether the run has ended and reached its target.
    fn is_solved(&self) -> bool {
        let run = &self.spec.run;
        // A lower target may be reached by a network that is wrong on some inputs.
        let is_strict = run.success == SuccessCriterion::Accuracy && run.target >= 0.99;
        self.progress.has_ended && self.progress.has_succeeded && is_strict && !self.has_diverged
    }

    /// The label of an input: whether it is 1, or +1 if the label is a product of signs.
    fn label_of(&self, bits: &[f32]) -> bool {
        let relevant = self.relevant.iter().filter_map(|bit| bits.get(*bit)).map(|bit| *bit > 0.0);
        match &self.table {
            None => relevant.filter(|is_one| !is_one).count().is_multiple_of(2),
            Some(table) => {
                let row = relevant.fold(0usize, |row, is_one| row << 1 | usize::from(is_one));
                table.get(row).copied().unwrap_or(false)
            }
        }
    }

    /// Whether flipping a bit of an input changes its label.
    fn turns_label(&self, bits: &[f32], bit: usize) -> bool {
        let mut flipped = bits.to_vec();
        if let Some(value) = flipped.get_mut(bit) {
            *value = -*value;
        }
        self.label_of(&flipped) != self.label_of(bits)
    }

    /// Index of the relevant bit that turns the label of most held-out examples, the first of several.
    fn strongest_bit(&self) -> Option<usize> {
        let rows = || self.held_out.x.chunks_exact(self.bit_count().max(1));
        let count = |bit: &usize| rows().filter(|bits| self.turns_label(bits, *bit)).count();
        self.relevant.iter().copied().rev().max_by_key(count)
    }

    /// Index of a bit that turns the label of the shown example, if a single one does.
    fn turning_bit(&self) -> Option<usize> {
        let candidates = self.key_bit.iter().chain(&self.relevant);
        candidates.copied().find(|bit| self.turns_label(&self.bits, *bit))
    }

    /// Whether bits are written as +1 and −1, in tasks whose label is a product, and not as 1 and 0.
    fn has_signs(&self) -> bool {
        self.table.is_none()
    }

    /// A bit or label in writing: 1 or 0, or +1 or −1.
    fn format_bit(&self, is_one: bool) -> &'static str {
        match (self.has_signs(), is_one) {
            (false, true) => "1",
            (false, false) => "0",
            (true, true) => "+1",
            (true, false) => "−1",
        }
    }

    /// A bit in words for screen readers.
    fn spoken_bit(&self, is_one: bool) -> &'static str {
        match (self.has_signs(), is_one) {
            (false, _) => self.format_bit(is_one),
            (true, true) => tr!("plus 1"),
            (true, false) => tr!("minus 1"),
        }
    }

    /// An answer with two decimals on the scale of the labels; a dash if it is unknown.
    fn format_answer(&self, answer: f32) -> String {
        match (self.has_network() && answer.is_finite(), self.has_signs()) {
            (false, _) => MISSING.into(),
            (true, true) => format_signed(2.0 * answer - 1.0, 2),
            (true, false) => format_signed(answer, 2).trim_start_matches('+').into(),
        }
    }

    /// The share of a bit with two decimals; empty before the first weights.
    fn format_share(&self, bit: usize) -> String {
        self.latest.shares.get(bit).map_or_else(String::new, |share| format!("{share:.2}"))
    }

    /// Whether answers are probabilities, because the loss is the cross-entropy.
    fn answers_probability(&self) -> bool {
        self.spec.run.loss == Loss::CrossEntropy
    }

    /// Each bit's share of attention on each row of `x`, `[examples, bits]`, or its share of the weights, `[bits]`; shares
    /// that are not finite are 0.
    fn measure_shares(&self, x: &[f32]) -> Vec<f32> {
        let n = self.bit_count();
        let slices: Vec<&[f32]> = self.weights.iter().map(Vec::as_slice).collect();
        let mut shares = match self.beams {
            Beams::Attention { heads } => {
                let attention = self.spec.network().looks(&slices, n, x).unwrap_or_default();
                attention_by_bit(&attention, heads, n)
            }
            Beams::Weights { .. } => match (slices.get(mlp::W), slices.get(mlp::U)) {
                (Some(w), Some(u)) => weight_by_bit(w, u),
                _ => vec![],
            },
        };
        shares.iter_mut().filter(|share| !share.is_finite()).for_each(|share| *share = 0.0);
        shares
    }

    /// The network's answer on the shown example; see [`Reading::answer`].
    fn measure_answer(&self) -> f32 {
        let slices: Vec<&[f32]> = self.weights.iter().map(Vec::as_slice).collect();
        let stage = self.spec.stage(self.progress.step);
        let outputs = self.spec.network().evaluate(&slices, self.bit_count(), &self.bits, stage);
        let output = outputs.first().copied().unwrap_or(f32::NAN);
        match self.answers_probability() {
            true => 1.0 / (1.0 + libm::expf(-output)),
            // The targets are −1 and 1.
            false => (output + 1.0) / 2.0,
        }
    }

    /// Lets the picture move to these shares, and to the answer on the shown example.
    fn move_to(&mut self, shares: Vec<f32>, now_ms: f64, duration_ms: f64) {
        self.before = self.shown_at(&Frame { width: 0.0, height: 0.0, now_ms, is_still: false });
        self.latest = Reading { answer: self.measure_answer(), shares };
        (self.changed_ms, self.duration_ms) = (now_ms, duration_ms);
    }

    /// Computes shares and answer after a change of the shown example.
    fn follow_example(&mut self, now_ms: f64) {
        if self.has_network() {
            let shares = self.measure_shares(&self.bits);
            self.move_to(shares, now_ms, ANSWER_MS);
        }
    }

    /// Shares and answer at the time of the frame, between those before and after the last change.
    fn shown_at(&self, frame: &Frame) -> Reading {
        let moved = frame.moved(self.changed_ms, self.duration_ms);
        let (from, to) = (&self.before, &self.latest);
        if moved >= 1.0 || from.shares.len() != to.shares.len() {
            return to.clone();
        }
        let between = |from: f32, to: f32| from + (to - from) * moved;
        Reading {
            shares: from.shares.iter().zip(&to.shares).map(|(from, to)| between(*from, *to)).collect(),
            answer: between(from.answer, to.answer),
        }
    }

    /// The share on all relevant bits together, averaged over the rows of `shares`, `[examples, bits]`.
    fn average_on_relevant(&self, shares: &[f32]) -> Option<f32> {
        let rows = shares.chunks_exact(self.bit_count().max(1));
        let count = rows.len();
        let on_relevant = |row: &[f32]| self.relevant.iter().filter_map(|bit| row.get(*bit)).sum::<f32>();
        let sum: f32 = rows.map(on_relevant).sum();
        (count > 0).then(|| (sum / count as f32).clamp(0.0, 1.0))
    }

    /// Numbers of the relevant bits, from 1, as a list.
    fn list_relevant(&self) -> String {
        let bits: Vec<String> = self.relevant.iter().map(|bit| (bit + 1).to_string()).collect();
        join_list(&bits)
    }

    /// A sentence on the bits with beams.
    fn describe_beams(&self) -> String {
        let shares = &self.latest.shares;
        let found = bits_with_beams(shares);
        let names: Vec<String> = found.iter().map(|bit| (bit + 1).to_string()).collect();
        let sizes: Vec<String> = found.iter().map(|bit| format!("{:.2}", shares[*bit])).collect();
        let (bits, sizes) = (join_list(&names), join_list(&sizes));
        match (self.beams, found.len()) {
            _ if !self.has_network() => tr!("The network's weights are not known yet.").into(),
            _ if self.has_diverged => tr!("The shares of the bits are not defined.").into(),
            (Beams::Attention { .. }, 0) => tr!("No bit has twice its even share of the attention.").into(),
            (Beams::Attention { .. }, 1) => tr!("Attention {sizes} on bit {bits}.", sizes, bits),
            (Beams::Attention { .. }, _) => tr!("Attention {sizes} on bits {bits}.", sizes, bits),
            (Beams::Weights { .. }, 0) => tr!("No bit has twice its even share of the weights.").into(),
            (Beams::Weights { .. }, 1) => tr!("Share {sizes} of the weights on bit {bits}.", sizes, bits),
            (Beams::Weights { .. }, _) => tr!("Shares {sizes} of the weights on bits {bits}.", sizes, bits),
        }
    }
}

impl Hero for BooleanHero {
    fn set_weights(&mut self, progress: StageProgress, weights: &[Vec<f32>], now_ms: f64) {
        if progress.has_ended && !self.progress.has_ended {
            self.ended_ms = Some(now_ms);
        } else if !progress.has_ended {
            self.ended_ms = None;
        }
        self.progress = progress;
        if weights.iter().map(Vec::len).ne(self.lengths.iter().copied()) {
            return;
        }
        self.weights = weights.to_vec();
        self.has_diverged = weights.iter().flatten().any(|weight| !weight.is_finite());
        let n = self.bit_count();
        let mut x = self.bits.clone();
        x.extend(self.held_out.x.iter().take(AVERAGED_EXAMPLES * n));
        let mut shares = self.measure_shares(&x);
        let of_others = shares.split_off(n.min(shares.len()));
        // Shares of the weights are the same for all examples.
        let averaged = if of_others.is_empty() { &shares } else { &of_others };
        self.relevant_share = self.average_on_relevant(averaged);
        self.move_to(shares, now_ms, WEIGHTS_MS);
    }

    fn example_interval_ms(&self) -> f64 {
        EXAMPLE_MS
    }

    fn show_next_example(&mut self, now_ms: f64) {
        let (n, count) = (self.bit_count(), self.held_out.len());
        for _ in 0..count {
            self.example = (self.example + 1) % count;
            let Some(bits) = self.held_out.x.get(self.example * n..(self.example + 1) * n) else { break };
            // The headline of a solved run names a bit that turns the answer: only such examples are shown then.
            let fits = match self.key_bit {
                Some(bit) if self.is_solved() => self.turns_label(bits, bit),
                _ => true,
            };
            if fits {
                self.bits = bits.to_vec();
                break;
            }
        }
        self.last_flipped = None;
        self.follow_example(now_ms);
    }

    fn touch(&mut self, key: &str, touch: Touch, frame: &Frame) -> Option<String> {
        let bit: usize = key.strip_prefix("bit-")?.parse().ok()?;
        let flipped = -*self.bits.get(bit)?;
        if touch != Touch::Press {
            return None;
        }
        let [before, share_before] = [self.format_answer(self.latest.answer), self.format_share(bit)];
        self.bits[bit] = flipped;
        self.last_flipped = Some(bit);
        self.follow_example(frame.now_ms);
        let [after, share_after] = [self.format_answer(self.latest.answer), self.format_share(bit)];
        let (bit_name, value) = (bit + 1, self.spoken_bit(flipped > 0.0));
        let on_answer = match before == after {
            _ if !self.has_network() => return Some(tr!("Bit {bit_name} is {value}.", bit_name, value)),
            true => tr!("Bit {bit_name} is {value}. The answer is still {after}.", bit_name, value, after),
            false => tr!(
                "Bit {bit_name} is {value}. The answer changed from {before} to {after}.",
                bit_name,
                value,
                before,
                after
            ),
        };
        if matches!(self.beams, Beams::Weights { .. }) || share_before == share_after {
            return Some(on_answer);
        }
        let on_attention = tr!(
            "The attention on the bit changed from {share_before} to {share_after}.",
            share_before,
            share_after
        );
        Some(format!("{on_answer} {on_attention}"))
    }

    fn scene(&self, frame: &Frame) -> Scene {
        picture::draw(self, frame)
    }

    fn has_diverged(&self) -> bool {
        self.has_diverged
    }

    fn own_headline(&self) -> String {
        let (n, k) = (self.bit_count(), self.relevant.len());
        let other = (0..n).find(|bit| !self.relevant.contains(bit));
        match (self.is_solved(), self.turning_bit(), other) {
            (true, Some(relevant), Some(other)) => tr!(
                "Flip bit {relevant}: the answer turns. Flip bit {other}: it does not.",
                relevant = relevant + 1,
                other = other + 1
            ),
            (true, Some(relevant), None) => {
                tr!("Flip bit {relevant}: the answer turns.", relevant = relevant + 1)
            }
            (true, None, _) if k == 1 => {
                tr!("Only bit {bits} decides. Flip it.", bits = self.list_relevant())
            }
            (true, None, _) => tr!("Only bits {bits} decide. Flip them.", bits = self.list_relevant()),
            _ if self.progress.has_ended && k == 1 => {
                let bits = self.list_relevant();
                tr!("The network has not reached its target. Bit {bits} decides. Flip it.", bits)
            }
            _ if self.progress.has_ended => {
                let bits = self.list_relevant();
                tr!("The network has not reached its target. Bits {bits} decide. Flip one.", bits)
            }
            _ if k == 1 => tr!("1 of {n} bits decides. The network searches for it. Flip a bit.", n),
            _ => tr!("{k} of {n} bits decide. The network searches for them. Flip one.", k, n),
        }
    }

    fn own_description(&self) -> String {
        let step = format_thousands(self.progress.step);
        let answer = self.format_answer(self.latest.answer);
        let label = self.format_bit(self.label_of(&self.bits));
        let beams = self.describe_beams();
        tr!(
            "Step {step}. The network answers {answer}; the label is {label}. {beams}",
            step,
            answer,
            label,
            beams
        )
    }

    fn inner_progress(&self) -> Option<f32> {
        self.relevant_share
    }

    fn new_run_label(&self) -> &'static str {
        match &self.spec.task {
            // The settings name the bits, which no seed changes.
            Task::SparseBoolean(task) if !task.support.is_empty() => tr!("New run"),
            _ => tr!("New secret"),
        }
    }

    fn inner_progress_name(&self) -> &'static str {
        match self.beams {
            Beams::Attention { .. } => tr!("attention on the bits that decide"),
            Beams::Weights { .. } => tr!("weight share of the bits that decide"),
        }
    }
}

#[cfg(test)]
mod tests;
