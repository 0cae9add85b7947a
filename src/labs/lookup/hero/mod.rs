//! The picture of a look-up: a question names some of the numbers of a prompt, and arcs show where the attention heads
//! look. Heads can be switched off, and a question can be made to name another number.
//!
//! In this picture the tokens of a prompt are called numbers, with the letters A, B, … for their positions, and a position
//! with its names is called a question.

mod picture;

use super::probes::compute_head_assignment;
use super::weights::PARAMETERS;
use vivarium_model::models::Family;
use vivarium_model::models::token_attention::OnPrompts;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::{Batch, TaskData};
use vivarium_plot::scene::Scene;
use vivarium_science::tokens::{Teacher, TeacherKind};
use vivarium_view::display::hero::{Frame, Hero, StageProgress, Touch};
use vivarium_view::display::words::{MISSING, format_percent, format_signed, format_thousands, join_list};

/// Time in which an example is shown while nobody touches the picture, in milliseconds.
const EXAMPLE_MS: f64 = 3_000.0;

/// Largest number of positions of a prompt of which a picture is drawn.
const MAX_POSITIONS: usize = 16;
/// Largest number of operations of a network's forward pass on one prompt, so that some prompts take a few milliseconds.
const MAX_OPERATIONS: f64 = 2e6;
/// Number of held-out prompts that are shown one after the other.
const PROMPTS: usize = 64;
/// Number of held-out prompts over which attention on the named tokens is averaged.
const PROGRESS_PROMPTS: usize = 3;
/// Index of the query-key matrices of all heads, or of the query matrices, in the network's parameters.
const QUERY_WEIGHTS: usize = 1;

/// The run's attention network with the distribution of its prompts, if the picture can be drawn: few positions, and a
/// network that is evaluated in a short time.
fn drawable_network(spec: &RunSpec) -> Option<OnPrompts> {
    let (TaskData::Prompts(prompts), Some(Family::TokenAttention(net))) =
        (spec.task.data(), spec.model.config().family())
    else {
        return None;
    };
    // A training step costs a forward pass and a backward pass, which is twice as expensive.
    let operations = spec.architecture().step_flops(spec.task.examples().inputs(), 1) / 3.0;
    let is_small = prompts.length <= MAX_POSITIONS
        && operations <= MAX_OPERATIONS
        && (PARAMETERS.applies)(spec).is_ok()
        && crate::parameters::check_is_small(spec).is_ok();
    is_small.then_some(OnPrompts { net, prompts })
}

/// Whether the lab has a picture of the run.
pub fn has_hero(spec: &RunSpec) -> bool {
    drawable_network(spec).is_some()
}

/// The picture of a run; `None` if the lab has none for its network.
pub fn new_hero(spec: &RunSpec) -> Option<Box<dyn Hero>> {
    Some(Box::new(LookupHero::new(spec)?))
}

/// The letter of the number at a position, counted from 0.
fn letter(position: usize) -> char {
    char::from(b'A' + (position % 26) as u8)
}

/// A number of the picture with two decimals and its sign; a dash if it is not finite.
fn format_value(value: f64) -> String {
    if value.is_finite() { format_signed(value as f32, 2) } else { MISSING.into() }
}

/// The network's answer to the shown question, and where its heads look.
#[derive(Debug, Clone, Default, PartialEq)]
struct Answer {
    /// Output of the network.
    output: f64,
    /// Attention weights of the question on all positions, `[heads][length]`; uniform for heads that are off.
    attention: Vec<Vec<f64>>,
}

/// State of the picture of one run on prompts of tokens.
#[derive(Debug, Clone)]
struct LookupHero {
    /// Settings of the run.
    spec: RunSpec,
    /// The run's attention network, and the distribution of its prompts.
    network: OnPrompts,
    /// Function that computes a label from the named tokens.
    teacher: Teacher,
    /// Lengths of the parameter tensors of one replica, in the order of `RunSpec::parameters`.
    lengths: Vec<usize>,
    /// Parameters of the first replica, one vector per tensor; empty before the first weights.
    weights: Vec<Vec<f32>>,
    /// Held-out prompts over which attention on the named tokens is averaged, as rows of a batch.
    progress_rows: Vec<f32>,
    /// Mean attention on a named token under the best assignment of heads to names; `None` before the first weights.
    attention_on_names: Option<f64>,
    /// Index of the shown held-out prompt, from 0.
    prompt: usize,
    /// The shown prompt as a row of a batch, with the user's changes of names.
    row: Vec<f32>,
    /// Position whose question is shown, from 0.
    question: usize,
    /// Index, among the names of the question, of the name that the next touched number replaces.
    next_name: usize,
    /// Whether each head is on.
    is_head_on: Vec<bool>,
    /// Answer to the question; `None` before the first weights.
    answer: Option<Answer>,
    /// Answer from which arcs and needle move; `None` if they do not move.
    before: Option<Answer>,
    /// Time at which arcs and needle began to move, in milliseconds.
    changed_ms: f64,
    /// Largest |label| on the scale of the answer.
    limit: f64,
    /// Progress of the run.
    progress: StageProgress,
}

impl LookupHero {
    /// The picture of a run with its first held-out prompt and its initial network; `None` if it cannot be drawn.
    fn new(spec: &RunSpec) -> Option<Self> {
        let network = drawable_network(spec)?;
        let (prompts, seed) = (network.prompts, spec.run.seed);
        let mut batch = Batch::default();
        spec.task.sampler().append_held_out(seed, 0, PROGRESS_PROMPTS, &mut batch);
        let deviation = libm::sqrt(prompts.label_variance(seed));
        let mut hero = LookupHero {
            teacher: prompts.teacher(seed),
            lengths: spec.parameters().iter().map(|tensor| tensor.shape[1] * tensor.shape[2]).collect(),
            weights: vec![],
            row: batch.x.get(..prompts.row_len())?.to_vec(),
            progress_rows: batch.x,
            attention_on_names: None,
            prompt: 0,
            question: 0,
            next_name: 0,
            is_head_on: vec![true; network.net.heads],
            answer: None,
            before: None,
            changed_ms: f64::NEG_INFINITY,
            // About two and a half standard deviations of a label, rounded up to a power of two.
            limit: libm::exp2(libm::ceil(libm::log2((2.5 * deviation).clamp(1e-3, 1e6)))),
            progress: StageProgress::default(),
            spec: spec.clone(),
            network,
        };
        if spec.can_page_initialize() {
            hero.set_weights(StageProgress::default(), &spec.initialize_replicas(1), f64::NEG_INFINITY);
        }
        Some(hero)
    }

    /// Number of positions of a prompt.
    fn length(&self) -> usize {
        self.network.prompts.length
    }

    /// Entries of the token at a position, `[dim]`.
    fn token(&self, position: usize) -> &[f32] {
        let dim = self.network.prompts.dim;
        self.row.get(position * dim..(position + 1) * dim).unwrap_or_default()
    }

    /// Positions that the question at `position` names, `[names]`.
    fn names(&self, position: usize) -> Vec<usize> {
        let names = self.network.prompts.split_row(&self.row).1;
        let own = names.chunks_exact(self.network.prompts.names.max(1)).nth(position).unwrap_or_default();
        own.iter().map(|name| *name as usize).collect()
    }

    /// Letters of the numbers that a question names, as a list for a sentence.
    fn list_names(&self, position: usize) -> String {
        let letters = self.names(position).into_iter().map(|name| letter(name).to_string());
        join_list(&letters.collect::<Vec<String>>())
    }

    /// The label of the shown question.
    fn label(&self) -> f64 {
        let (tokens, names, _) = self.network.prompts.split_row(&self.row);
        let labels = self.network.prompts.compute_labels(&self.teacher, tokens, names);
        labels.get(self.question).copied().unwrap_or(f64::NAN)
    }

    /// The network's answer to the shown question; NaN before the first weights.
    fn output(&self) -> f64 {
        self.answer.as_ref().map_or(f64::NAN, |answer| answer.output)
    }

    /// The mean of the numbers with a head's attention as weights; `None` if tokens have several entries or there are no
    /// weights yet.
    fn read_number(&self, head: usize) -> Option<f64> {
        let attention = self.answer.as_ref()?.attention.get(head)?;
        let numbers = self.network.prompts.split_row(&self.row).0;
        let sum: f64 =
            attention.iter().zip(numbers).map(|(weight, number)| weight * f64::from(*number)).sum();
        (self.network.prompts.dim == 1).then_some(sum)
    }

    /// The network's parameters with the query weights of all heads that are off set to 0: all scores of such a head are
    /// 0, so that it attends to all positions equally.
    fn switched_weights(&self) -> Vec<Vec<f32>> {
        let mut weights = self.weights.clone();
        if let Some(queries) = weights.get_mut(QUERY_WEIGHTS) {
            let size = queries.len() / self.is_head_on.len().max(1);
            for (block, is_on) in queries.chunks_exact_mut(size.max(1)).zip(&self.is_head_on) {
                if !is_on {
                    block.fill(0.0);
                }
            }
        }
        weights
    }

    /// Computes the answer to the shown question; arcs and needle move there if `is_eased`.
    fn evaluate(&mut self, is_eased: bool, now_ms: f64) {
        if self.weights.is_empty() {
            return;
        }
        let weights = self.switched_weights();
        let slices: Vec<&[f32]> = weights.iter().map(Vec::as_slice).collect();
        let look = self.network.plain(&slices).look(&self.row);
        let n = self.length();
        let own_row = |head: &[f64]| head.chunks_exact(n).nth(self.question).unwrap_or_default().to_vec();
        let answer = Answer {
            output: look.outputs.get(self.question).copied().unwrap_or(f64::NAN),
            attention: look.shares.chunks_exact(n * n).map(own_row).collect(),
        };
        let old = self.answer.replace(answer);
        self.before = old.filter(|_| is_eased);
        self.changed_ms = now_ms;
    }

    /// Mean attention on a named token, over all questions of some held-out prompts with all heads on, under the best
    /// assignment of heads to names.
    fn measure_attention_on_names(&self) -> f64 {
        let (prompts, heads) = (self.network.prompts, self.network.net.heads);
        let (n, q) = (prompts.length, prompts.names);
        let slices: Vec<&[f32]> = self.weights.iter().map(Vec::as_slice).collect();
        let plain = self.network.plain(&slices);
        let (mut sums, mut count) = (vec![0.0; heads * q], 0.0);
        for row in self.progress_rows.chunks_exact(prompts.row_len()) {
            let (look, names) = (plain.look(row), prompts.split_row(row).1);
            for (head, sums) in look.shares.chunks_exact(n * n).zip(sums.chunks_exact_mut(q)) {
                for (attention, names) in head.chunks_exact(n).zip(names.chunks_exact(q)) {
                    for (sum, name) in sums.iter_mut().zip(names) {
                        *sum += attention.get(*name as usize).copied().unwrap_or(0.0);
                    }
                }
            }
            count += n as f64;
        }
        sums.iter_mut().for_each(|sum| *sum /= f64::max(count, 1.0));
        compute_head_assignment(&sums, q)
    }

    /// Shows another question of the same prompt.
    fn choose_question(&mut self, question: usize) {
        (self.question, self.next_name) = (question, 0);
    }

    /// Loads the next held-out prompt.
    fn load_next_prompt(&mut self) {
        self.prompt = (self.prompt + 1) % PROMPTS;
        let mut batch = Batch::default();
        self.spec.task.sampler().append_held_out(self.spec.run.seed, self.prompt, 1, &mut batch);
        if batch.x.len() == self.row.len() {
            self.row = batch.x;
        }
    }

    /// Makes the question name the number at `position` in place of one of its names; `None` if it names it already.
    fn name_number(&mut self, position: usize) -> Option<()> {
        let names = self.names(self.question);
        if position >= self.length() || names.contains(&position) {
            return None;
        }
        let prompts = self.network.prompts;
        let at = prompts.length * prompts.dim + self.question * prompts.names + self.next_name;
        *self.row.get_mut(at)? = position as f32;
        self.next_name = (self.next_name + 1) % prompts.names.max(1);
        Some(())
    }

    /// A sentence on the answer to the shown question and its label.
    fn describe_answer(&self) -> String {
        let (answer, label) = (format_value(self.output()), format_value(self.label()));
        tr!("The network answers {answer}; the label is {label}.", answer, label)
    }

    /// A sentence on the number to which each head attends most.
    fn describe_heads(&self) -> String {
        let Some(answer) = &self.answer else { return String::new() };
        let one = |(head, attention): (usize, &Vec<f64>)| {
            let number = head + 1;
            if !self.is_head_on.get(head).copied().unwrap_or(true) {
                return tr!("Head {number} is off.", number);
            }
            let largest = (0..attention.len()).max_by(|a, b| attention[*a].total_cmp(&attention[*b]));
            let (largest, share) = largest.map_or((0, f64::NAN), |at| (at, attention[at]));
            tr!(
                "Head {number} attends most to {letter}: {share}.",
                number,
                letter = letter(largest),
                share = format_percent(share as f32)
            )
        };
        answer.attention.iter().enumerate().map(one).collect::<Vec<String>>().join(" ")
    }
}

impl Hero for LookupHero {
    fn set_weights(&mut self, progress: StageProgress, weights: &[Vec<f32>], now_ms: f64) {
        if !weights.iter().map(Vec::len).eq(self.lengths.iter().copied()) {
            return;
        }
        self.progress = progress;
        self.weights = weights.to_vec();
        self.attention_on_names = Some(self.measure_attention_on_names());
        self.evaluate(false, now_ms);
    }

    fn example_interval_ms(&self) -> f64 {
        EXAMPLE_MS
    }

    fn show_next_example(&mut self, now_ms: f64) {
        let next = (self.question + 1) % self.length().max(1);
        if next == 0 {
            self.load_next_prompt();
        }
        self.choose_question(next);
        self.evaluate(false, now_ms);
    }

    fn touch(&mut self, key: &str, touch: Touch, frame: &Frame) -> Option<String> {
        let (kind, at) = key.split_once('-')?;
        let at: usize = at.parse().ok()?;
        if touch != Touch::Press {
            return None;
        }
        let before = format_value(self.output());
        // Arcs move, except to those of another question, which begin somewhere else.
        let changed: String = match kind {
            "question" if at < self.length() => {
                self.choose_question(at);
                self.evaluate(false, frame.now_ms);
                let (number, names) = (at + 1, self.list_names(at));
                let answer = self.describe_answer();
                return Some(tr!("Question {number} names {names}. {answer}", number, names, answer));
            }
            "number" => {
                self.name_number(at)?;
                let (number, names) = (self.question + 1, self.list_names(self.question));
                tr!("Question {number} now names {names}.", number, names)
            }
            "head" => {
                let is_on = self.is_head_on.get_mut(at)?;
                *is_on = !*is_on;
                match *is_on {
                    true => tr!("Head {number} is on.", number = at + 1),
                    false => tr!("Head {number} is off: it attends to all numbers equally.", number = at + 1),
                }
            }
            _ => return None,
        };
        self.evaluate(true, frame.now_ms);
        let (after, label) = (format_value(self.output()), format_value(self.label()));
        Some(tr!(
            "{changed} The answer changed from {before} to {after}; the label is {label}.",
            changed,
            before,
            after,
            label
        ))
    }

    fn scene(&self, frame: &Frame) -> Scene {
        picture::draw(self, frame)
    }

    fn has_diverged(&self) -> bool {
        self.answer.as_ref().is_some_and(|answer| !answer.output.is_finite())
    }

    fn own_headline(&self) -> String {
        let heads = self.network.net.heads;
        let prompts = &self.network.prompts;
        // Only a mean of the named numbers can be read by a single head: attention weights are positive.
        let needs_heads = prompts.function != TeacherKind::Mean;
        match (self.progress.has_ended, self.progress.has_succeeded) {
            (true, true) => {
                tr!("Tap a number: the question names it, and the arcs follow. Or switch a head off.").into()
            }
            (true, false) if needs_heads && heads < prompts.names => {
                tr!("Fewer heads than names: an error remains. Tap a question to see the arcs.").into()
            }
            (true, false) => {
                tr!("The answers are not exact yet. Tap a question to see where the heads attend.").into()
            }
            _ if heads == 1 => {
                tr!("An attention head learns to find the numbers that a question names. Tap a question.")
                    .into()
            }
            _ => tr!(
                "{heads} attention heads learn to find the numbers that a question names. Tap a question.",
                heads
            ),
        }
    }

    fn own_description(&self) -> String {
        let (step, number) = (format_thousands(self.progress.step), self.question + 1);
        tr!(
            "Step {step}. Question {number} names {names}. {heads} {answer}",
            step,
            number,
            names = self.list_names(self.question),
            heads = self.describe_heads(),
            answer = self.describe_answer()
        )
    }

    fn inner_progress(&self) -> Option<f32> {
        self.attention_on_names.map(|attention| (attention as f32).clamp(0.0, 1.0))
    }

    fn inner_progress_name(&self) -> &'static str {
        tr!("names found by a head of their own")
    }
}

#[cfg(test)]
mod tests;
