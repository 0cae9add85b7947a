//! The picture of a run on traces of a Turing machine: the path of the machine's head over the tape, and from a chosen step
//! arcs to the steps that the network attends to, beside the step that last wrote the cell.

mod picture;

use crate::parameters::check_is_small;
use vivarium_core::bounds::PAGE_SLICE_OPERATIONS;
use vivarium_model::models::attention_only::{Look, OfLength};
use vivarium_model::models::{AttentionOnly, Model};
use vivarium_model::run::RunSpec;
use vivarium_plot::analysis::chains::head_names;
use vivarium_plot::scene::Scene;
use vivarium_science::machines::TraceSettings;
use vivarium_science::machines::random::{TAPE_SYMBOLS, TracePosition};
use vivarium_science::machines::traces::TraceSource;
use vivarium_training::session::trace_evaluator::{FROM_BACK, likeliest_symbol};
use vivarium_view::display::hero::{Frame, Hero, StageProgress, Touch};
use vivarium_view::display::words::{format_percent, format_thousands};

/// Time in which an example is shown while nobody touches the picture, in milliseconds.
const EXAMPLE_MS: f64 = 2_500.0;

/// Largest number of steps of a trace that is drawn.
const MAX_STEPS: usize = 80;
/// Largest number of held-out traces over which the attention on the last writes is averaged.
const PROGRESS_TRACES: usize = 4;
/// Largest number of arcs of attention from a step.
const MAX_ARCS: usize = 6;
/// Share of the attention that the arcs show together, if at most [`MAX_ARCS`] arcs suffice.
const SHOWN_ATTENTION: f64 = 0.9;
/// Least attention on the last write that the sentence above the picture points out.
const CLEAR_ATTENTION: f64 = 0.25;
/// A head takes the place of the shown one if its attention on the last writes is larger by this factor.
const EXCHANGE_FACTOR: f64 = 1.25;

/// The traces and the network of the run, if the lab has a picture of them: of short traces, and of networks that the page
/// can evaluate within a frame.
fn drawable_traces(spec: &RunSpec) -> Option<(TraceSettings, &AttentionOnly)> {
    let examples = spec.task.examples();
    let traces = examples.data().traces()?;
    let Model::AttentionOnly(net) = &spec.model else { return None };
    let weights = spec.architecture().numbers(examples.inputs(), 1);
    let is_drawable = traces.length <= MAX_STEPS
        && check_is_small(spec).is_ok()
        && weights.saturating_mul(traces.length as u64) <= PAGE_SLICE_OPERATIONS;
    is_drawable.then_some((traces, net))
}

/// Whether the lab has a picture of the run.
pub fn has_hero(spec: &RunSpec) -> bool {
    drawable_traces(spec).is_some()
}

/// The picture of a run; `None` if the lab has none for its network.
pub fn new_hero(spec: &RunSpec) -> Option<Box<dyn Hero>> {
    Some(Box::new(TracesHero::new(spec)?))
}

/// Steps of a trace whose cells were last written [`FROM_BACK`] or more steps earlier, each with the step of that write.
fn distant_writes(positions: &[TracePosition]) -> impl Iterator<Item = (usize, usize)> + '_ {
    let written = positions.iter().enumerate().skip(1);
    let written = written.filter_map(|(step, place)| Some((step, place.last_write?)));
    written.filter(|(step, written)| step.saturating_sub(*written) >= FROM_BACK)
}

/// State of the picture of one run on traces.
#[derive(Debug, Clone)]
struct TracesHero {
    /// The network without its weights.
    network: OfLength,
    /// Number of different tokens.
    tokens: usize,
    /// Numbers of weights in each parameter tensor.
    sizes: Vec<usize>,
    /// Names of the attention heads, layer by layer.
    head_names: Vec<String>,
    /// Sampler of the held-out traces.
    source: TraceSource,
    /// Seed of the run, which determines the held-out traces.
    seed: u64,
    /// Number of held-out traces.
    trace_count: usize,
    /// The first held-out traces, over which the attention on the last writes is averaged, whichever trace is shown.
    references: Vec<Vec<TracePosition>>,
    /// For each attention head the mean attention weight on distant last writes of `references`; empty before the first
    /// weights.
    write_attention: Vec<f64>,
    /// Index of the held-out trace that is shown, from 0.
    trace: usize,
    /// Steps of the trace that is shown: one more than the network reads.
    positions: Vec<TracePosition>,
    /// Latest parameter tensors of the first replica; empty before the first.
    weights: Vec<Vec<f32>>,
    /// Attention weights and logits of the network on the trace; `None` before the first weights.
    look: Option<Look>,
    /// Attention head whose arcs are drawn, counted through all layers from 0.
    head: usize,
    /// Whether the user has chosen the head.
    has_chosen_head: bool,
    /// The chosen step, whose symbol is predicted: an index into `positions` of at least 1.
    step: usize,
    /// The step that was chosen before, from which the mark moves.
    step_before: usize,
    /// Time at which the chosen step changed, in milliseconds.
    chosen_ms: f64,
    /// Progress of the run.
    progress: StageProgress,
}

impl TracesHero {
    /// The picture of a run with its initial weights; `None` if there is none for its network.
    fn new(spec: &RunSpec) -> Option<Self> {
        let (traces, net) = drawable_traces(spec)?;
        let parameters = spec.architecture().parameters(spec.task.examples().inputs(), 1);
        let mut hero = TracesHero {
            network: OfLength { net: net.clone(), length: traces.length },
            tokens: traces.vocab_size(),
            sizes: parameters.iter().map(|parameter| parameter.len()).collect(),
            head_names: head_names(&net.heads),
            source: traces.build_source(),
            seed: spec.run.seed,
            trace_count: spec.held_out_count().max(1),
            references: vec![],
            write_attention: vec![],
            trace: 0,
            positions: vec![],
            weights: vec![],
            look: None,
            head: 0,
            has_chosen_head: false,
            step: 1,
            step_before: 1,
            chosen_ms: f64::NEG_INFINITY,
            progress: StageProgress::default(),
        };
        let operations = spec.architecture().numbers(spec.task.examples().inputs(), 1);
        let affordable = PAGE_SLICE_OPERATIONS / operations.saturating_mul(traces.length as u64).max(1);
        // The network is also evaluated on the trace that is shown.
        let count = affordable.saturating_sub(1).clamp(1, PROGRESS_TRACES as u64) as usize;
        let count = count.min(hero.trace_count);
        for trace in 0..count {
            let mut positions = vec![];
            hero.source.sample_held_out(hero.seed, 0, trace..trace + 1, &mut positions);
            hero.references.push(positions);
        }
        hero.show_trace(0);
        let initial = if spec.can_page_initialize() { spec.initialize_replicas(1) } else { vec![] };
        hero.set_weights(StageProgress::default(), &initial, f64::NEG_INFINITY);
        Some(hero)
    }

    /// Number of tokens t that the network reads.
    fn length(&self) -> usize {
        self.network.length
    }

    /// Shows the held-out trace with this index, and the first of its steps with a distant last write.
    fn show_trace(&mut self, trace: usize) {
        self.trace = trace % self.trace_count;
        self.positions.clear();
        self.source.sample_held_out(self.seed, 0, self.trace..self.trace + 1, &mut self.positions);
        let first = self.next_distant_step(0).unwrap_or(1);
        (self.step, self.step_before, self.chosen_ms) = (first, first, f64::NEG_INFINITY);
        self.evaluate();
    }

    /// Evaluates the network on the trace that is shown.
    fn evaluate(&mut self) {
        self.look = self.evaluate_on(&self.positions);
    }

    /// Attention weights and logits of the network on a trace; `None` before the first weights.
    fn evaluate_on(&self, positions: &[TracePosition]) -> Option<Look> {
        let context: Vec<u8> = positions.iter().take(self.length()).map(|place| place.token).collect();
        if self.weights.is_empty() || context.len() != self.length() {
            return None;
        }
        let slices: Vec<&[f32]> = self.weights.iter().map(Vec::as_slice).collect();
        Some(self.network.plain(&slices, self.tokens).look(&context, &[]))
    }

    /// For each head the mean attention weight on the last write, over the cells of the reference traces that were last
    /// written [`FROM_BACK`] or more steps earlier; not a number without such cells.
    fn measure_write_attention(&self) -> Vec<f64> {
        let t = self.length();
        let (mut sums, mut count) = (vec![0.0_f64; self.head_names.len()], 0.0_f64);
        for positions in &self.references {
            let Some(look) = self.evaluate_on(positions) else { continue };
            for (step, written) in distant_writes(positions) {
                count += 1.0;
                for (sum, head) in sums.iter_mut().zip(&look.heads) {
                    *sum += head.shares.get((step - 1) * t + written).copied().unwrap_or(f64::NAN);
                }
            }
        }
        sums.into_iter().map(|sum| sum / count).collect()
    }

    /// The next step after `step` whose cell was last written [`FROM_BACK`] or more steps earlier.
    fn next_distant_step(&self, step: usize) -> Option<usize> {
        distant_writes(&self.positions).map(|(distant, _)| distant).find(|distant| *distant > step)
    }

    /// The step that last wrote the cell under the machine's head at a step; `None` for a new cell.
    fn last_write(&self, step: usize) -> Option<usize> {
        self.positions.get(step)?.last_write
    }

    /// The symbol under the machine's head at a step, 0 or 1.
    fn symbol(&self, step: usize) -> usize {
        self.positions.get(step).map_or(0, |place| usize::from(place.token) % TAPE_SYMBOLS)
    }

    /// Chooses a step, limited to those that are predicted; returns whether it is another one than before.
    fn choose(&mut self, step: usize, now_ms: f64) -> bool {
        let step = step.clamp(1, self.length().max(1));
        let is_new = step != self.step;
        if is_new {
            (self.step_before, self.step, self.chosen_ms) = (self.step, step, now_ms);
        }
        is_new
    }

    /// Attention weights of a head, from the step before `step`, on the steps from 0 to that one; empty before the first
    /// weights.
    fn attention(&self, head: usize, step: usize) -> &[f64] {
        let (t, query) = (self.length(), step.saturating_sub(1));
        let shares = self.look.as_ref().and_then(|look| look.heads.get(head)).map(|head| &head.shares[..]);
        shares.and_then(|shares| shares.get(query * t..query * t + step)).unwrap_or(&[])
    }

    /// The steps to which the shown head attends from the step before the chosen one, with their attention weights, the
    /// largest first: at most [`MAX_ARCS`], and no more than are needed for [`SHOWN_ATTENTION`] of the attention.
    fn attended(&self) -> Vec<(usize, f64)> {
        let shares = self.attention(self.head, self.step).iter().copied().enumerate();
        let mut order: Vec<(usize, f64)> = shares.filter(|(_, share)| share.is_finite()).collect();
        vivarium_core::sorting::sort_by(&mut order, |a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let mut sum = 0.0_f64;
        order
            .into_iter()
            .take(MAX_ARCS)
            .take_while(|(_, share)| {
                let is_needed = sum < SHOWN_ATTENTION;
                sum += *share;
                is_needed
            })
            .collect()
    }

    /// Logits of the network for the token of a step.
    fn logits(&self, step: usize) -> Option<&[f64]> {
        let look = self.look.as_ref()?;
        let from = step.checked_sub(1)? * self.tokens;
        look.logits.get(from..from + self.tokens)
    }

    /// Probability that the network gives to the symbol 1 at a step, whatever the state; `None` before the first weights.
    fn probability_of_one(&self, step: usize) -> Option<f64> {
        let logits = self.logits(step)?;
        let top = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut mass = [0.0; TAPE_SYMBOLS];
        for (token, logit) in logits.iter().enumerate() {
            mass[token % TAPE_SYMBOLS] += libm::exp(logit - top);
        }
        let probability = mass[1] / (mass[0] + mass[1]);
        probability.is_finite().then_some(probability)
    }

    /// Whether the network predicts the symbol of a step; `None` before the first weights.
    fn is_right(&self, step: usize) -> Option<bool> {
        let logits = self.logits(step)?;
        Some(likeliest_symbol(logits) == self.symbol(step))
    }

    /// Number of written cells whose symbol the network predicts, and number of written cells in the trace.
    fn count_right(&self) -> (usize, usize) {
        let written = (1..self.positions.len()).filter(|step| self.last_write(*step).is_some());
        written.fold((0, 0), |(right, all), step| {
            (right + usize::from(self.is_right(step) == Some(true)), all + 1)
        })
    }

    /// Mean attention weight of a head on the last write, over the cells that were last written [`FROM_BACK`] or more steps
    /// earlier; `None` before the first weights or without such cells.
    fn mean_write_attention(&self, head: usize) -> Option<f64> {
        let (mut sum, mut count) = (0.0_f64, 0.0_f64);
        for (step, written) in distant_writes(&self.positions) {
            sum += *self.attention(head, step).get(written)?;
            count += 1.0;
        }
        let mean = sum / count;
        mean.is_finite().then_some(mean)
    }

    /// The head with the largest mean attention on the last writes of the reference traces, and this attention.
    fn best_head(&self) -> Option<(usize, f64)> {
        let means = self.write_attention.iter().copied().enumerate().filter(|(_, mean)| mean.is_finite());
        means.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))
    }

    /// The step with the largest attention of the shown head on a distant last write, if it is at least
    /// [`CLEAR_ATTENTION`] and larger than on all other steps, and the step of that write.
    fn clearest_step(&self) -> Option<(usize, usize)> {
        let mut clearest: Option<(f64, (usize, usize))> = None;
        for (step, written) in distant_writes(&self.positions) {
            let shares = self.attention(self.head, step);
            let share = shares.get(written).copied()?;
            let is_largest = shares.iter().all(|other| *other <= share);
            if share >= CLEAR_ATTENTION && is_largest && clearest.is_none_or(|(most, _)| share > most) {
                clearest = Some((share, (step, written)));
            }
        }
        clearest.map(|(_, steps)| steps)
    }

    /// Name of the shown head, such as "2.1" for the first head of layer 2.
    fn head_name(&self) -> &str {
        self.head_names.get(self.head).map_or("", String::as_str)
    }

    /// Sentences on the chosen step: which step the network attends to, which step last wrote the cell, and whether the
    /// answer is right.
    fn describe_step(&self) -> String {
        let step = self.step;
        if self.has_diverged() {
            return tr!("Step {step}. The network gives no finite numbers.", step);
        }
        let attended = self.attended();
        let (Some((top, _)), Some(is_right)) = (attended.first(), self.is_right(step)) else {
            return tr!("Step {step}. The network has not been evaluated yet.", step);
        };
        let answer = if is_right { self.symbol(step) } else { 1 - self.symbol(step) };
        match (self.last_write(step), is_right) {
            (Some(written), true) => tr!(
                "To predict step {step}, the head attends step {top}; last write {written}. The answer {answer} is right.",
                step,
                top,
                written,
                answer
            ),
            (Some(written), false) => tr!(
                "To predict step {step}, the head attends step {top}; last write {written}. The answer {answer} is wrong.",
                step,
                top,
                written,
                answer
            ),
            (None, true) => tr!(
                "To predict step {step}, the head attends step {top}. The cell is new, so its symbol is random. The answer {answer} is right.",
                step,
                top,
                answer
            ),
            (None, false) => tr!(
                "To predict step {step}, the head attends step {top}. The cell is new, so its symbol is random. The answer {answer} is wrong.",
                step,
                top,
                answer
            ),
        }
    }

    /// Whether the shown head pays much attention to the last writes of the trace, in the mean over its steps.
    fn attends_last_writes(&self) -> bool {
        self.mean_write_attention(self.head).is_some_and(|mean| mean >= CLEAR_ATTENTION)
    }
}

impl Hero for TracesHero {
    fn set_weights(&mut self, progress: StageProgress, weights: &[Vec<f32>], _now_ms: f64) {
        self.progress = progress;
        if !weights.iter().map(Vec::len).eq(self.sizes.iter().copied()) {
            return;
        }
        self.weights = weights.to_vec();
        self.evaluate();
        self.write_attention = self.measure_write_attention();
        let shown = self.write_attention.get(self.head).copied().filter(|mean| mean.is_finite());
        if !self.has_chosen_head
            && let Some((best, mean)) = self.best_head()
            && mean > EXCHANGE_FACTOR * shown.unwrap_or(0.0)
        {
            self.head = best;
        }
    }

    fn example_interval_ms(&self) -> f64 {
        EXAMPLE_MS
    }

    fn show_next_example(&mut self, now_ms: f64) {
        match self.next_distant_step(self.step) {
            Some(next) => {
                self.choose(next, now_ms);
            }
            None => self.show_trace(self.trace + 1),
        }
    }

    fn touch(&mut self, key: &str, touch: Touch, frame: &Frame) -> Option<String> {
        match (key, touch) {
            ("step", Touch::Drag(point)) => {
                let step = picture::step_at(self, point, frame)?;
                self.choose(step, frame.now_ms).then(|| self.describe_step())
            }
            ("step", Touch::Nudge { x, y, .. }) => {
                let step = if x - y < 0.0 { self.step.saturating_sub(1) } else { self.step + 1 };
                self.choose(step, frame.now_ms).then(|| self.describe_step())
            }
            ("head", Touch::Press) => {
                self.head = (self.head + 1) % self.head_names.len().max(1);
                self.has_chosen_head = true;
                (self.step_before, self.chosen_ms) = (self.step, frame.now_ms);
                Some(tr!("Head {name}. {step}", name = self.head_name(), step = self.describe_step()))
            }
            ("trace", Touch::Press) => {
                self.show_trace(self.trace + 1);
                let number = self.trace + 1;
                Some(tr!("Trace {number}. {step}", number, step = self.describe_step()))
            }
            _ => None,
        }
    }

    fn scene(&self, frame: &Frame) -> Scene {
        picture::draw(self, frame)
    }

    fn has_diverged(&self) -> bool {
        self.look.as_ref().is_some_and(|look| look.logits.iter().any(|logit| !logit.is_finite()))
    }

    fn own_headline(&self) -> String {
        let (right, all) = self.count_right();
        match self.clearest_step() {
            Some((step, written)) if self.progress.has_ended && self.attends_last_writes() => tr!(
                "Drag to step {step}: the network looks back at step {written}, the last write.",
                step,
                written
            ),
            _ if self.progress.has_ended && all > 0 => tr!(
                "{share} of written cells are right. Drag a step: where does head {name} look back?",
                share = format_percent(right as f32 / all as f32),
                name = self.head_name()
            ),
            _ => tr!("A network watches a Turing machine. Drag the step: where does it look back?").into(),
        }
    }

    fn own_description(&self) -> String {
        let (right, all) = self.count_right();
        tr!(
            "Training step {count}. Held-out trace {number}, head {name}. {step} The network predicts {right} of {all} symbols on written cells of this trace.",
            count = format_thousands(self.progress.step),
            number = self.trace + 1,
            name = self.head_name(),
            step = self.describe_step(),
            right,
            all
        )
    }

    fn inner_progress(&self) -> Option<f32> {
        self.best_head().map(|(_, mean)| mean as f32)
    }

    fn inner_progress_name(&self) -> &'static str {
        tr!("mean attention on the last writes")
    }
}

#[cfg(test)]
mod tests;
