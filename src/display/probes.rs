//! Which charts need more than losses: what each of them wants the worker to look at.

use super::view::RunView;
use crate::catalog::chart::Chart;
use crate::probing::applies;
use crate::protocol::Probe;
use crate::tasks::groups::charts as groups_charts;
use crate::tasks::markov::charts as markov_charts;
use crate::tasks::sparse_boolean::charts as boolean_charts;
use crate::tasks::sparse_parity::charts as parity_charts;

impl Chart {
    /// The probe that the chart wants of the worker, if any.
    pub fn probe(self) -> Option<Probe> {
        match self {
            parity_charts::GAP => Some(Probe::Gap),
            parity_charts::SPECTRUM => Some(Probe::Spectrum),
            parity_charts::ATTENTION => Some(Probe::Attention),
            boolean_charts::LOOKS => Some(Probe::Looks),
            parity_charts::STRONGEST => Some(Probe::Powers),
            groups_charts::NEURONS
            | groups_charts::PURITY
            | groups_charts::COUNTS
            | groups_charts::MASS
            | groups_charts::PHASES
            | groups_charts::RESIDUAL => Some(Probe::Neurons),
            groups_charts::OUTPUTS => Some(Probe::Outputs),
            groups_charts::COSETS => Some(Probe::Cosets),
            groups_charts::PROGRESS | groups_charts::SPARSITY | groups_charts::KEYS => Some(Probe::Progress),
            markov_charts::MAP
            | markov_charts::DISTANCES
            | markov_charts::KERNEL
            | markov_charts::LAGS
            | markov_charts::NEXT
            | markov_charts::THEORY => Some(Probe::Parameters),
            markov_charts::ABLATION => Some(Probe::Ablation),
            _ => None,
        }
    }
}

impl RunView {
    /// The probes that the charts on show want, and of runs on sequences the panel below them.
    pub fn probes(&self) -> Vec<Probe> {
        let mut probes: Vec<Probe> = self.link.view.show.iter().filter_map(|chart| chart.probe()).collect();
        // What is looked into follows the network, whichever charts are on show.
        if self.chains.is_some() && !probes.contains(&Probe::Parameters) {
            probes.push(Probe::Parameters);
        }
        probes.retain(|probe| applies(*probe, self.spec()).is_ok());
        probes
    }
}
