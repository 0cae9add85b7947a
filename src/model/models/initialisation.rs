//! Laws of initial weights, shared by every model.

use super::Parameter;
use vivarium_core::choices;
use vivarium_core::rng::{Purpose, RandomStream};
use vivarium_core::settings::ChoiceOption;

choices! {
    /// Distribution of the initial weights (Edelman 2024, appendix B.4.1), `fan_in` being the inputs of a neuron.
    pub enum Initialisation {
        /// Uniform on ±1/√fan_in.
        Uniform = "uniform", "Uniform from −1/√fan-in to 1/√fan-in";
        /// Normal with variance 2/fan_in.
        Gaussian = "gaussian", "Gaussian, variance 2/fan-in";
        /// ±1/√fan_in with equal probability.
        Sign = "sign", "±1/√fan-in with random signs";
        /// A few ones and else zeros in each row of the first layer; what is above it as with `uniform`.
        Sparse = "sparse", "A few ones in each row, 0 elsewhere";
        /// The same with 1/(2·fan_in) instead of zeros, which only decides where the ones are in balance.
        Perturbed = "perturbed", "A few ones in each row, ε = 1/(2n) elsewhere";
    }
}

impl Initialisation {
    /// Those that every layer can have.
    pub const DENSE: &'static [ChoiceOption] = Self::OPTIONS.split_at(3).0;

    /// What stands in a row of a first layer of `inputs` inputs beside its few ones; none where rows are dense.
    ///
    /// Edelman 2024, theorem 6.5, has ε < 1/(n − s): all of it together weighs less than a one.
    pub fn rest(self, inputs: usize) -> Option<f32> {
        match self {
            Initialisation::Sparse => Some(0.0),
            Initialisation::Perturbed => Some(0.5 / inputs as f32),
            _ => None,
        }
    }

    /// Initial values of `parameter`, which is the model's `which`th, for neurons with `fan_in` inputs.
    ///
    /// A replica's values do not depend on how many replicas there are.
    pub fn draw(self, seed: u64, which: usize, parameter: &Parameter, fan_in: usize) -> Vec<f32> {
        self.draw_at(seed, which, parameter, fan_in, |at| at)
    }

    /// The same of a part of a layer: number `at` of a replica is number `place(at)` of the whole layer's.
    pub fn draw_at(
        self,
        seed: u64,
        which: usize,
        parameter: &Parameter,
        fan_in: usize,
        place: impl Fn(u32) -> u32,
    ) -> Vec<f32> {
        let scale = 1.0 / (fan_in as f32).sqrt();
        let step = which as u64;
        let law = |stream: &RandomStream, i: u32| match self {
            Initialisation::Gaussian => scale * std::f32::consts::SQRT_2 * stream.draw_normal(step, i),
            Initialisation::Sign if stream.draw_u32(step, i) >> 31 == 0 => scale,
            Initialisation::Sign => -scale,
            _ => scale * (2.0 * stream.draw_uniform(step, i) - 1.0),
        };
        each(seed, parameter, |stream, at| law(stream, place(at)))
    }
}

/// A first layer `[replicas, inputs, width]` each of whose neurons has ones on `count` inputs drawn without
/// replacement, and `rest` elsewhere (Edelman 2024, section 6.2). Of a part of a layer, neuron `at` is neuron `place(at)`
/// of the whole one.
pub fn sparse(
    seed: u64,
    parameter: &Parameter,
    count: usize,
    rest: f32,
    place: impl Fn(usize) -> usize,
) -> Vec<f32> {
    let [replicas, inputs, width] = parameter.shape;
    let mut values = vec![rest; parameter.len()];
    for (replica, values) in values.chunks_mut(inputs * width).take(replicas).enumerate() {
        let stream = RandomStream::new(seed, Purpose::Weights, replica as u32);
        for neuron in 0..width {
            let first = (place(neuron) * count) as u32;
            for input in stream.draw_subset_from(first, inputs, count.min(inputs)) {
                values[input * width + neuron] = 1.0;
            }
        }
    }
    values
}

/// Every number of `parameter` as `draw` gives it, from the replica's stream and its place in the replica.
pub fn each(seed: u64, parameter: &Parameter, draw: impl Fn(&RandomStream, u32) -> f32) -> Vec<f32> {
    let [replicas, rows, columns] = parameter.shape;
    let mut values = Vec::with_capacity(parameter.len());
    for replica in 0..replicas as u32 {
        let stream = RandomStream::new(seed, Purpose::Weights, replica);
        values.extend((0..(rows * columns) as u32).map(|i| draw(&stream, i)));
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn initial_weights_follow_their_distribution() {
        let parameter = Parameter::new("w", [2, 25, 400]);
        for init in Initialisation::ALL.iter().copied().filter(|init| init.rest(1).is_none()) {
            let w = init.draw(1, 0, &parameter, 25);
            let (mean, square) = w.iter().fold((0.0, 0.0), |(m, s), v| (m + v, s + v * v));
            let (mean, square) = (mean / w.len() as f32, square / w.len() as f32);
            let (variance, bound) = match init {
                Initialisation::Gaussian => (2.0 / 25.0, f32::INFINITY),
                Initialisation::Sign => (1.0 / 25.0, 0.200_001),
                _ => (1.0 / 75.0, 0.2),
            };
            assert!(mean.abs() < 0.01, "{init:?}: mean {mean}");
            assert!((square / variance - 1.0).abs() < 0.05, "{init:?}: {square} against {variance}");
            assert!(w.iter().all(|v| v.abs() <= bound));
        }
    }

    #[test]
    fn sparse_rows_have_their_ones_anywhere() {
        let parameter = Parameter::new("w", [2, 20, 500]);
        let w = sparse(3, &parameter, 2, 0.0, |at| at);
        let mut hits = [0u32; 20];
        for replica in w.chunks(20 * 500) {
            for neuron in 0..500 {
                let on: Vec<usize> = (0..20).filter(|i| replica[i * 500 + neuron] == 1.0).collect();
                assert_eq!(on.len(), 2);
                on.iter().for_each(|i| hits[*i] += 1);
            }
        }
        assert_eq!(w.iter().filter(|v| **v != 0.0).count(), 2 * 500 * 2);
        assert_ne!(w[..10_000], w[10_000..]);
        // 100 each on average, with a standard deviation of 9.5.
        assert!(hits.iter().all(|hits| (60..140).contains(hits)), "{hits:?}");
        assert_eq!(
            sparse(3, &Parameter::new("w", [1, 20, 500]), 2, 0.0, |at| at),
            w[..10_000],
            "replicas stand for themselves"
        );
        assert!(sparse(0, &Parameter::new("w", [1, 3, 4]), 5, 0.0, |at| at).iter().all(|v| *v == 1.0));
    }

    #[test]
    fn what_is_next_to_the_ones_weighs_less_than_one_of_them() {
        let parameter = Parameter::new("w", [1, 20, 30]);
        let rest = Initialisation::Perturbed.rest(20).unwrap();
        let (zeros, w) = (sparse(3, &parameter, 2, 0.0, |at| at), sparse(3, &parameter, 2, rest, |at| at));
        assert!(zeros.iter().zip(&w).all(|(zero, w)| *w == if *zero == 1.0 { 1.0 } else { rest }));
        assert!(rest > 0.0 && rest * 18.0 < 1.0);
        assert_eq!(
            [Initialisation::Sparse, Initialisation::Sign].map(|init| init.rest(20)),
            [Some(0.0), None]
        );
    }

    #[test]
    fn replicas_differ_and_the_first_does_not_depend_on_how_many_there_are() {
        let draw = |replicas| Initialisation::Uniform.draw(4, 0, &Parameter::new("w", [replicas, 6, 8]), 6);
        let (one, three) = (draw(1), draw(3));
        assert_eq!(one, three[..48]);
        assert_ne!(three[..48], three[48..96]);
    }
}
