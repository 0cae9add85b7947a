//! What is computed only of networks on pairs and on sequences, behind one table.
//!
//! # Why
//! Irreducible representations, theory and what looks into a transformer are a tenth of the page's code, and no use to
//! the first view. The page's second program brings them (`app/components/second.rs`), so nothing in the first one may name
//! them but through this table; until it is there, these labs have their curves and a sentence in place of the rest.

use super::chains::MarkovState;
use super::pairs::GroupsState;
use super::view::RunView;
use super::{chain_charts, functions, luck, pair_charts, tables};
use crate::analysis::Reading;
use crate::catalog::chart::Chart;
use crate::groups::Group;
use crate::groups::theory::Construction;
use crate::markov::theory::Explorer;
use crate::models::group_net;
use crate::permalink::View;
use crate::probing::margins::{GroupTheory, largest};
use crate::protocol::Finding;
use crate::record::dataset::{self, Dataset};
use crate::run::RunSpec;

/// The functions.
pub struct LazyModule {
    pub(super) pairs: fn(&RunSpec) -> Option<GroupsState>,
    pub(super) found_of_pairs: fn(&mut GroupsState, u64, Finding),
    #[cfg_attr(not(feature = "ui"), expect(dead_code, reason = "elsewhere it is called directly"))]
    pub(crate) largest_network: fn(&Group) -> Option<Construction>,
    pub(super) largest_margin: fn(&RunSpec) -> Option<f64>,
    pub(super) follow_lambda: fn(&mut GroupTheory, f64),
    #[cfg_attr(not(feature = "ui"), expect(dead_code, reason = "only a browser keeps tables"))]
    pub(crate) table: fn(&[u8], Option<usize>) -> Result<Dataset, String>,
    pub(super) chains: fn(&RunSpec, &View, &Explorer, Option<&MarkovState>) -> Option<MarkovState>,
    pub(super) found_of_chains: fn(&mut MarkovState, u64, Finding, &View),
    pub(super) look: fn(&mut MarkovState, &View, &Explorer),
    pub(super) reading: fn(Chart, &RunView) -> Option<Reading>,
    pub(super) summary: fn(Chart, &RunView) -> Option<String>,
}

/// All of them.
pub const LAZY_MODULE: LazyModule = LazyModule {
    pairs: GroupsState::made,
    found_of_pairs: GroupsState::take,
    largest_network: group_net::largest,
    largest_margin: largest,
    follow_lambda: GroupTheory::set_lambda,
    table: dataset::read,
    chains: MarkovState::made,
    found_of_chains: MarkovState::take,
    look: |chains, view, theory| {
        chains.look_into(view);
        chains.explore(theory);
    },
    reading: |chart, run| {
        let of_labs = pair_charts::reading(chart, run).or_else(|| chain_charts::reading(chart, run));
        let of_bits = || luck::reading(chart, run).or_else(|| functions::reading(chart, run));
        of_labs.or_else(of_bits).or_else(|| tables::reading(chart, run))
    },
    summary: |chart, run| {
        let of_labs = pair_charts::summary(chart, run).or_else(|| chain_charts::summary(chart, run));
        let of_bits = || luck::summary(chart, run).or_else(|| functions::summary(chart, run));
        of_labs.or_else(of_bits).or_else(|| tables::summary(chart, run))
    },
};

#[cfg(feature = "ui")]
static ARRIVED: std::sync::OnceLock<LazyModule> = std::sync::OnceLock::new();

/// The functions, where they are there: on the page, from the arrival of its second program on.
#[cfg(feature = "ui")]
pub fn lazy_module() -> Option<&'static LazyModule> {
    ARRIVED.get()
}

/// The functions, where they are there.
#[cfg(not(feature = "ui"))]
pub fn lazy_module() -> Option<&'static LazyModule> {
    Some(&LAZY_MODULE)
}

/// The second program is there.
#[cfg(feature = "ui")]
pub fn install(lazy_module: LazyModule) {
    group_net::provide(lazy_module.largest_network);
    // It comes once.
    let _ = ARRIVED.set(lazy_module);
}

impl GroupsState {
    /// Of a run on pairs.
    pub fn of(spec: &RunSpec) -> Option<Self> {
        (lazy_module()?.pairs)(spec)
    }

    /// Takes what a probe has found after `step` steps.
    pub fn found(&mut self, step: u64, finding: Finding) {
        if let Some(lazy_module) = lazy_module() {
            (lazy_module.found_of_pairs)(self, step, finding);
        }
    }
}

impl MarkovState {
    /// Of a run on sequences, before its first step; what does not change from the run `before` is taken from there.
    pub fn of(spec: &RunSpec, view: &View, theory: &Explorer, before: Option<&MarkovState>) -> Option<Self> {
        (lazy_module()?.chains)(spec, view, theory, before)
    }

    /// Takes what a probe has found after `step` steps.
    pub fn found(&mut self, step: u64, finding: Finding, view: &View) {
        if let Some(lazy_module) = lazy_module() {
            (lazy_module.found_of_chains)(self, step, finding, view);
        }
    }

    /// Looks into the sequence that the view names, with the newest parameters, and has the theory follow its knobs.
    pub fn look_anew(&mut self, view: &View, theory: &Explorer) {
        if let Some(lazy_module) = lazy_module() {
            (lazy_module.look)(self, view, theory);
        }
    }
}
