//! Launching the kernels of token MLPs.

use cubecl::prelude::*;

use super::plan::{Network, Plan};
use super::steps::{back_all, encode_all, error_all, layer_all, update_all};
use crate::plan::Limits;
use crate::prompt_layout::{LANES, cubes};
use crate::prompt_nets::{FIELDS, Launch, NO_RECORD, PromptPlan};
use vivarium_model::run::RunSpec;

/// Which prompts go forward, and where their errors go.
struct Pass {
    /// Field of a line that names the first of all; 0 of those that are trained on.
    field: usize,
    /// The first of these, or the step.
    first: usize,
    /// How many.
    rows: usize,
    /// The number of the first among those that are measured together, and how many these are.
    begin: usize,
    count: usize,
    /// Where their measurements begin, or no record.
    at: u32,
}

#[expect(unsafe_code, reason = "launching a kernel hands it raw buffers")]
impl Plan {
    /// Inputs, outputs and weights of a layer, as kernels take them.
    fn layer(&self, layer: usize) -> [u32; 3] {
        let net = &self.network;
        [net.sizes[layer], net.sizes[layer + 1], net.weights(layer)].map(|number| number as u32)
    }

    /// Launches prompts forward, and their errors.
    fn forward(&self, launch: &Launch<'_>, pass: &Pass) {
        let (net, rows, lanes) = (&self.network, pass.rows, CubeDim::new_1d(LANES as u32));
        let prompts = || if pass.field == 0 { launch.prompts() } else { launch.measured() };
        let measures = if pass.field == 0 { launch.measures() } else { launch.answers() };
        // SAFETY: a lane writes its own number of its network's scratch, whose size follows from the plan as the buffer's
        // does, for as many rows as there is room; the measurements of a prompt have their own place.
        unsafe {
            encode_all::launch_unchecked(
                launch.client,
                launch.count(cubes(rows * net.sizes[0])),
                lanes,
                launch.state(),
                prompts(),
                launch.table(),
                launch.scratch(0),
                pass.field as u32,
                pass.first as u32,
                rows as u32,
                *self,
            );
            for layer in 0..net.depth {
                let [inputs, outputs, weights] = self.layer(layer);
                layer_all::launch_unchecked(
                    launch.client,
                    launch.count(cubes(rows * net.sizes[layer + 1])),
                    lanes,
                    launch.state(),
                    launch.table(),
                    launch.scratch(0),
                    inputs,
                    outputs,
                    weights,
                    self.values(layer) as u32,
                    self.values(layer + 1) as u32,
                    rows as u32,
                    u32::from(layer + 1 < net.depth),
                    *self,
                );
            }
            error_all::launch_unchecked(
                launch.client,
                launch.count(rows),
                lanes,
                prompts(),
                launch.table(),
                launch.scratch(0),
                measures,
                pass.field as u32,
                pass.first as u32,
                pass.begin as u32,
                pass.count as u32,
                pass.at,
                launch.nonce,
                *self,
            );
        }
    }
}

#[expect(unsafe_code, reason = "launching a kernel hands it raw buffers")]
impl PromptPlan for Plan {
    const LISTED: bool = false;

    fn of(spec: &RunSpec, limits: Limits) -> Result<Self, String> {
        Plan::divided(Network::of(spec)?, spec.run.replicas, limits)
    }

    fn state(&self) -> usize {
        self.network.state()
    }

    fn scratch(&self) -> [u64; 3] {
        [self.work() as u64, 0, 0]
    }

    fn batch(&self) -> usize {
        self.network.batch
    }

    fn measures(&self) -> usize {
        self.network.batch
    }

    fn updates(&self) -> usize {
        (0..self.network.depth).map(|layer| cubes(self.network.layer_size(layer))).sum()
    }

    fn launches(&self) -> usize {
        3 * self.network.depth + 1
    }

    fn answer(&self, launch: &Launch<'_>, field: usize, count: usize, at: usize) {
        for begin in (0..count).step_by(self.rows) {
            let rows = self.rows.min(count - begin);
            let pass = Pass { field, first: begin, rows, begin, count, at: at as u32 };
            self.forward(launch, &pass);
        }
    }

    fn gradient(&self, launch: &Launch<'_>, step: u32, record: u32) {
        let count = self.network.batch;
        let at = match record {
            NO_RECORD => NO_RECORD,
            record => record * (launch.lines * count * FIELDS) as u32,
        };
        let pass = Pass { field: 0, first: step as usize, rows: count, begin: 0, count, at };
        self.forward(launch, &pass);
        for layer in (1..self.network.depth).rev() {
            let [inputs, outputs, weights] = self.layer(layer);
            // SAFETY: as above.
            unsafe {
                back_all::launch_unchecked(
                    launch.client,
                    launch.count(cubes(count * inputs as usize)),
                    CubeDim::new_1d(LANES as u32),
                    launch.state(),
                    launch.table(),
                    launch.scratch(0),
                    inputs,
                    outputs,
                    weights,
                    self.values(layer) as u32,
                    self.slopes(layer) as u32,
                    self.slopes(layer - 1) as u32,
                    *self,
                );
            }
        }
    }

    fn update(&self, launch: &Launch<'_>, step: u32, proof: bool) {
        let mut at = launch.proofs;
        for layer in 0..self.network.depth {
            let [inputs, outputs, weights] = self.layer(layer);
            let groups = cubes(self.network.layer_size(layer));
            let [weights_decay, bias_decays] = self.network.decays[layer].map(u32::from);
            // SAFETY: a lane writes its own parameter with its moments; the first lane of a workgroup signs.
            unsafe {
                update_all::launch_unchecked(
                    launch.client,
                    launch.count(groups),
                    CubeDim::new_1d(LANES as u32),
                    launch.state(),
                    launch.table(),
                    launch.scratch(0),
                    launch.schedule(),
                    launch.measures(),
                    inputs,
                    outputs,
                    weights,
                    self.values(layer) as u32,
                    self.slopes(layer) as u32,
                    weights_decay,
                    bias_decays,
                    step,
                    u32::from(proof),
                    at as u32,
                    launch.nonce,
                    *self,
                );
            }
            at += groups * launch.lines;
        }
    }
}
