//! Which charts need more than losses: what each of them wants the worker to look at.

use super::state::State;
use super::trainer::Effect;
use crate::analysis::chart::Chart;
use crate::probing::applies;
use crate::protocol::{Command, Probe};

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

impl State {
    /// The probes that the charts on show want, and of runs on sequences the panel below them.
    fn watched(&self) -> Vec<Probe> {
        let mut probes: Vec<Probe> = self.link.view.show.iter().filter_map(|chart| chart.probe()).collect();
        // What is looked into follows the network, whichever charts are on show.
        if self.chains.is_some() && !probes.contains(&Probe::Parameters) {
            probes.push(Probe::Parameters);
        }
        probes.retain(|probe| applies(*probe, self.spec()).is_ok());
        probes
    }

    /// Tells the trainer what the charts on show want, where that may have changed.
    pub(super) fn watch_anew(&mut self, effects: &mut Vec<Effect>) {
        let probes = self.watched();
        let was_watching = std::mem::replace(&mut self.watching, !probes.is_empty());
        if self.watching || was_watching {
            self.send(Command::Watch(probes), effects);
        }
    }
}
