//! Which charts need more than losses: what each of them wants the worker to look at.

use super::view::RunView;
use crate::analysis::chart::Chart;
use crate::probing::applies;
use crate::protocol::Probe;

impl Chart {
    /// The probe that the chart wants of the worker, if any.
    pub fn probe(self) -> Option<Probe> {
        match self {
            Chart::Gap => Some(Probe::Gap),
            Chart::Spectrum => Some(Probe::Spectrum),
            Chart::Attention => Some(Probe::Attention),
            Chart::Looks => Some(Probe::Looks),
            Chart::Strongest => Some(Probe::Powers),
            Chart::Neurons
            | Chart::Purity
            | Chart::Counts
            | Chart::Mass
            | Chart::Phases
            | Chart::Residual => Some(Probe::Neurons),
            Chart::Outputs => Some(Probe::Outputs),
            Chart::Cosets => Some(Probe::Cosets),
            Chart::Progress | Chart::Sparsity | Chart::Keys => Some(Probe::Progress),
            Chart::Map | Chart::Distances | Chart::Kernel | Chart::Lags | Chart::Next | Chart::Theory => {
                Some(Probe::Parameters)
            }
            Chart::Ablation => Some(Probe::Ablation),
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
