//! [`Neurons`] from the weights of a network, some neurons at a time.

use super::{Neurons, Part};
use vivarium_core::math::dot;
use vivarium_science::groups::Irreps;

/// A network whose neurons are being looked at.
#[derive(Debug, Clone)]
pub struct Survey {
    order: usize,
    width: usize,
    arrays: Vec<Vec<f32>>, // [parts] of [order, width]
    bases: Vec<Vec<f64>>,  // [irreps] of [functions, order]
    done: usize,
    found: Neurons,
}

impl Survey {
    /// Nothing looked at yet, of a network with these arrays: u, v and w, or u alone, each `[order, width]` with the
    /// weight of neuron i at element a at `a * width + i`. None if there are no or more than three arrays, or if one
    /// is not of that shape.
    pub fn new(irreps: &Irreps, arrays: Vec<Vec<f32>>, width: usize) -> Option<Survey> {
        let bases: Vec<Vec<f64>> =
            (0..irreps.all().len()).map(|r| irreps.function_basis(r).to_vec()).collect();
        // The trivial irrep has one function.
        let order = bases.first()?.len();
        let parts = arrays.len();
        let fits = arrays.iter().all(|array| Some(array.len()) == order.checked_mul(width));
        if !(1..=Part::ALL.len()).contains(&parts) || !fits {
            return None;
        }
        let phases = if irreps.frequency(0).is_some() { parts * width } else { 0 };
        let found = Neurons {
            parts,
            irreps: bases.len(),
            norms: vec![0.0; width],
            powers: vec![0.0; parts * width * bases.len()],
            phases: vec![0.0; phases],
        };
        Some(Survey { order, width, arrays, bases, done: 0, found })
    }

    /// The whole survey at once.
    pub fn read(irreps: &Irreps, arrays: Vec<Vec<f32>>, width: usize) -> Option<Neurons> {
        let mut survey = Survey::new(irreps, arrays, width)?;
        survey.advance(width);
        survey.finish()
    }

    /// Products of one neuron's weights with functions, which is what a portion costs.
    pub fn cost(&self) -> usize {
        self.arrays.len() * self.order * self.order
    }

    /// Looks at so many more neurons; whether all have been looked at.
    pub fn advance(&mut self, neurons: usize) -> bool {
        let end = self.done.saturating_add(neurons).min(self.width);
        for neuron in self.done..end {
            self.look(neuron);
        }
        self.done = end;
        end == self.width
    }

    /// What was found; none before all neurons have been looked at.
    pub fn finish(self) -> Option<Neurons> {
        (self.done == self.width).then_some(self.found)
    }

    fn look(&mut self, neuron: usize) {
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
            for (power, within) in self.found.powers[from..from + irreps].iter_mut().zip(&each) {
                *power = dot(within, within) as f32;
            }
            coefficients.push(each);
        }
        self.found.norms[neuron] = libm::sqrt(square) as f32;
        if self.found.has_phases() {
            let dominant = self.found.dominant(neuron);
            for (part, each) in coefficients.iter().enumerate() {
                self.found.phases[part * self.width + neuron] = phase(&each[dominant]) as f32;
            }
        }
    }
}

/// θ in `A cos(θ + x) = A cos θ cos x − A sin θ sin x`, from the coefficients of cos x and sin x; where the sine is zero
/// everywhere it has none.
fn phase(coefficients: &[f64]) -> f64 {
    let cosine = coefficients.first().copied().unwrap_or(0.0);
    let sine = coefficients.get(1).copied().unwrap_or(0.0);
    // Not −sine: minus zero would turn π into −π.
    libm::atan2(0.0 - sine, cosine)
}
