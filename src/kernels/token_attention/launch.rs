//! Launching the kernels of token attention.

use cubecl::prelude::*;

use super::plan::{Network, Plan, is_short};
use super::steps::{answer_all, gradient_all, update_all};
use super::tables::{contract_all, expand_all, gather_all, table_all};
use crate::plan::Limits;
use crate::prompt_layout::{LANES, cubes};
use crate::prompt_nets::{Launch, PromptPlan};
use vivarium_model::run::RunSpec;

/// The buffers of scratch.
const WORK: usize = 0;
const SPREAD: usize = 1;
const TABLES: usize = 2;

#[expect(unsafe_code, reason = "launching a kernel hands it raw buffers")]
impl PromptPlan for Plan {
    const LISTED: bool = true;

    fn of(spec: &RunSpec, limits: Limits) -> Result<Self, String> {
        let plan = Plan::divided(Network::of(spec)?, spec.run.replicas, limits)?;
        is_short(spec, plan.groups)?;
        Ok(plan)
    }

    fn state(&self) -> usize {
        self.network.state()
    }

    fn scratch(&self) -> [u64; 3] {
        let (network, groups, batch) = (&self.network, self.groups as u64, self.network.batch as u64);
        [groups * self.work().end as u64, batch * network.spread() as u64, network.tables().end as u64]
    }

    fn batch(&self) -> usize {
        self.network.batch
    }

    fn measures(&self) -> usize {
        self.groups
    }

    fn updates(&self) -> usize {
        self.update_groups()
    }

    fn launches(&self) -> usize {
        if self.network.direct() { 2 } else { 6 }
    }

    fn prepare(&self, launch: &Launch<'_>) {
        if self.network.direct() {
            return;
        }
        let (client, lanes) = (launch.client, CubeDim::new_1d(LANES as u32));
        let [expanded, entries] = [self.expanded(), self.table()].map(|n| launch.count(cubes(n)));
        let (state, tables, table) = (|| launch.state(), || launch.scratch(TABLES), || launch.table());
        // SAFETY: a lane writes its own number of its network's tables, whose sizes follow from the plan as the buffer's.
        unsafe {
            expand_all::launch_unchecked(client, expanded, lanes, state(), tables(), table(), *self);
            table_all::launch_unchecked(client, entries, lanes, state(), tables(), table(), *self);
        }
    }

    fn answer(&self, launch: &Launch<'_>, field: usize, count: usize, at: usize) {
        let most = self.measured_rounds(launch.turns);
        for begin in (0..count).step_by(self.groups * most) {
            let turns = (count - begin).div_ceil(self.groups).min(most);
            // SAFETY: a workgroup keeps to its slices of scratch, and writes the answers to its own prompts, which are
            // below the count.
            unsafe {
                answer_all::launch_unchecked(
                    launch.client,
                    launch.count(self.groups),
                    CubeDim::new_1d(LANES as u32),
                    launch.state(),
                    launch.scratch(TABLES),
                    launch.measured(),
                    launch.table(),
                    launch.scratch(WORK),
                    launch.scratch(SPREAD),
                    launch.answers(),
                    field as u32,
                    begin as u32,
                    turns as u32,
                    count as u32,
                    at as u32,
                    launch.nonce,
                    *self,
                );
            }
        }
    }

    fn gradient(&self, launch: &Launch<'_>, step: u32, record: u32) {
        // SAFETY: a workgroup keeps to its slices of scratch and measurements, whose sizes follow from the plan as the
        // buffers' do.
        unsafe {
            gradient_all::launch_unchecked(
                launch.client,
                launch.count(self.groups),
                CubeDim::new_1d(LANES as u32),
                launch.state(),
                launch.scratch(TABLES),
                launch.prompts(),
                launch.table(),
                launch.scratch(WORK),
                launch.scratch(SPREAD),
                launch.measures(),
                step,
                record,
                launch.nonce,
                *self,
            );
        }
    }

    fn update(&self, launch: &Launch<'_>, step: u32, proof: bool) {
        let (client, lanes) = (launch.client, CubeDim::new_1d(LANES as u32));
        let (tables, direct) = (|| launch.scratch(TABLES), self.network.direct());
        // SAFETY: a lane writes its own number of its network's tables, or its own parameter with its moments; the first
        // lane of a workgroup signs.
        unsafe {
            if !direct {
                let [expanded, entries] = [self.expanded(), self.table()].map(|n| launch.count(cubes(n)));
                let (spread, prompts) = (launch.scratch(SPREAD), launch.prompts());
                gather_all::launch_unchecked(client, entries, lanes, tables(), spread, prompts, step, *self);
                let (state, table) = (launch.state(), launch.table());
                contract_all::launch_unchecked(client, expanded, lanes, state, tables(), table, *self);
            }
            update_all::launch_unchecked(
                client,
                launch.count(self.update_groups()),
                lanes,
                launch.state(),
                if direct { launch.scratch(SPREAD) } else { tables() },
                launch.prompts(),
                launch.scratch(WORK),
                launch.schedule(),
                launch.table(),
                launch.measures(),
                step,
                u32::from(proof),
                launch.proofs as u32,
                launch.nonce,
                *self,
            );
        }
    }
}
