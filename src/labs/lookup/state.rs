//! State of the lab for a run on prompts: the parameters of the first network, and the prompt that is inspected.

use super::theory::hand_set_attention;
use super::weights::scores::QueryKeyMatrices;
use super::weights::{PARAMETERS, check_is_small};
use vivarium_model::models::Model;
use vivarium_model::models::gated_memory::{Filled, PASSED};
use vivarium_model::permalink::{Link, ViewSettings};
use vivarium_model::protocol::ProbeResult;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::{Batch, Sampler, SparseTokenRegression, Task};
use vivarium_science::tokens::{PositionCodes, Teacher, TokenPrompts, count_strong_pairs};
use vivarium_view::display::LabState;

/// Prompt shown in the panel, with the first network's outputs and attention for it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct InspectedPrompt {
    /// Number, from 1, of the held-out prompt from which the inspected prompt started.
    pub example: usize,
    /// Whether the user has changed a token entry or a name of the inspected prompt.
    pub changed: bool,
    /// Inspected prompt as a row of a batch, with the user's changes to tokens and names; its labels are still those
    /// before the changes.
    pub row: Vec<f32>,
    /// Tokens at all positions of the inspected prompt, with the user's changes, `[length, dim]`.
    pub tokens: Vec<f32>,
    /// Positions, from 0, that each position of the prompt names, `[length, names]`.
    pub names: Vec<usize>,
    /// Labels at all positions of the inspected prompt, recomputed after the user's changes, `[length]`.
    pub labels: Vec<f64>,
    /// Outputs of the first network at all positions of the inspected prompt, `[length]`; NaN until the network's
    /// parameters are known.
    pub outputs: Vec<f64>,
    /// Attention weights of each head of the first network for the selected query position, `[heads][length]`; empty if
    /// the network has no heads.
    pub attention: Vec<Vec<f64>>,
}

/// State of the lab for one run on prompts: its task, its latest parameters and the inspected prompt.
#[derive(Debug, Clone)]
pub struct LookupState {
    /// Settings of the sparse token regression task on which the run trains.
    pub task: SparseTokenRegression,
    /// Number of positions, entries per token, names per position and other settings of the task's prompts.
    pub prompts: TokenPrompts,
    /// Target function that computes the label of a position from the tokens that the position names.
    pub teacher: Teacher,
    /// Positional encodings ("codes") of all positions of a prompt, the same for all prompts of the run, `[length,
    /// code_dim]`.
    pub codes: Vec<f32>,
    /// Number of pairs of positions whose codes, before they are scaled, have a scalar product above 1/2 in absolute
    /// value, against assumption 3 of Mousavi-Hosseini et al. 2025; `None` unless codes are random signs.
    pub correlated_code_pairs: Option<usize>,
    /// For attention weights that are set by hand at the start of the run: their sharpness α, and the smallest
    /// attention weight that a head then gives to its named token; `None` for other runs, and if computing it takes too
    /// long.
    pub hand_set_attention: Option<(f64, f64)>,
    /// Variance of the task's labels; a squared error divided by it is the relative error.
    pub label_variance: f64,
    /// Latest known parameters of the first network, one list per parameter tensor in the model's order; empty if they
    /// are unknown or too large for the page.
    pub parameters: Vec<Vec<f32>>,
    /// Training step after which the first network had these `parameters`; 0 before the first step.
    pub step: u64,
    /// Prompt shown in the panel, with the first network's outputs and attention for it.
    pub inspected: InspectedPrompt,
    /// Settings of the run that the lab displays: task, model, optimiser and seed.
    spec: RunSpec,
}

impl LookupState {
    /// State of the lab before the run's first step, with the prompt that the view of `link` selects; `None` if the
    /// task has no prompts.
    pub fn new(spec: &RunSpec, link: &Link) -> Option<Self> {
        let Task::SparseTokenRegression(task) = &spec.task else { return None };
        let (prompts, seed) = (task.prompt_spec(), spec.run.seed);
        let codes = prompts.draw_position_codes(seed);
        let mut state = LookupState {
            task: task.clone(),
            prompts,
            teacher: prompts.teacher(seed),
            correlated_code_pairs: (prompts.codes == PositionCodes::Random)
                .then(|| count_strong_pairs(&codes, prompts.code_dim)),
            codes,
            hand_set_attention: hand_set_attention(spec),
            label_variance: prompts.label_variance(seed),
            parameters: if check_is_small(spec).is_ok() && spec.can_page_initialize() {
                spec.initialize_replicas(1)
            } else {
                vec![]
            },
            step: 0,
            inspected: InspectedPrompt::default(),
            spec: spec.clone(),
        };
        state.update_inspected(&link.view);
        Some(state)
    }

    /// Position of the prompt that is selected in the view, from 0; the last one if none is selected.
    pub fn shown_position(&self, view: &ViewSettings) -> usize {
        let last = self.prompts.length - 1;
        if view.place == 0 { last } else { (view.place - 1).min(last) }
    }

    /// Query-key matrices W_QK of the first network, one per head; `None` if it has no heads or its parameters are
    /// unknown.
    pub fn scores(&self) -> Option<QueryKeyMatrices> {
        if self.parameters.is_empty() { None } else { QueryKeyMatrices::new(&self.spec, &self.parameters) }
    }

    /// For a gated-memory network: contents of its slots after each position of the inspected prompt, and the number of
    /// positions that it reads; `None` for other networks.
    pub fn read_memory(&self) -> Option<(Filled, usize)> {
        let Model::GatedMemory(net) = &self.spec.model else { return None };
        let passed = self.parameters.get(PASSED)?.first()?;
        Some((net.on(self.prompts).filled(&self.codes, &self.inspected.row), *passed as usize))
    }

    /// Positions, from 0, that `position` (from 0) of the inspected prompt names; empty beyond the last position.
    ///
    /// # Why
    ///
    /// When the prompt gets shorter, the cells of the old table still ask for their names before they are removed.
    pub fn names_at(&self, position: usize) -> &[usize] {
        self.inspected.names.chunks_exact(self.prompts.names.max(1)).nth(position).unwrap_or_default()
    }

    /// Entries of the inspected prompt's token at `position`, from 0; empty beyond the last position.
    pub fn token_at(&self, position: usize) -> &[f32] {
        self.inspected.tokens.chunks_exact(self.prompts.dim.max(1)).nth(position).unwrap_or_default()
    }

    /// Prompt selected in the view as a row of a batch, with the user's changes, and whether these changes alter it.
    fn build_prompt(&self, view: &ViewSettings) -> (Vec<f32>, bool) {
        let (prompts, mut batch) = (&self.prompts, Batch::default());
        self.task.append_held_out(self.spec.run.seed, view.example.max(1) - 1, 1, &mut batch);
        let mut row = batch.x;
        let (tokens, names) = (prompts.length * prompts.dim, prompts.length * prompts.names);
        let mut changed = false;
        let mut change = |at: usize, value: f32| {
            changed |= row[at] != value;
            row[at] = value;
        };
        // Values that the task does not allow are ignored.
        for (place, value) in
            view.prompt.tokens.iter().filter(|(place, _)| (1..=tokens as u64).contains(place))
        {
            change(*place as usize - 1, *value as f32);
        }
        let is_position = |value: f64| value >= 1.0 && value <= prompts.length as f64;
        let all = view
            .prompt
            .named
            .iter()
            .filter(|(place, value)| (1..=names as u64).contains(place) && is_position(*value));
        for (place, value) in all {
            change(tokens + *place as usize - 1, (*value as f32).floor() - 1.0);
        }
        (row, changed)
    }

    /// Evaluates the prompt selected in the view and stores the result in `inspected`.
    fn update_inspected(&mut self, view: &ViewSettings) {
        let (row, changed) = self.build_prompt(view);
        let (tokens, names, _) = self.prompts.split_row(&row);
        let attention = self.scores().map(|scores| {
            let mut encoded = vec![];
            self.prompts.append_encoded(&self.codes, &row, &mut encoded);
            scores.attention(&self.prompts, &encoded, self.shown_position(view))
        });
        self.inspected = InspectedPrompt {
            example: view.example,
            changed,
            labels: self.prompts.compute_labels(&self.teacher, tokens, names),
            outputs: self.evaluate_outputs(&row),
            attention: attention.unwrap_or_default(),
            names: names.iter().map(|name| *name as usize).collect(),
            tokens: tokens.to_vec(),
            row: row.clone(),
        };
    }

    /// Outputs of the network at all positions of a prompt given as a row of a batch, `[length]`; NaN without
    /// parameters.
    fn evaluate_outputs(&self, row: &[f32]) -> Vec<f64> {
        if self.parameters.is_empty() {
            return vec![f64::NAN; self.prompts.length];
        }
        let weights: Vec<&[f32]> = self.parameters.iter().map(Vec::as_slice).collect();
        let outputs = self.spec.network().evaluate(&weights, self.prompts.encoded_dim(), row, 0);
        outputs.into_iter().map(f64::from).collect()
    }
}

impl LabState for LookupState {
    fn clone_boxed(&self) -> Box<dyn LabState> {
        Box::new(self.clone())
    }

    fn add_finding(&mut self, step: u64, finding: &ProbeResult, link: &Link) {
        if let Some(parameters) = PARAMETERS.parameters(&self.spec, finding) {
            (self.parameters, self.step) = (parameters, step);
            self.update_inspected(&link.view);
        }
    }

    fn recompute_view(&mut self, link: &Link) {
        self.update_inspected(&link.view);
    }
}
