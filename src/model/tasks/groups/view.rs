//! Settings of the view of runs on groups.

use vivarium_core::settings;
use vivarium_core::settings::Range;

settings! {
    /// Neuron that the charts of runs on groups show.
    pub struct NeuronView {
        /// Neuron whose weights are plotted one by one, counted from 1; 0 means the neuron with the largest norm.
        neuron: usize = 0, "neuron", "Neuron shown", Range::Int(0, 4096);
    }
}
