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

/// Maximum arithmetic operations executed at once when the user displays a machine step; if executing up to this step
/// needs more, the rest is executed in slices.
const IMMEDIATE_OPERATIONS: u64 = 2_000_000;

/// Number of arithmetic operations for which drawing one normal random number (noise on a weight) counts; it takes a
/// logarithm and a cosine.
const OPERATIONS_PER_NORMAL: u64 = 16;

/// State of the lab for the first replica: its Turing machine, the simulated run, and the transformer that executes the
/// machine.
#[derive(Debug, Clone)]
pub struct MachineState {
    /// Turing machine with its input, start cell and number of steps.
    pub program: MachineProgram,
    /// Run of the machine by an ordinary simulator, with which the transformer's tokens are compared.
    pub run: MachineRun,
    /// Transformer with this run's noise in its weights, executed up to the displayed step or further; without noise
    /// until `noise_adder` is finished.
    pub transformer: Transformer,
    /// Displayed machine step, from 0 (before the machine's first step) to the program's number of steps.
    pub step: usize,
    /// Values after every block of the transformer in the displayed step; `None` until this step is executed.
    pub trace: Option<StepTrace>,
    /// Library entry of the machine that runs; `None` if the user wrote the rules.
    pub example: Option<&'static MachineExample>,
    /// Settings of the transformer that executes the machine: noise on weights, rounding and kind of attention.
    net: RunsMachine,
    /// Running addition of random noise to the transformer's weights; `None` once it is finished, and without noise.
    noise_adder: Option<NoiseAdder>,
}

impl MachineState {
    /// State of the lab before the run's first step; `None` if the run does not execute a Turing machine.
    pub fn new(spec: &RunSpec) -> Option<Self> {
        let program = spec.task.data().machine_program()?;
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

    /// Coordinates that each group of values (state, symbols, positions, flags) has in a token.
    pub fn layout(&self) -> &ResidualLayout {
        self.transformer.construction().layout()
    }

    /// Block of the transformer selected in the view, from 1 to bits + 4, where bits is the length of a step number in
    /// binary; 0 stands for the input of the first block.
    pub fn shown_block(&self, view: &ViewSettings) -> usize {
        view.layer.min(self.transformer.construction().blocks().len())
    }

    /// Number, from 1, of the first step up to the displayed one whose token differs from the simulator's record;
    /// `None` if all agree.
    pub fn first_wrong(&self) -> Option<usize> {
        let pairs = self.transformer.tokens().iter().zip(&self.run.records).take(self.step);
        pairs.into_iter().position(|(token, moment)| token != moment).map(|at| at + 1)
    }

    /// State, symbol and head position decoded from the transformer's token of step number `step`; the initial record
    /// for step 0, `None` until a later step is executed.
    pub fn decode_token(&self, step: usize) -> Option<StepRecord> {
        match step {
            0 => Some(self.transformer.initial_record()),
            made => self.transformer.tokens().get(made - 1).copied(),
        }
    }

    /// Whether the transformer, with the noise in its weights, has executed all machine steps up to the displayed one.
    pub fn is_executed(&self) -> bool {
        self.noise_adder.is_none()
            && self.trace.as_ref().is_some_and(|trace| trace.step == self.target_step())
    }

    /// Number of machine steps that the transformer is to have executed so that the displayed step can be shown; 0
    /// before the first step.
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
