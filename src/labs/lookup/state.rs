//! What the page knows of a run on prompts: the parameters of the first network, and the prompt that is looked into.

use super::theory::set_by_hand;
use super::weights::scores::Scores;
use super::weights::{PARAMETERS, is_small};
use vivarium_model::models::Model;
use vivarium_model::models::gated_memory::{Filled, PASSED};
use vivarium_model::permalink::{Link, View};
use vivarium_model::protocol::Finding;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::{Batch, Sampler, SparseTokenRegression, Task};
use vivarium_science::tokens::{PositionCodes, Teacher, TokenPrompts, count_strong_pairs};
use vivarium_view::display::LabState;

/// The prompt that is looked into, and what the network makes of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Inspected {
    /// Held-out prompt that it began with, from 1.
    pub example: usize,
    /// Whether names or numbers were changed.
    pub changed: bool,
    /// All of it, as a row of a batch; its labels are those of the prompt as it was drawn.
    pub row: Vec<f32>,
    /// Tokens, `[length, dim]`.
    pub tokens: Vec<f32>,
    /// Named positions, from 0, `[length, names]`.
    pub names: Vec<usize>,
    /// The labels that follow, `[length]`.
    pub truth: Vec<f64>,
    /// What the network answers, `[length]`; not a number as long as it is not known.
    pub answers: Vec<f64>,
    /// Attention of each head at the chosen position, `[heads][length]`; empty without heads.
    pub attention: Vec<Vec<f64>>,
}

/// What is known of a run on prompts.
#[derive(Debug, Clone)]
pub struct LookupState {
    /// The task.
    pub task: SparseTokenRegression,
    /// Its prompts.
    pub prompts: TokenPrompts,
    /// The function of the named tokens.
    pub teacher: Teacher,
    /// The codes of positions, `[length, code_dim]`.
    pub codes: Vec<f32>,
    /// Pairs of positions whose codes break assumption 3 of the paper; none where codes are not random signs.
    pub strong_pairs: Option<usize>,
    /// Sharpness of attention that is set by hand, and the least share of it that a named token gets.
    pub set_by_hand: Option<(f64, f64)>,
    /// The variance of the labels.
    pub variance: f64,
    /// Parameters of the first network, as newly as they are known; none where they are too many for a page.
    pub parameters: Vec<Vec<f32>>,
    /// Steps made when they were read.
    pub step: u64,
    /// What is looked into.
    pub inspected: Inspected,
    spec: RunSpec,
}

impl LookupState {
    /// Of a run on prompts, before its first step.
    pub fn of(spec: &RunSpec, link: &Link) -> Option<Self> {
        let Task::SparseTokenRegression(task) = &spec.task else { return None };
        let (prompts, seed) = (task.drawn(), spec.run.seed);
        let codes = prompts.draw_position_codes(seed);
        let mut state = LookupState {
            task: task.clone(),
            prompts,
            teacher: prompts.teacher(seed),
            strong_pairs: (prompts.codes == PositionCodes::Random)
                .then(|| count_strong_pairs(&codes, prompts.code_dim)),
            codes,
            set_by_hand: set_by_hand(spec),
            variance: prompts.label_variance(seed),
            parameters: if is_small(spec).is_ok() && spec.is_drawn_at_once() {
                spec.initial_of(1)
            } else {
                vec![]
            },
            step: 0,
            inspected: Inspected::default(),
            spec: spec.clone(),
        };
        state.look_into(&link.view);
        Some(state)
    }

    /// The position, from 0, that is looked into.
    pub fn place(&self, view: &View) -> usize {
        let last = self.prompts.length - 1;
        if view.place == 0 { last } else { (view.place - 1).min(last) }
    }

    /// How the network's heads look things up; none without heads or parameters.
    pub fn scores(&self) -> Option<Scores> {
        if self.parameters.is_empty() { None } else { Scores::of(&self.spec, &self.parameters) }
    }

    /// What the slots of a gated memory hold while the prompt passes from its first position on, and how many positions have
    /// passed; none of other networks.
    pub fn memory(&self) -> Option<(Filled, usize)> {
        let Model::GatedMemory(net) = &self.spec.model else { return None };
        let passed = self.parameters.get(PASSED)?.first()?;
        Some((net.on(self.prompts).filled(&self.codes, &self.inspected.row), *passed as usize))
    }

    /// The names of a position, from 0; none beyond the last one.
    ///
    /// # Why
    /// Where a prompt gets shorter, the cells of the longer table ask once more before they are taken away.
    pub fn named(&self, place: usize) -> &[usize] {
        self.inspected.names.chunks_exact(self.prompts.names.max(1)).nth(place).unwrap_or_default()
    }

    /// The numbers of the token at a position; none beyond the last one.
    pub fn token(&self, place: usize) -> &[f32] {
        self.inspected.tokens.chunks_exact(self.prompts.dim.max(1)).nth(place).unwrap_or_default()
    }

    /// The prompt of the view as a row of a batch, and whether a person has changed it.
    fn chosen(&self, view: &View) -> (Vec<f32>, bool) {
        let (prompts, mut batch) = (&self.prompts, Batch::default());
        self.task.held_out(self.spec.run.seed, view.example.max(1) - 1, 1, &mut batch);
        let mut row = batch.x;
        let (tokens, names) = (prompts.length * prompts.dim, prompts.length * prompts.names);
        let mut changed = false;
        let mut change = |at: usize, value: f32| {
            changed |= row[at] != value;
            row[at] = value;
        };
        // What the task cannot have is passed over.
        for (place, value) in view.tokens.iter().filter(|(place, _)| (1..=tokens as u64).contains(place)) {
            change(*place as usize - 1, *value as f32);
        }
        let is_position = |value: f64| value >= 1.0 && value <= prompts.length as f64;
        let all = view
            .named
            .iter()
            .filter(|(place, value)| (1..=names as u64).contains(place) && is_position(*value));
        for (place, value) in all {
            change(tokens + *place as usize - 1, (*value as f32).floor() - 1.0);
        }
        (row, changed)
    }

    /// Has the prompt of the view looked into.
    fn look_into(&mut self, view: &View) {
        let (row, changed) = self.chosen(view);
        let (tokens, names, _) = self.prompts.split_row(&row);
        let attention = self.scores().map(|scores| {
            let mut encoded = vec![];
            self.prompts.append_encoded(&self.codes, &row, &mut encoded);
            scores.attention(&self.prompts, &encoded, self.place(view))
        });
        self.inspected = Inspected {
            example: view.example,
            changed,
            truth: self.prompts.compute_labels(&self.teacher, tokens, names),
            answers: self.answers(&row),
            attention: attention.unwrap_or_default(),
            names: names.iter().map(|name| *name as usize).collect(),
            tokens: tokens.to_vec(),
            row: row.clone(),
        };
    }

    /// What the network answers to a prompt, `[length]`.
    fn answers(&self, row: &[f32]) -> Vec<f64> {
        if self.parameters.is_empty() {
            return vec![f64::NAN; self.prompts.length];
        }
        let weights: Vec<&[f32]> = self.parameters.iter().map(Vec::as_slice).collect();
        let outputs = self.spec.network().evaluate(&weights, self.prompts.encoded_dim(), row, 0);
        outputs.into_iter().map(f64::from).collect()
    }
}

impl LabState for LookupState {
    fn cloned(&self) -> Box<dyn LabState> {
        Box::new(self.clone())
    }

    fn found(&mut self, step: u64, finding: &Finding, link: &Link) {
        if let Some(parameters) = PARAMETERS.parameters(&self.spec, finding) {
            (self.parameters, self.step) = (parameters, step);
            self.look_into(&link.view);
        }
    }

    fn look_anew(&mut self, link: &Link) {
        self.look_into(&link.view);
    }
}
