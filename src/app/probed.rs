//! Which charts need more than losses: what each of them wants the worker to look at.

use crate::analysis::chart::Chart;
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
