//! How far first-layer weights have moved from where they started: progress while loss and accuracy are flat.
//!
//! ```text
//! ρ(w_{0:t}) = ‖w_t − w_0‖_∞, over the whole first layer
//! ```
//!
//! (Edelman 2024, section 5.5 and appendix B.3.3, figures 5.3 and B.9). Each weight is roughly a random walk with a
//! drift on relevant coordinates only, so ρ tells the drift from the diffusion once t is large.
//!
//! # Why
//! Besides ρ, single weights are recorded: of at most [`MAX_NEURONS`] evenly spaced neurons, on at most
//! [`MAX_COORDINATES`] coordinates including all relevant ones. Which neuron will move is not known at the start, so
//! several are recorded and the one that has moved most so far is shown.

use super::thinned::ThinnedHistory;
use super::{LineChart, Role, Series};

/// Number of stored measurements of the first-layer weights of a run at which every second one is dropped.
pub const MAX_MEASUREMENTS: usize = 1024;
/// Maximum number of first-layer neurons of which weights are recorded; of a wider layer, evenly spaced ones.
pub const MAX_NEURONS: usize = 8;
/// Maximum number of input coordinates whose first-layer weights are recorded, all relevant ones among them.
pub const MAX_COORDINATES: usize = 64;

/// Largest absolute change of a first-layer weight since the start of training.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct WeightMovement {
    /// Largest absolute change since the start of training of a first-layer weight of a relevant input coordinate.
    pub relevant: f32,
    /// Largest absolute change since the start of training of a first-layer weight of an irrelevant input coordinate.
    pub other: f32,
}

impl WeightMovement {
    /// Compares the first-layer weights `[inputs, width]` at the start of training and now; `is_relevant` has one flag
    /// per input.
    pub fn between(start: &[f32], now: &[f32], width: usize, is_relevant: &[bool]) -> Self {
        let mut movement = WeightMovement::default();
        let rows = start.chunks_exact(width.max(1)).zip(now.chunks_exact(width.max(1)));
        for ((start, now), relevant) in rows.zip(is_relevant) {
            // Without their sign, floats are ordered as their bits are; whole numbers have a maximum in vectors,
            // and what is no number counts as largest.
            let bits = start.iter().zip(now).map(|(a, b)| (b - a).to_bits() & 0x7fff_ffff);
            let to = if *relevant { &mut movement.relevant } else { &mut movement.other };
            *to = f32::from_bits(bits.fold(to.to_bits(), u32::max));
        }
        movement
    }

    /// ρ, the largest absolute change of any first-layer weight: the larger of `relevant` and `other`.
    pub fn rho(&self) -> f32 {
        f32::from_bits(self.relevant.to_bits().max(self.other.to_bits()))
    }
}

/// Weight movement, and the weights of some recorded neurons and inputs, over the steps of a run, in bounded memory.
#[derive(Debug, Clone, PartialEq)]
pub struct WeightTrajectories {
    /// First-layer weights at the start of training.
    start: Vec<f32>, // [inputs, width]
    /// Number of neurons of the first layer, recorded or not.
    width: usize,
    /// Whether each input coordinate of the network is relevant for the label, `[inputs]`.
    is_relevant: Vec<bool>,
    /// Indices, from 0, of the neurons whose weights are recorded.
    neurons: Vec<usize>,
    /// Indices, from 0, of the input coordinates whose weights are recorded, ascending.
    coordinates: Vec<usize>,
    /// Weight movement, and recorded weights, at each stored step.
    kept: ThinnedHistory<(WeightMovement, Vec<f32>)>, // [neurons, coordinates]
}

impl WeightTrajectories {
    /// An empty record for a first layer `[inputs, width]` with the initial weights `start`, where the input
    /// coordinates with the indices `relevant`, from 0, are relevant.
    pub fn new(start: &[f32], inputs: usize, width: usize, relevant: &[usize]) -> Self {
        let is_relevant: Vec<bool> = (0..inputs).map(|i| relevant.contains(&i)).collect();
        let (mut coordinates, others): (Vec<usize>, Vec<usize>) = (0..inputs).partition(|i| is_relevant[*i]);
        coordinates.truncate(MAX_COORDINATES);
        let room = MAX_COORDINATES - coordinates.len();
        coordinates.extend(evenly_spaced(others.len(), room).map(|at| others[at]));
        coordinates.sort_unstable();
        WeightTrajectories {
            start: start.to_vec(),
            width,
            is_relevant,
            neurons: evenly_spaced(width, MAX_NEURONS).collect(),
            coordinates,
            kept: ThinnedHistory::new(MAX_MEASUREMENTS),
        }
    }

    /// Records the first-layer weights `[inputs, width]` at a training step. If the step is not after the latest, the
    /// measurements from that step on are discarded first. Weights of another length than at the start are ignored.
    pub fn push(&mut self, step: u64, weights: &[f32]) {
        if weights.len() != self.start.len() || weights.len() != self.is_relevant.len() * self.width {
            return;
        }
        let movement = WeightMovement::between(&self.start, weights, self.width, &self.is_relevant);
        self.kept.push(step, (movement, self.select_weights(weights)));
    }

    /// Weights of the recorded neurons and input coordinates, `[neurons, coordinates]`, out of the first-layer weights
    /// `[inputs, width]`.
    fn select_weights(&self, weights: &[f32]) -> Vec<f32> {
        let of = |j: usize| self.coordinates.iter().map(move |i| weights[i * self.width + j]);
        self.neurons.iter().copied().flat_map(of).collect()
    }

    /// The steps at which the weights were stored, each with the weight movement since the start of training.
    pub fn movements(&self) -> impl Iterator<Item = (u64, WeightMovement)> {
        self.kept.iter().map(|(step, (movement, _))| (step, *movement))
    }

    /// Indices, from 0, of the input coordinates whose weights are recorded, ascending.
    pub fn coordinates(&self) -> &[usize] {
        &self.coordinates
    }

    /// Number (from 1) of the neuron that [`trajectory_chart`] draws; `None` if the layer has a single neuron.
    pub fn shown_neuron(&self) -> Option<usize> {
        self.neurons.get(self.max_movement_index()).filter(|_| self.width > 1).map(|neuron| neuron + 1)
    }

    /// Index among the recorded neurons, from 0, of the one with the largest change of a recorded weight since the
    /// start; the first if several have it.
    fn max_movement_index(&self) -> usize {
        let Some((_, (_, now))) = self.kept.latest() else { return 0 };
        let start = self.select_weights(&self.start);
        let each = self.coordinates.len().max(1);
        let moved = start
            .chunks(each)
            .zip(now.chunks(each))
            .map(|(start, now)| WeightMovement::between(start, now, each, &[true]).relevant);
        let best = moved.enumerate().reduce(|best, next| if next.1 > best.1 { next } else { best });
        best.map_or(0, |(at, _)| at)
    }
}

/// At most `max_count` evenly spaced numbers of `0..count`, ascending.
fn evenly_spaced(count: usize, max_count: usize) -> impl Iterator<Item = usize> {
    let chosen = count.min(max_count);
    (0..chosen).map(move |at| at * count / chosen)
}

/// Line chart over steps of the largest absolute change of a first-layer weight, one curve for relevant and one for
/// other input coordinates; ρ is the larger of the two.
pub fn movement_chart(trajectories: &WeightTrajectories) -> LineChart {
    let series = |name: &str, role: Role, of: fn(WeightMovement) -> f32| Series {
        name: name.into(),
        role,
        x: trajectories.movements().map(|(step, _)| step as f64).collect(),
        y: trajectories.movements().map(|(_, movement)| of(movement)).collect(),
        ..Default::default()
    };
    LineChart {
        title: tr!("Change of the first-layer weights since the start").into(),
        x_label: tr!("step").into(),
        y_label: tr!("largest |w − w₀|").into(),
        series: vec![
            series(tr!("relevant bits"), Role::Relevant, |m| m.relevant),
            series(tr!("irrelevant bits"), Role::Other, |m| m.other),
        ],
        ..Default::default()
    }
}

/// Line chart over steps of the recorded weights of one neuron: of the recorded neuron with the largest change since
/// the start.
pub fn trajectory_chart(trajectories: &WeightTrajectories) -> LineChart {
    let at = trajectories.max_movement_index();
    let first = at * trajectories.coordinates.len();
    // One name for all curves of a kind: a legend names it once.
    let kind = |i: usize| match trajectories.is_relevant[i] {
        true => (tr!("relevant bits"), Role::Relevant),
        false => (tr!("irrelevant bits"), Role::Other),
    };
    let curve = |(place, i): (usize, &usize)| Series {
        name: kind(*i).0.into(),
        role: kind(*i).1,
        x: trajectories.kept.iter().map(|(step, _)| step as f64).collect(),
        y: trajectories.kept.iter().map(|(_, (_, weights))| weights[first + place]).collect(),
        ..Default::default()
    };
    LineChart {
        title: match trajectories.shown_neuron() {
            Some(neuron) => tr!("Weights of neuron {neuron}", neuron),
            None => tr!("Weights of the neuron").into(),
        },
        x_label: tr!("step").into(),
        y_label: tr!("weight").into(),
        series: trajectories.coordinates.iter().enumerate().map(curve).collect(),
        ..Default::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn movement_is_the_largest_change_of_each_kind() {
        let start = [1.0, -1.0, 0.5, 0.5, 2.0, 0.0];
        let now = [1.1, -3.0, 0.5, 0.25, 2.0, 0.5];
        let movement = WeightMovement::between(&start, &now, 2, &[false, true, true]);
        assert_eq!(movement, WeightMovement { relevant: 0.5, other: 2.0 });
        assert_eq!(movement.rho(), 2.0);
        let lost = WeightMovement::between(&start, &[f32::NAN; 6], 2, &[false, true, true]);
        assert!(lost.relevant.is_nan() && lost.rho().is_nan(), "a diverged weight is not a small one");
    }

    #[test]
    fn a_single_neuron_is_kept_whole() {
        let mut kept = WeightTrajectories::new(&[0.0; 5], 5, 1, &[1, 3]);
        assert_eq!(kept.coordinates(), [0, 1, 2, 3, 4]);
        for step in 0..3u16 {
            let weights: Vec<f32> = (0..5).map(|i| f32::from(step) * i as f32).collect();
            kept.push(u64::from(step), &weights);
        }
        kept.push(3, &[9.0; 4]);
        let lines = trajectory_chart(&kept);
        assert_eq!(lines.series[3].y, [0.0, 3.0, 6.0]);
        let names: Vec<&str> = lines.series.iter().map(|s| s.name.as_str()).collect();
        assert_eq!(names, [0, 1, 0, 1, 0].map(|relevant| ["irrelevant bits", "relevant bits"][relevant]));
        assert_eq!(kept.shown_neuron(), None);
        let lines = movement_chart(&kept);
        assert_eq!(
            (lines.series[0].y.clone(), lines.series[1].y.clone()),
            (vec![0.0, 3.0, 6.0], vec![0.0, 4.0, 8.0])
        );
    }

    #[test]
    fn of_a_wide_layer_the_neuron_that_moves_is_shown_with_all_relevant_bits() {
        let (inputs, width) = (512, 100);
        let relevant = [3, 200, 511];
        let start = vec![0.5; inputs * width];
        let mut kept = WeightTrajectories::new(&start, inputs, width, &relevant);
        assert_eq!(kept.coordinates().len(), MAX_COORDINATES);
        assert!(relevant.iter().all(|i| kept.coordinates().contains(i)));
        assert_eq!(kept.neurons, [0, 12, 25, 37, 50, 62, 75, 87]);
        let mut now = start;
        now[200 * width + 62] = -1.0;
        now[4 * width + 63] = 9.0; // moves more, but is not recorded
        kept.push(0, &now);
        let lines = trajectory_chart(&kept);
        assert_eq!((lines.title.as_str(), kept.shown_neuron()), ("Weights of neuron 63", Some(63)));
        assert_eq!(lines.series.iter().filter(|s| s.y == [-1.0] && s.role == Role::Relevant).count(), 1);
        assert_eq!(lines.series.iter().filter(|s| s.y == [0.5]).count(), MAX_COORDINATES - 1);
        assert_eq!(kept.movements().next().unwrap().1, WeightMovement { relevant: 1.5, other: 8.5 });
    }

    #[test]
    fn memory_is_bounded_and_earlier_steps_forget() {
        let mut kept = WeightTrajectories::new(&[0.0; 2], 2, 1, &[0]);
        (0..20_000).for_each(|step| kept.push(step, &[step as f32, 0.0]));
        assert!(kept.movements().count() <= MAX_MEASUREMENTS);
        assert_eq!(kept.movements().last().unwrap().1.relevant, 19_999.0);
        kept.push(100, &[1.0, 2.0]);
        assert!(kept.movements().all(|(step, m)| step <= 100 && m.relevant <= 100.0));
        let empty = WeightTrajectories::new(&[], 0, 0, &[]);
        assert!(trajectory_chart(&empty).series.is_empty() && movement_chart(&empty).series[0].x.is_empty());
    }
}
