//! State of the lab for a run: the machine, its run by the ordinary simulator, and the transformer, executed up to the
//! displayed step.

use super::step::CURRENT_STEP;
use vivarium_core::bounds::saturating_product;
use vivarium_model::models::Family;
use vivarium_model::models::family::RunsMachine;
use vivarium_model::permalink::{Link, ViewSettings};
use vivarium_model::protocol::ProbeResult;
use vivarium_model::run::RunSpec;
use vivarium_science::machines::{
    MachineProgram, MachineRun, NoiseAdder, ResidualLayout, StepRecord, StepTrace, Transformer,
    library::{self, MachineExample},
};
use vivarium_view::display::{LabState, WorkProgress};

/// Operations executed at once when a step is displayed; more are executed in slices.
const IMMEDIATE_OPERATIONS: u64 = 2_000_000;

/// Operations counted per normal random number, which takes a logarithm and a cosine.
const OPERATIONS_PER_NORMAL: u64 = 16;

/// State of the lab for the first replica: its machine, the simulated run and the executed transformer.
#[derive(Debug, Clone)]
pub struct MachineState {
    /// The machine, its input, start cell and number of steps.
    pub program: MachineProgram,
    /// Run of the machine by the ordinary simulator, for comparison.
    pub run: MachineRun,
    /// Transformer with this run's noise, executed up to the displayed step or further.
    pub transformer: Transformer,
    /// Displayed step, at most the number of steps in the program.
    pub step: usize,
    /// Values of all blocks in the displayed step (step 0 precedes the machine's first); `None` until it is executed.
    pub trace: Option<StepTrace>,
    /// Machine of the library that runs; `None` if the user wrote the rules.
    pub example: Option<&'static MachineExample>,
    /// Settings of the transformer.
    net: RunsMachine,
    /// Noise not yet added to the weights; `None` once all of it is added.
    noise_adder: Option<NoiseAdder>,
}

impl MachineState {
    /// State of a run before its first step; `None` if the run has no machine.
    pub fn new(spec: &RunSpec) -> Option<Self> {
        let program = spec.task.examples().program()?;
        let Some(Family::Machine(net)) = spec.model.config().family() else { return None };
        let program = MachineProgram::clone(&program);
        let (run, exact) = (program.simulate().ok()?, net.exact(&program)?);
        let noising = (net.sigma != 0.0).then(|| NoiseAdder::new(exact.clone(), net.sigma, spec.run.seed, 0));
        let mut state = MachineState {
            transformer: net.begin(exact, &program)?,
            noise_adder: noising,
            example: library::find_example(&spec.value("m")?.to_string()),
            step: 0,
            trace: None,
            net,
            program,
            run,
        };
        state.continue_work(IMMEDIATE_OPERATIONS);
        Some(state)
    }

    /// Positions of the coordinate groups in a token.
    pub fn layout(&self) -> &ResidualLayout {
        self.transformer.construction().layout()
    }

    /// Block selected in the view, from 1 to bits + 4; 0 for the input of the first block.
    pub fn shown_block(&self, view: &ViewSettings) -> usize {
        view.layer.min(self.transformer.construction().blocks().len())
    }

    /// First step up to the displayed one where the token differs from the simulator's record; `None` if all agree.
    pub fn first_wrong(&self) -> Option<usize> {
        let pairs = self.transformer.tokens().iter().zip(&self.run.records).take(self.step);
        pairs.into_iter().position(|(token, moment)| token != moment).map(|at| at + 1)
    }

    /// Record of the machine decoded from the token of a step; `None` until that step is executed.
    pub fn decode_token(&self, step: usize) -> Option<StepRecord> {
        match step {
            0 => Some(self.transformer.initial_record()),
            made => self.transformer.tokens().get(made - 1).copied(),
        }
    }

    /// Whether the transformer with its noise is executed up to the displayed step.
    pub fn is_executed(&self) -> bool {
        self.noise_adder.is_none()
            && self.trace.as_ref().is_some_and(|trace| trace.step == self.target_step())
    }

    /// Step up to which the transformer is to be executed; step 0 precedes the machine's first.
    fn target_step(&self) -> usize {
        self.step
    }
}

impl LabState for MachineState {
    fn clone_boxed(&self) -> Box<dyn LabState> {
        Box::new(self.clone())
    }

    fn continue_work(&mut self, operations: u64) -> WorkProgress {
        let mut left = operations;
        while let Some(noising) = &mut self.noise_adder {
            if left == 0 {
                return WorkProgress::Continuing;
            }
            if let Some(numbers) = noising.add_to_next_block() {
                left = left.saturating_sub(numbers.saturating_mul(OPERATIONS_PER_NORMAL));
                continue;
            }
            let done = self.noise_adder.take().map(NoiseAdder::into_construction);
            if let Some(begun) = done.and_then(|weights| self.net.begin(weights, &self.program)) {
                self.transformer = begun;
            }
        }
        if self.is_executed() {
            return WorkProgress::Done;
        }
        let (wanted, sizes) = (self.target_step(), self.transformer.construction().sizes());
        // Cost of a step without attention to past tokens; tokens are copied after each block.
        let alone = sizes.estimated_multiplications(1, self.program.input.len(), self.net.sigma != 0.0);
        let alone = alone.saturating_add(saturating_product([4, sizes.width(), sizes.blocks()]));
        while self.transformer.steps() < wanted {
            if left == 0 {
                return WorkProgress::Continuing;
            }
            let past = saturating_product([sizes.score_multiplications(), self.transformer.steps() as u64]);
            left = left.saturating_sub(alone.saturating_add(past));
            if self.transformer.advance().is_none() {
                return WorkProgress::Done;
            }
        }
        self.trace = match self.transformer.last_trace().filter(|trace| trace.step == wanted) {
            Some(last) => Some(last.clone()),
            None => self.transformer.recompute_step(wanted),
        };
        WorkProgress::Updated
    }

    fn is_busy(&self) -> bool {
        !self.is_executed()
    }

    fn add_finding(&mut self, step: u64, finding: &ProbeResult, _link: &Link) {
        if finding.probe != CURRENT_STEP.id() {
            return;
        }
        self.step = usize::try_from(step).unwrap_or(usize::MAX).min(self.program.steps);
        self.continue_work(IMMEDIATE_OPERATIONS);
    }
}
