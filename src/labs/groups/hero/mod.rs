//! The picture of a run on pairs of group elements: the table of all questions on the left, the strongest parts of the
//! logits in the middle, and a bar for the logit of each answer on the right.
//!
//! For addition and subtraction modulo n, a part of the logits is a wave of one frequency k over the answers, drawn below a
//! clock that turns by k·a and then by k·b. For other tables, a part is the projection of the logits onto one irreducible
//! representation (irrep).
//!
//! # Why
//! The parts are computed from the logits and not from the neurons, so they add up to the bars exactly in every network.
//! Which parts are drawn is decided by the power of the neurons' weights, which is measured for all questions at once.

mod layout;
mod network;
mod picture;

use super::probes::{groups_task, modular_operation};
use layout::Layout;
use network::{ForwardCost, forward_cost, margin, spread_step};
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::groups::GroupOperation;
use vivarium_plot::analysis::progress::ModularOperation;
use vivarium_plot::scene::Scene;
use vivarium_science::groups::{Group, Irreps};
use vivarium_view::display::hero::{Frame, Hero, StageProgress, Touch};
use vivarium_view::display::words::{MISSING, capitalize, format_signed, format_thousands, join_list};

/// Waves smaller than this share of the scale count as absent.
const SMALLEST_WAVE: f32 = 0.02;
/// Time in which an example is shown while nobody touches the picture, in milliseconds.
const EXAMPLE_MS: f64 = 3_000.0;

/// Largest number of parts of the logits in the picture.
const MAX_PARTS: usize = 5;
/// Duration of the turns of the clocks to a new question, in milliseconds.
const TURN_MS: f64 = 500.0;
/// Duration of the movement of the bars, in milliseconds.
const ANSWER_MS: f64 = 120.0;

/// Whether the lab has a picture of the run.
pub fn has_hero(spec: &RunSpec) -> bool {
    forward_cost(spec).is_some()
}

/// The picture of a run; `None` if the lab has none for its network.
pub fn new_hero(spec: &RunSpec) -> Option<Box<dyn Hero>> {
    Some(Box::new(GroupsHero::new(spec)?))
}

/// State of the picture of one run on pairs of group elements.
#[derive(Debug, Clone)]
struct GroupsHero {
    /// Settings of the run.
    spec: RunSpec,
    /// Cost of an evaluation of the network.
    cost: ForwardCost,
    /// The group of the task; for a table that is not a group, the group with whose irreps it is analysed.
    group: Group,
    /// The irreps of `group`; for the numbers modulo n, irrep k has the waves of frequency k.
    irreps: Irreps,
    /// Sign between a and b in a question: "+".
    symbol: &'static str,
    /// Whether the right answer is the sum or the difference modulo n; `None` for other tables, which have no clocks.
    operation: Option<ModularOperation>,
    /// Whether theory says that neurons specialise in one irrep: the table is that of a group.
    has_theory: bool,
    /// Number of letters of the longest name of an element.
    name_length: usize,
    /// The right answers, `[order, order]`, with a row for each a.
    products: Vec<u32>,
    /// Whether each pair is a training pair, `[order, order]`.
    is_training: Vec<bool>,
    /// Held-out cells that are next to each other in a row of the table: row, first column, number of cells.
    held_out_runs: Vec<[usize; 3]>,
    /// Pairs a·order + b that are shown one after another: held-out pairs, or all pairs if none is held out, without those
    /// that contain the identity element.
    examples: Vec<u32>,
    /// Index in `examples` of the pair that was shown last.
    example: usize,
    /// The elements a and b of the shown question.
    question: [usize; 2],
    /// Time at which the clocks began to turn to the question, in milliseconds.
    question_ms: f64,
    /// All parameter tensors in the order of `RunSpec::parameters`; empty before the first weights.
    tensors: Vec<Vec<f32>>,
    /// For each pair 1 if the network answers it correctly, −1 if not, NaN before it was evaluated, `[order, order]`.
    table: Vec<f32>,
    /// Pair that is evaluated next.
    next_pair: usize,
    /// Difference between two pairs that are evaluated one after another, so that a part of them is spread over the table.
    pair_step: usize,
    /// Number of pairs whose entries in `table` are of earlier weights.
    pending: usize,
    /// The projection of the logits of the shown question onto each irrep, `[irreps][order]`; that of the trivial irrep,
    /// the mean of the logits, is left empty.
    waves: Vec<Vec<f32>>,
    /// The sum of all waves that are switched on, `[order]`: the logits minus their mean if all are on.
    logits: Vec<f32>,
    /// The logits from which the bars move to the present ones, `[order]`.
    logits_before: Vec<f32>,
    /// Time at which this movement began, in milliseconds.
    answered_ms: f64,
    /// Squared norm of the neurons' weights in each irrep.
    powers: Vec<f32>,
    /// Median over neurons of the largest share of one irrep in the squared norm of the first embedding.
    purity: Option<f32>,
    /// The irreps in the picture, from left to right.
    slots: Vec<usize>,
    /// Time of the last exchange of irreps in the picture, in milliseconds.
    exchanged_ms: f64,
    /// For each irrep whether the user has switched its wave off.
    is_off: Vec<bool>,
    /// Answer that the user has pointed out; `None` for the right answer.
    cursor: Option<usize>,
    /// Logit at the upper end of the bars' axis; the lower end is minus half of it.
    bar_limit: f32,
    /// Value at the upper end of the axes of waves, and amplitude of the thickest hand.
    wave_limit: f32,
    /// Progress of the run.
    progress: StageProgress,
}

/// `value` plus the whole number `by`, modulo `order`.
fn shifted(value: usize, by: f32, order: usize) -> usize {
    (value as i64 + by.round().clamp(-1e6, 1e6) as i64).rem_euclid(order.max(1) as i64) as usize
}

/// A logit or margin in words.
fn format_logit(value: f32) -> String {
    if value.is_finite() { format_signed(value, 2) } else { MISSING.into() }
}

/// The cells of a table `[order, order]` that are held out from training, joined if they are next to each other in a row:
/// row, first column, number of cells.
fn join_held_out(is_training: &[bool], order: usize) -> Vec<[usize; 3]> {
    let mut runs: Vec<[usize; 3]> = vec![];
    for (pair, _) in is_training.iter().enumerate().filter(|(_, is_training)| !**is_training) {
        let (row, column) = (pair / order.max(1), pair % order.max(1));
        if let Some([last, first, count]) = runs.last_mut()
            && *last == row
            && *first + *count == column
        {
            *count += 1;
        } else {
            runs.push([row, column, 1]);
        }
    }
    runs
}

impl GroupsHero {
    /// The picture of a run, with its initial weights if the page can compute them at once; `None` if the lab has none for
    /// its network.
    fn new(spec: &RunSpec) -> Option<Self> {
        let (cost, task) = (forward_cost(spec)?, groups_task(spec)?);
        let (group, products) = (task.group()?, task.product_table(spec.run.seed));
        let (order, irreps) = (group.order(), Irreps::compute(&group));
        if products.len() != order * order {
            return None;
        }
        let (training, held_out) = task.split(spec.run.seed);
        let mut is_training = vec![false; products.len()];
        for pair in training {
            if let Some(known) = is_training.get_mut(pair as usize) {
                *known = true;
            }
        }
        let is_trivial = |pair: &u32| {
            let pair = *pair as usize;
            [pair / order, pair % order].contains(&group.identity())
        };
        let mut examples: Vec<u32> = held_out.iter().copied().filter(|pair| !is_trivial(pair)).collect();
        if examples.is_empty() {
            examples = held_out;
        }
        let symbol = match task.operation {
            GroupOperation::Add => "+",
            GroupOperation::Subtract => "−",
            GroupOperation::Quadratic | GroupOperation::Random => "∘",
            _ => "·",
        };
        let lengths = (0..order).map(|element| group.element_name(element).chars().count());
        let mut hero = GroupsHero {
            cost,
            symbol,
            operation: modular_operation(&spec.task),
            has_theory: task.has_theory(),
            name_length: lengths.max().unwrap_or(1),
            held_out_runs: join_held_out(&is_training, order),
            is_training,
            examples,
            example: 0,
            // 19 + 15 modulo 23, and what is as far along in other tables.
            question: [19, 15].map(|element| (order * element / 23).clamp(1, order - 1)),
            question_ms: f64::NEG_INFINITY,
            tensors: vec![],
            table: vec![f32::NAN; products.len()],
            next_pair: 0,
            pair_step: spread_step(products.len()),
            pending: 0,
            products,
            waves: vec![],
            logits: vec![],
            logits_before: vec![],
            answered_ms: f64::NEG_INFINITY,
            powers: vec![0.0; irreps.all().len()],
            purity: None,
            slots: vec![],
            exchanged_ms: f64::NEG_INFINITY,
            is_off: vec![false; irreps.all().len()],
            cursor: None,
            bar_limit: 2.0,
            wave_limit: 0.5,
            progress: StageProgress::default(),
            spec: spec.clone(),
            group,
            irreps,
        };
        hero.arrange(f64::NEG_INFINITY);
        if spec.can_page_initialize() {
            hero.set_weights(StageProgress::default(), &spec.initialize_replicas(1), f64::NEG_INFINITY);
        }
        Some(hero)
    }

    /// Number of elements of the group.
    fn order(&self) -> usize {
        self.group.order()
    }

    /// The right answer to the shown question.
    fn right(&self) -> usize {
        let [a, b] = self.question;
        self.products.get(a * self.order() + b).map_or(0, |right| *right as usize)
    }

    /// The answer with the largest logit; `None` before the first weights.
    fn answer(&self) -> Option<usize> {
        let finite = self.logits.iter().enumerate().filter(|(_, logit)| logit.is_finite());
        finite.reduce(|best, next| if next.1 > best.1 { next } else { best }).map(|(answer, _)| answer)
    }

    /// Name of the answer with the largest logit, or a dash.
    fn answer_name(&self) -> String {
        self.answer().map_or(MISSING, |answer| self.group.element_name(answer)).to_string()
    }

    /// Margin of the shown question: the right logit minus the largest wrong one.
    fn margin(&self) -> f32 {
        margin(&self.logits, self.right())
    }

    /// The answer that is pointed out in waves and bars.
    fn pointed_answer(&self) -> usize {
        self.cursor.unwrap_or_else(|| self.right())
    }

    /// The question with its right answer: "19 + 15 = 11".
    fn describe_question(&self) -> String {
        let [a, b, right] = [self.question[0], self.question[1], self.right()]
            .map(|element| self.group.element_name(element));
        format!("{a} {} {b} = {right}", self.symbol)
    }

    /// Name of an irrep within a sentence: "frequency 3", "representation standard".
    fn irrep_name(&self, irrep: usize) -> String {
        match (self.irreps.frequency(irrep), self.irreps.all().get(irrep)) {
            (Some(frequency), _) => tr!("frequency {frequency}", frequency),
            (None, Some(irrep)) => tr!("representation {name}", name = irrep.name),
            (None, None) => MISSING.into(),
        }
    }

    /// Short name of an irrep for narrow pictures: "freq. 3".
    fn short_irrep_name(&self, irrep: usize) -> String {
        match self.irreps.frequency(irrep) {
            Some(frequency) => tr!("freq. {frequency}", frequency),
            None => self.irrep_name(irrep),
        }
    }

    /// The value of the wave of an irrep at an answer; NaN before the first weights.
    fn wave_value(&self, irrep: usize, answer: usize) -> f32 {
        self.waves.get(irrep).and_then(|wave| wave.get(answer)).copied().unwrap_or(f32::NAN)
    }

    /// Of the training pairs or of the held-out pairs, the number that is answered correctly and the number of all.
    fn count_right(&self, of_training: bool) -> [usize; 2] {
        let (mut right, mut all) = (0, 0);
        for (cell, is_training) in self.table.iter().zip(&self.is_training) {
            if *is_training == of_training {
                all += 1;
                right += usize::from(*cell > 0.0);
            }
        }
        [right, all]
    }

    /// Sentence on how many questions are answered correctly, and on how many questions have not been evaluated with the
    /// latest weights.
    fn describe_count(&self) -> String {
        let [training, held_out] = [true, false].map(|of_training| self.count_right(of_training));
        let right = format_thousands((training[0] + held_out[0]) as u64);
        let all = format_thousands(self.products.len() as u64);
        match self.pending {
            0 => tr!("Of all {all} questions, it answers {right} correctly.", all, right),
            pending => tr!(
                "Of all {all} questions, {right} count as correct; {pending} questions have not been evaluated with the weights of this step yet.",
                all,
                right,
                pending = format_thousands(pending as u64)
            ),
        }
    }

    /// Shows another question; the clocks turn to it from `question_ms` on.
    fn ask(&mut self, question: [usize; 2], question_ms: f64, now_ms: f64) {
        (self.question, self.question_ms, self.cursor) = (question, question_ms, None);
        self.evaluate(now_ms);
    }

    /// The next example: its elements a and b.
    fn next_example(&mut self) -> [usize; 2] {
        let count = self.examples.len().max(1);
        self.example = (self.example + spread_step(count)) % count;
        let pair = self.examples.get(self.example).map_or(0, |pair| *pair as usize);
        [pair / self.order(), pair % self.order()]
    }

    /// Carries out a touch on the table or on the handle of one of the two elements.
    fn touch_question(&mut self, key: &str, touch: Touch, frame: &Frame) -> Option<String> {
        let (n, [a, b]) = (self.order(), self.question);
        let question = match (touch, key) {
            (Touch::Press, "table") => self.next_example(),
            (Touch::Press, "a") => [shifted(a, 1.0, n), b],
            (Touch::Press, _) => [a, shifted(b, 1.0, n)],
            (Touch::Drag(to), _) => {
                let [row, column] = Layout::new(self, frame).cell_at(to, n);
                match key {
                    "a" => [row, b],
                    "b" => [a, column],
                    _ => [row, column],
                }
            }
            (Touch::Nudge { x, y, .. }, "table") => [shifted(a, y, n), shifted(b, x, n)],
            (Touch::Nudge { x, y, .. }, "a") => [shifted(a, x + y, n), b],
            (Touch::Nudge { x, y, .. }, _) => [a, shifted(b, x + y, n)],
        };
        if question == self.question {
            return None;
        }
        let before = self.answer_name();
        // Clocks follow a finger at once.
        let question_ms = if touch == Touch::Press { frame.now_ms } else { f64::NEG_INFINITY };
        self.ask(question, question_ms, frame.now_ms);
        Some(tr!(
            "{question}. The network's answer changed from {before} to {after}; its margin is {margin}.",
            question = self.describe_question(),
            before,
            after = self.answer_name(),
            margin = format_logit(self.margin())
        ))
    }

    /// Carries out a touch on the bars of the answers.
    fn touch_answers(&mut self, touch: Touch, frame: &Frame) -> Option<String> {
        let n = self.order();
        let cursor = match touch {
            Touch::Press => None,
            Touch::Drag(to) => Some(Layout::new(self, frame).answer_at(to, n)),
            Touch::Nudge { x, y, .. } => Some(shifted(self.pointed_answer(), x - y, n)),
        };
        if cursor == self.cursor {
            return None;
        }
        self.cursor = cursor;
        let answer = self.pointed_answer();
        let part = |irrep: &usize| {
            tr!(
                "{name} gives {value}",
                name = self.irrep_name(*irrep),
                value = format_logit(self.wave_value(*irrep, answer))
            )
        };
        let parts: Vec<String> = self.slots.iter().map(part).collect();
        Some(tr!(
            "Answer {name}: all waves together give {logit}; {parts}.",
            name = self.group.element_name(answer),
            logit = format_logit(self.logits.get(answer).copied().unwrap_or(f32::NAN)),
            parts = join_list(&parts)
        ))
    }

    /// Switches the wave of an irrep off or on.
    fn touch_wave(&mut self, key: &str, touch: Touch, now_ms: f64) -> Option<String> {
        let irrep: usize = key.strip_prefix("wave-")?.parse().ok()?;
        if touch != Touch::Press || !self.slots.contains(&irrep) {
            return None;
        }
        let before = format_logit(self.margin());
        let is_off = self.is_off.get_mut(irrep)?;
        *is_off = !*is_off;
        let state = if *is_off { tr!("off") } else { tr!("on") };
        self.add_waves(now_ms);
        Some(tr!(
            "{name} is {state}. The answer is {answer}; its margin changed from {before} to {after}.",
            name = capitalize(&self.irrep_name(irrep)),
            state,
            answer = self.answer_name(),
            before,
            after = format_logit(self.margin())
        ))
    }
}

impl Hero for GroupsHero {
    fn set_weights(&mut self, progress: StageProgress, weights: &[Vec<f32>], now_ms: f64) {
        let parameters = self.spec.architecture().parameters(self.order(), 1);
        let fits = weights.len() == parameters.len()
            && weights.iter().zip(&parameters).all(|(values, parameter)| values.len() == parameter.len());
        if !fits {
            return;
        }
        self.progress = progress;
        self.tensors = weights.to_vec();
        self.pending = self.products.len();
        self.measure_powers();
        self.arrange(now_ms);
        self.evaluate(now_ms);
    }

    fn example_interval_ms(&self) -> f64 {
        EXAMPLE_MS
    }

    fn show_next_example(&mut self, now_ms: f64) {
        let question = self.next_example();
        self.ask(question, now_ms, now_ms);
    }

    fn touch(&mut self, key: &str, touch: Touch, frame: &Frame) -> Option<String> {
        match key {
            "table" | "a" | "b" => self.touch_question(key, touch, frame),
            "answers" => self.touch_answers(touch, frame),
            _ => self.touch_wave(key, touch, frame.now_ms),
        }
    }

    fn scene(&self, frame: &Frame) -> Scene {
        picture::draw(self, frame)
    }

    fn has_diverged(&self) -> bool {
        self.logits.iter().any(|logit| !logit.is_finite())
    }

    fn own_headline(&self) -> String {
        let (n, question) = (self.order(), self.describe_question());
        let has_learned = self.progress.has_succeeded || self.table.iter().all(|cell| *cell > 0.0);
        // No drawn wave is negative at the right answer; a frequency that the network does not use has no wave.
        let smallest = -SMALLEST_WAVE * self.wave_limit;
        let agrees = self.slots.iter().all(|irrep| self.wave_value(*irrep, self.right()) > smallest);
        let is_reduced = self.is_off.contains(&true);
        match (self.progress.has_ended, has_learned, self.operation) {
            (true, true, Some(_)) if !(is_reduced || agrees && self.margin() > 0.0) => {
                tr!("{question}. Tap a clock to switch it off: how does the answer change?", question)
            }
            (true, true, Some(_)) => {
                tr!("{question}: the clocks agree. Tap a clock to switch it off: the peak shrinks.", question)
            }
            (true, true, None) => {
                tr!("{question}. Tap another cell: the peak moves to its answer.", question)
            }
            (true, false, _) => tr!("The network answers some cells wrongly. Tap one of them.").into(),
            (false, _, Some(ModularOperation::Sum)) => {
                tr!("A network learns to add on a clock with {n} hours. Drag a or b.", n)
            }
            (false, _, Some(ModularOperation::Difference)) => {
                tr!("A network learns to subtract on a clock with {n} hours. Drag a or b.", n)
            }
            (false, _, None) => {
                tr!("A network learns a table of {n} rows and {n} columns. Drag a or b.", n)
            }
        }
    }

    fn own_description(&self) -> String {
        let strongest: Vec<String> = self.slots.iter().map(|irrep| self.irrep_name(*irrep)).collect();
        tr!(
            "Step {step}. {question}. The network answers {answer}; its margin is {margin}. {count} The picture shows {strongest}.",
            step = format_thousands(self.progress.step),
            question = self.describe_question(),
            answer = self.answer_name(),
            margin = format_logit(self.margin()),
            count = self.describe_count(),
            strongest = join_list(&strongest)
        )
    }

    fn inner_progress(&self) -> Option<f32> {
        self.purity.filter(|share| self.has_theory && share.is_finite())
    }

    fn inner_progress_name(&self) -> &'static str {
        match self.irreps.frequency(0) {
            Some(_) => tr!("share of one frequency in a neuron"),
            None => tr!("share of a representation per neuron"),
        }
    }
}

#[cfg(test)]
mod tests;
