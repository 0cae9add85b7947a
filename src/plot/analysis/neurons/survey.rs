//! Computes [`NeuronSpectra`] from the weights of a network, some neurons at a time.

use super::{NeuronPart, NeuronSpectra};
use vivarium_core::math::dot;
use vivarium_science::groups::Irreps;

/// Computes [`NeuronSpectra`] in portions, so that the work can be split between frames.
#[derive(Debug, Clone)]
pub struct NeuronSpectraBuilder {
    /// Order of the group, which is the number of weights of a weight function.
    order: usize,
    /// Number of neurons of the network.
    width: usize,
    /// Weight functions u, v and w of all neurons, or u alone.
    arrays: Vec<Vec<f32>>, // [parts] of [order, width]
    /// For each irrep of the group, an orthonormal basis of its functions on the group.
    bases: Vec<Vec<f64>>, // [irreps] of [functions, order]
    /// Number of neurons whose spectra have been computed so far.
    neurons_done: usize,
    /// Spectra of all neurons, of which those with an index below `neurons_done` are computed.
    spectra: NeuronSpectra,
}

impl NeuronSpectraBuilder {
    /// Starts with no neuron processed. The arrays are u, v and w, or u alone, each `[order, width]` with the weight
    /// of neuron i at element a at index `a * width + i`. `None` unless there are one to three arrays of this shape.
    pub fn new(irreps: &Irreps, arrays: Vec<Vec<f32>>, width: usize) -> Option<NeuronSpectraBuilder> {
        let bases: Vec<Vec<f64>> =
            (0..irreps.all().len()).map(|r| irreps.function_basis(r).to_vec()).collect();
        // The trivial irrep has one function.
        let order = bases.first()?.len();
        let parts = arrays.len();
        let fits = arrays.iter().all(|array| Some(array.len()) == order.checked_mul(width));
        if !(1..=NeuronPart::ALL.len()).contains(&parts) || !fits {
            return None;
        }
        let phases = if irreps.frequency(0).is_some() { parts * width } else { 0 };
        let found = NeuronSpectra {
            parts,
            irreps: bases.len(),
            norms: vec![0.0; width],
            powers: vec![0.0; parts * width * bases.len()],
            phases: vec![0.0; phases],
        };
        Some(NeuronSpectraBuilder { order, width, arrays, bases, neurons_done: 0, spectra: found })
    }

    /// Computes the spectra of all neurons at once; `None` as for [`new`](Self::new).
    pub fn compute(irreps: &Irreps, arrays: Vec<Vec<f32>>, width: usize) -> Option<NeuronSpectra> {
        let mut survey = NeuronSpectraBuilder::new(irreps, arrays, width)?;
        survey.advance(width);
        survey.finish()
    }

    /// Number of multiplications that computing the spectra of one neuron takes.
    pub fn cost(&self) -> usize {
        self.arrays.len() * self.order * self.order
    }

    /// Processes `neurons` more neurons. Returns true once all are processed.
    pub fn advance(&mut self, neurons: usize) -> bool {
        let end = self.neurons_done.saturating_add(neurons).min(self.width);
        for neuron in self.neurons_done..end {
            self.process_neuron(neuron);
        }
        self.neurons_done = end;
        end == self.width
    }

    /// The spectra of all neurons; `None` before all of them are computed.
    pub fn finish(self) -> Option<NeuronSpectra> {
        (self.neurons_done == self.width).then_some(self.spectra)
    }

    /// Computes norm, powers and phases of the neuron with the index `neuron`, from 0.
    fn process_neuron(&mut self, neuron: usize) {
        let irreps = self.bases.len();
        let mut square = 0.0;
        let mut coefficients: Vec<Vec<Vec<f64>>> = vec![]; // [parts, irreps, functions]
        for (part, array) in self.arrays.iter().enumerate() {
            let column = array.iter().skip(neuron).step_by(self.width.max(1));
            let f: Vec<f64> = column.map(|weight| f64::from(*weight)).collect();
            square += dot(&f, &f);
            let of =
                |basis: &Vec<f64>| basis.chunks_exact(self.order).map(|function| dot(function, &f)).collect();
            let each: Vec<Vec<f64>> = self.bases.iter().map(of).collect();
            let from = (part * self.width + neuron) * irreps;
            for (power, within) in self.spectra.powers[from..from + irreps].iter_mut().zip(&each) {
                *power = dot(within, within) as f32;
            }
            coefficients.push(each);
        }
        self.spectra.norms[neuron] = libm::sqrt(square) as f32;
        if self.spectra.has_phases() {
            let dominant = self.spectra.dominant_irrep(neuron);
            for (part, each) in coefficients.iter().enumerate() {
                self.spectra.phases[part * self.width + neuron] = wave_phase(&each[dominant]) as f32;
            }
        }
    }
}

/// Phase θ, in (−π, π], of a wave A cos(θ + x) from its coefficients: of cos x, then of sin x. The second is missing if
/// sin x is zero everywhere.
fn wave_phase(coefficients: &[f64]) -> f64 {
    let cosine = coefficients.first().copied().unwrap_or(0.0);
    let sine = coefficients.get(1).copied().unwrap_or(0.0);
    // Not −sine: minus zero would turn π into −π.
    libm::atan2(0.0 - sine, cosine)
}
