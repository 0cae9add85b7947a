//! The picture of a run on Markov chains: sixteen symbols of one chain, the attention from one of them to earlier ones, and
//! the probabilities of the next symbol.
//!
//! # Why
//! The sequences are the beginnings of the run's held-out sequences: the network predicts after every symbol, so that a
//! short sequence shows what it does on a long one. A chain that the user changes draws its sequence from the same random
//! words, so that most symbols stay.

mod picture;
mod trace;

use super::own_network;
use picture::Layout;
use trace::{Attended, Trace};
use vivarium_core::rng::{Purpose, RandomStream};
use vivarium_model::models::Model;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::{MarkovChain, Task};
use vivarium_plot::analysis::chains::{head_names, join_symbols, symbol_letter};
use vivarium_plot::scene::Scene;
use vivarium_science::markov::{Chain, Strategy};
use vivarium_view::display::hero::{Frame, Hero, StageProgress, Touch};
use vivarium_view::display::words::{MISSING, format_thousands, join_list};

/// Time in which an example is shown while nobody touches the picture, in milliseconds.
const EXAMPLE_MS: f64 = 3_000.0;

/// Number of symbols in the picture, if contexts of the run have as many.
const MAX_SYMBOLS: usize = 16;
/// Heads can be switched off in networks with at most this many heads in all layers.
const MAX_SWITCHES: usize = 10;
/// Number of held-out sequences that are shown one after the other.
const EXAMPLES: usize = 64;
/// Largest number of held-out sequences that are left out, one after the other, because the context at their end has
/// occurred too seldom or all their symbols are equal.
const MAX_SKIPPED: usize = 16;
/// The context at the end of a shown sequence has occurred at least this many times before.
const MIN_FOLLOWERS: usize = 2;
/// Smallest and largest probability that the user can give to a symbol in the chain.
const CHAIN_RANGE: (f64, f64) = (0.02, 0.98);
/// Change of a probability of the chain by an arrow key, and by an arrow key with Shift.
const CHAIN_STEPS: (f32, f32) = (0.05, 0.01);

/// Whether the lab has a picture of the run.
pub fn has_hero(spec: &RunSpec) -> bool {
    let Task::MarkovChain(_) = &spec.task else { return false };
    let can_be_traced = match &spec.model {
        Model::AttentionOnly(_) | Model::MinimalMarkov(_) => true,
        Model::OwnNetwork(_) => own_network::check_traceable(spec).is_ok(),
        _ => false,
    };
    can_be_traced && crate::parameters::check_is_small(spec).is_ok()
}

/// The picture of a run; `None` if the lab has none for its network.
pub fn new_hero(spec: &RunSpec) -> Option<Box<dyn Hero>> {
    Some(Box::new(MarkovHero::new(spec)?))
}

/// Heights of the bars, which move to the present probabilities.
#[derive(Debug, Clone, PartialEq)]
struct Bars {
    /// Probabilities from which the bars move, one per symbol; empty if there were none.
    from: Vec<f32>,
    /// Time at which the movement began, in milliseconds.
    since_ms: f64,
}

/// State of the picture of one run on Markov chains.
#[derive(Debug, Clone)]
struct MarkovHero {
    /// Settings of the run.
    spec: RunSpec,
    /// Settings of its task.
    task: MarkovChain,
    /// Number of attention heads in each layer; empty for the minimal model, and for a network that has none.
    heads: Vec<usize>,
    /// Whether the initial weights are constructed, so that the network predicts without training.
    is_constructed: bool,
    /// The held-out sequence that was shown first, on which progress inside the network is measured.
    reference: Vec<u8>,
    /// Index of the held-out sequence that was shown last.
    example: usize,
    /// Random words from which the shown sequence is drawn.
    words: Vec<u32>,
    /// Chain from which the shown sequence is drawn; the user can change it.
    chain: Chain,
    /// Symbols of the shown sequence, from 0; the user can change them.
    symbols: Vec<u8>,
    /// Position of the symbol after which the next symbol is predicted, from 0.
    pointed: usize,
    /// Heads that are switched off, counted through all layers from 0.
    off: Vec<usize>,
    /// Parameter tensors of the first replica; empty before the first.
    weights: Vec<Vec<f32>>,
    /// Values of the network on the shown sequence; `None` before the first weights.
    trace: Option<Trace>,
    /// Movement of the bars.
    bars: Bars,
    /// Time at which the votes of the attended symbols began to move to the bars, in milliseconds.
    votes_ms: f64,
    /// Attention of the first layer to the preceding symbol in the reference sequence, from 0 to 1, if it is known.
    previous_attention: Option<f32>,
    /// Progress of the run.
    progress: StageProgress,
}

/// A probability as a whole percentage: "78 %"; a dash if it is not a number.
fn percent(probability: f32) -> String {
    if probability.is_finite() { format!("{:.0} %", 100.0 * probability) } else { MISSING.into() }
}

impl MarkovHero {
    /// The picture of a run before its first step; `None` if the lab has none for its network.
    fn new(spec: &RunSpec) -> Option<Self> {
        let Task::MarkovChain(task) = &spec.task else { return None };
        if !has_hero(spec) {
            return None;
        }
        let config = spec.model.config();
        let mut hero = MarkovHero {
            spec: spec.clone(),
            task: task.clone(),
            heads: own_network::attention_layers(spec),
            is_constructed: config.constructed(&spec.task, spec.run.seed).is_some(),
            reference: vec![],
            example: 0,
            words: vec![],
            chain: task.held_out_chain(task.test, spec.run.seed, 0),
            symbols: vec![],
            pointed: 0,
            off: vec![],
            weights: vec![],
            trace: None,
            bars: Bars { from: vec![], since_ms: f64::NEG_INFINITY },
            votes_ms: f64::NEG_INFINITY,
            previous_attention: None,
            progress: StageProgress::default(),
        };
        hero.choose_example(0);
        hero.reference = hero.symbols.clone();
        if spec.can_page_initialize() {
            hero.set_weights(StageProgress::default(), &spec.initialize_replicas(1), f64::NEG_INFINITY);
        }
        Some(hero)
    }

    /// Whether the network is one of the visitor's own.
    fn is_own(&self) -> bool {
        matches!(self.spec.model, Model::OwnNetwork(_))
    }

    /// Number of heads in all layers that can be switched off.
    fn switch_count(&self) -> usize {
        let count = self.heads.iter().sum();
        if count <= MAX_SWITCHES { count } else { 0 }
    }

    /// Draws the beginning of held-out sequence number `example`, from 0, and points at its last symbol.
    fn draw_example(&mut self, example: usize) {
        let (seed, sequences) = (self.spec.run.seed, self.task.sequence_spec());
        let mut words = vec![0; sequences.words_per_sequence()];
        let first = (example * words.len()) as u32;
        RandomStream::new(seed, Purpose::HeldOut, 0).fill_u32(self.task.test as u64, first, &mut words);
        // The first word draws as many symbols as a context has.
        words.truncate((self.task.length.min(MAX_SYMBOLS) + 2).saturating_sub(self.task.order));
        self.chain = self.task.held_out_chain(self.task.test, seed, example);
        self.symbols = self.chain.draw_sequence(&words);
        self.pointed = self.symbols.len().saturating_sub(1);
        (self.example, self.words) = (example, words);
    }

    /// Draws the first sequence from number `first` on that has two different symbols and whose last context has occurred
    /// often enough; if there is none, the first with two different symbols, or the first of all.
    fn choose_example(&mut self, first: usize) {
        let mut best = (0, first % EXAMPLES);
        for example in (first..first + MAX_SKIPPED).map(|example| example % EXAMPLES) {
            self.draw_example(example);
            let is_varied = self.symbols.windows(2).any(|pair| pair[0] != pair[1]);
            let score = 2 * usize::from(is_varied) + usize::from(self.followers().len() >= MIN_FOLLOWERS);
            if score > best.0 {
                best = (score, example);
            }
            if score == 3 {
                return;
            }
        }
        self.draw_example(best.1);
    }

    /// Number of heads in a layer, counted from 0, that are on: their mean is drawn.
    fn head_count_on(&self, layer: usize) -> usize {
        let first: usize = self.heads.iter().take(layer).sum();
        let count = self.heads.get(layer).copied().unwrap_or(0);
        (first..first + count).filter(|head| !self.off.contains(head)).count()
    }

    /// Number that [`MarkovHero::estimate`] adds to each count, as text.
    fn format_pseudocount(&self) -> String {
        self.task.sequence_spec().pseudocount().to_string()
    }

    /// The symbols up to the one that is pointed at.
    fn seen(&self) -> &[u8] {
        self.symbols.get(..=self.pointed).unwrap_or_default()
    }

    /// The context on which the next symbol depends: the last symbols, as many as the order minus 1; `None` if there are
    /// fewer.
    fn context(&self) -> Option<&[u8]> {
        let seen = self.seen();
        seen.get(seen.len().checked_sub(self.task.order.saturating_sub(1))?..)
    }

    /// Letters of the context: "b".
    fn context_letters(&self) -> String {
        join_symbols(self.context().unwrap_or(self.seen()))
    }

    /// Positions, up to the one that is pointed at, of symbols that have followed the present context.
    fn followers(&self) -> Vec<usize> {
        let (Some(context), seen) = (self.context(), self.seen()) else { return vec![] };
        let size = context.len();
        (size..seen.len()).filter(|at| seen.get(at - size..*at) == Some(context)).collect()
    }

    /// How often each symbol has followed the present context.
    fn counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.task.symbols];
        for at in self.followers() {
            if let Some(count) = self.symbols.get(at).and_then(|symbol| counts.get_mut(usize::from(*symbol)))
            {
                *count += 1;
            }
        }
        counts
    }

    /// Probability of each next symbol in the chain; `None` if there are too few symbols before.
    fn truth(&self) -> Option<Vec<f32>> {
        let row = self.chain.context_index(self.context()?);
        Some(self.chain.next_symbol_distribution(row).into_iter().map(|p| p as f32).collect())
    }

    /// Probability of each next symbol estimated from the counts and the distribution of the chains' rows; `None` if there
    /// are too few symbols before.
    fn estimate(&self) -> Option<Vec<f32>> {
        self.context()?;
        let mut out = vec![0.0; self.task.symbols];
        let pseudocount = self.task.sequence_spec().pseudocount();
        let strategy = Strategy::from_order(self.task.order)?;
        strategy.predict(self.task.symbols, pseudocount, self.seen(), &mut out);
        Some(out.into_iter().map(|p| p as f32).collect())
    }

    /// The network's probability of each next symbol; empty before the first weights.
    fn probabilities(&self) -> &[f32] {
        let (k, at) = (self.task.symbols, self.pointed);
        let row = self.trace.as_ref().and_then(|trace| trace.probabilities.get(at * k..(at + 1) * k));
        row.unwrap_or_default()
    }

    /// The network's probability of one next symbol; NaN before the first weights.
    fn probability(&self, symbol: usize) -> f32 {
        self.probabilities().get(symbol).copied().unwrap_or(f32::NAN)
    }

    /// The symbol to which the network gives the largest probability; 0 if there is none.
    fn likeliest(&self) -> usize {
        let p = self.probabilities();
        let known = (0..p.len()).filter(|symbol| p[*symbol].is_finite());
        known.max_by(|a, b| p[*a].total_cmp(&p[*b])).unwrap_or(0)
    }

    /// Keys that the last layer attends to from the symbol that is pointed at.
    fn attended(&self) -> Attended {
        self.trace.as_ref().map(|trace| self.attended_in(&trace.last, self.pointed)).unwrap_or_default()
    }

    /// Keys that the first of several layers attends to from the symbol at position `query`.
    fn attended_before(&self, query: usize) -> Attended {
        self.trace.as_ref().map(|trace| self.attended_in(&trace.first, query)).unwrap_or_default()
    }

    /// Keys of the query at a position in a matrix of attention weights, `[symbols, symbols]`.
    fn attended_in(&self, weights: &[f32], query: usize) -> Attended {
        let from = query * self.symbols.len();
        weights.get(from..=from + query).map(Attended::new).unwrap_or_default()
    }

    /// Computes what the network makes of the sequence, and moves the bars there.
    fn evaluate(&mut self, now_ms: f64) {
        self.bars = Bars { from: self.probabilities().to_vec(), since_ms: now_ms };
        self.trace = Trace::new(&self.spec, &self.weights, &self.symbols, &self.off);
    }

    /// Points at the symbol at a position, and sends the votes again.
    fn point_at(&mut self, position: usize, now_ms: f64) {
        self.bars = Bars { from: self.probabilities().to_vec(), since_ms: now_ms };
        (self.pointed, self.votes_ms) = (position, now_ms);
    }

    /// Gives the symbol that is pointed at another value; `None` if it has this value or there is no such symbol.
    fn set_symbol(&mut self, symbol: usize, now_ms: f64) -> Option<String> {
        let place = self.symbols.get_mut(self.pointed)?;
        if symbol >= self.task.symbols || usize::from(*place) == symbol {
            return None;
        }
        *place = symbol as u8;
        self.evaluate(now_ms);
        self.votes_ms = now_ms;
        let (number, letter) = (self.pointed + 1, symbol_letter(symbol));
        Some(tr!(
            "Symbol {number} is now {letter}. {answer}",
            number,
            letter,
            answer = self.describe_answer()
        ))
    }

    /// Switches a head, counted through all layers from 0, off or on.
    fn toggle_head(&mut self, head: usize, now_ms: f64) -> Option<String> {
        let names = head_names(&self.heads);
        let name = names.get(head).filter(|_| head < self.switch_count())?;
        let symbol = self.likeliest();
        let before = self.probability(symbol);
        match self.off.iter().position(|other| *other == head) {
            Some(at) => drop(self.off.remove(at)),
            None => self.off.push(head),
        }
        self.evaluate(now_ms);
        let change = self.describe_change(symbol, before);
        Some(match self.off.contains(&head) {
            true => tr!("Head {name} is off. {change}", name, change),
            false => tr!("Head {name} is on. {change}", name, change),
        })
    }

    /// Gives `symbol` this probability after the present context, keeps the proportions of the others, and draws the sequence
    /// anew; points at the last symbol of the same context. `None` if nothing changes, or there is no such context.
    fn change_chain(&mut self, symbol: usize, probability: f32, now_ms: f64) -> Option<String> {
        let (k, context) = (self.task.symbols, self.context()?.to_vec());
        let row = self.chain.context_index(&context);
        let all = 0..self.chain.context_count();
        let mut rows: Vec<f64> = all.flat_map(|row| self.chain.next_symbol_distribution(row)).collect();
        let entries = rows.get_mut(row * k..(row + 1) * k)?;
        let old = *entries.get(symbol)?;
        let new = f64::from(probability).clamp(CHAIN_RANGE.0, CHAIN_RANGE.1);
        if !new.is_finite() || (new - old).abs() < 1e-4 {
            return None;
        }
        for (at, entry) in entries.iter_mut().enumerate() {
            *entry = match old < 1.0 - 1e-6 {
                _ if at == symbol => new,
                true => *entry * (1.0 - new) / (1.0 - old),
                false => (1.0 - new) / (k - 1) as f64,
            };
        }
        let chain = Chain::new(k, self.chain.order, &rows).ok()?;
        let symbols = chain.draw_sequence(&self.words);
        let end = (context.len()..=symbols.len())
            .rev()
            .find(|end| symbols.get(end - context.len()..*end) == Some(&context[..]))?;
        let before = self.probability(symbol);
        (self.chain, self.symbols) = (chain, symbols);
        let bars = self.probabilities().to_vec();
        self.pointed = end.saturating_sub(1);
        self.evaluate(now_ms);
        self.bars.from = bars;
        let (letter, after, chain) = (symbol_letter(symbol), join_symbols(&context), percent(new as f32));
        Some(tr!(
            "The chain now gives {letter} after {after} with {chain}, and the symbols are drawn anew. {change}",
            letter,
            after,
            chain,
            change = self.describe_change(symbol, before)
        ))
    }

    /// Carries out a touch on the symbol at a position: a press and the arrows to the sides choose, up and down change it.
    fn touch_symbol(&mut self, position: usize, touch: Touch, now_ms: f64) -> Option<String> {
        let last = self.symbols.len().checked_sub(1)?;
        match touch {
            Touch::Press if position <= last => self.point_at(position, now_ms),
            Touch::Nudge { x, .. } if x != 0.0 => {
                let to = if x < 0.0 { self.pointed.saturating_sub(1) } else { (self.pointed + 1).min(last) };
                if to == self.pointed {
                    return None;
                }
                self.point_at(to, now_ms);
            }
            Touch::Nudge { y, .. } if y != 0.0 && position <= last => {
                self.point_at(position, now_ms);
                let (k, now) = (self.task.symbols, usize::from(*self.symbols.get(position)?));
                return self.set_symbol((now + if y < 0.0 { 1 } else { k - 1 }) % k, now_ms);
            }
            _ => return None,
        }
        let (number, letter) = (self.pointed + 1, self.letter_at(self.pointed));
        Some(tr!("Symbol {number} is {letter}. {answer}", number, letter, answer = self.describe_answer()))
    }

    /// Letter of the symbol at a position.
    fn letter_at(&self, position: usize) -> String {
        self.symbols.get(position).map_or(MISSING.into(), |symbol| symbol_letter(usize::from(*symbol)))
    }

    /// A sentence on what has followed the present context, and on the probabilities of the network and the chain.
    fn describe_answer(&self) -> String {
        let (symbol, after) = (self.likeliest(), self.context_letters());
        let counts = self.counts();
        let (count, all) = (counts.get(symbol).copied().unwrap_or(0), counts.iter().sum::<usize>());
        let network = percent(self.probability(symbol));
        let truth = self.truth().and_then(|truth| truth.get(symbol).copied());
        let chain = truth.map_or(MISSING.into(), percent);
        let letter = symbol_letter(symbol);
        match all {
            0 => tr!(
                "{after} has not occurred before; the network gives {letter} {network}, the chain {chain}.",
                after,
                letter,
                network,
                chain
            ),
            _ => tr!(
                "{after} was followed by {letter} in {count} of {all} cases; the network gives {letter} {network}, the chain {chain}.",
                after,
                letter,
                count,
                all,
                network,
                chain
            ),
        }
    }

    /// A sentence on the change of the network's probability of a symbol from `before` to now.
    fn describe_change(&self, symbol: usize, before: f32) -> String {
        let [before, after] = [before, self.probability(symbol)].map(percent);
        let (letter, context) = (symbol_letter(symbol), self.context_letters());
        tr!(
            "The network's probability of {letter} after {context} changed from {before} to {after}.",
            letter,
            context,
            before,
            after
        )
    }
}

impl Hero for MarkovHero {
    fn set_weights(&mut self, progress: StageProgress, weights: &[Vec<f32>], now_ms: f64) {
        self.progress = progress;
        self.weights = weights.to_vec();
        self.evaluate(now_ms);
        self.previous_attention = trace::previous_attention(&self.spec, &self.weights, &self.reference);
    }

    fn example_interval_ms(&self) -> f64 {
        EXAMPLE_MS
    }

    fn show_next_example(&mut self, now_ms: f64) {
        let before = self.probabilities().to_vec();
        self.choose_example(self.example + 1);
        self.evaluate(now_ms);
        self.bars.from = before;
        self.votes_ms = now_ms;
    }

    fn touch(&mut self, key: &str, touch: Touch, frame: &Frame) -> Option<String> {
        let (kind, number) = key.split_once('-')?;
        let number: usize = number.parse().ok()?;
        match (kind, touch) {
            ("symbol", _) => self.touch_symbol(number, touch, frame.now_ms),
            ("set", Touch::Press) => self.set_symbol(number, frame.now_ms),
            ("head", Touch::Press) => self.toggle_head(number, frame.now_ms),
            ("chain", Touch::Drag(point)) => {
                let probability = Layout::new(self, frame).probability_at(point.y);
                self.change_chain(number, probability, frame.now_ms)
            }
            ("chain", Touch::Nudge { y, fine, .. }) => {
                let step = if fine { CHAIN_STEPS.1 } else { CHAIN_STEPS.0 };
                let probability = self.truth()?.get(number)? - y * step;
                self.change_chain(number, probability, frame.now_ms)
            }
            _ => None,
        }
    }

    fn scene(&self, frame: &Frame) -> Scene {
        picture::draw(self, frame)
    }

    fn has_diverged(&self) -> bool {
        self.probabilities().iter().any(|probability| !probability.is_finite())
    }

    fn own_headline(&self) -> String {
        let letter = symbol_letter(1);
        // Such a pair can be an induction head: the first head attends to the preceding symbol.
        let is_pair = self.heads == [1, 1] && self.previous_attention.is_some_and(|share| share > 0.5);
        let has_succeeded = self.progress.has_ended && self.progress.has_succeeded;
        let text = match (has_succeeded, self.is_constructed, is_pair) {
            (true, _, true) | (_, true, true) => {
                tr!("Switch head 1.1 off: the bars forget what followed what. Drag a line: they follow.")
            }
            (true, ..) => {
                return tr!(
                    "Drag the line at {letter}: the symbols are drawn anew, and the network's bar follows.",
                    letter
                );
            }
            (_, true, _) => tr!("The first weights are written by hand. Press a symbol, or drag a line."),
            _ if self.progress.has_ended => {
                tr!("The network has not learned what follows what. Press a symbol, or drag a line.")
            }
            _ => tr!("Every sequence has its own rule. The network guesses what comes next: press a symbol."),
        };
        text.into()
    }

    fn own_description(&self) -> String {
        let (step, sequence) = (format_thousands(self.progress.step), join_symbols(&self.symbols));
        let (number, letter) = (self.pointed + 1, self.letter_at(self.pointed));
        let key = |(at, weight): &(usize, f32)| {
            let (number, letter) = (at + 1, self.letter_at(*at));
            tr!("{weight} on symbol {number} ({letter})", weight = percent(*weight), number, letter)
        };
        let keys: Vec<String> = self.attended().keys.iter().map(key).collect();
        let (keys, last) = (join_list(&keys), self.heads.len().saturating_sub(1));
        let attention = match self.head_count_on(last) {
            _ if keys.is_empty() => String::new(),
            _ if self.heads.is_empty() => tr!("Weights of the votes: {keys}.", keys),
            count @ 2.. => tr!("Attention of the last layer, mean of {count} heads: {keys}.", count, keys),
            _ => tr!("Attention of the last layer: {keys}.", keys),
        };
        let text = tr!(
            "Step {step}. The sequence is {sequence}. Symbol {number}, {letter}, is chosen. {answer} {attention}",
            step,
            sequence,
            number,
            letter,
            answer = self.describe_answer(),
            attention
        );
        text.trim_end().into()
    }

    fn inner_progress(&self) -> Option<f32> {
        self.previous_attention
    }

    fn inner_progress_name(&self) -> &'static str {
        match matches!(self.spec.model, Model::MinimalMarkov(_)) {
            true => tr!("share of the vector v at distance 1"),
            false => tr!("attention to the preceding symbol"),
        }
    }
}

#[cfg(test)]
mod tests;
