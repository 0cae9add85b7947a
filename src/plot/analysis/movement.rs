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
//! Besides ρ a few weights are kept one by one: those of at most [`NEURONS`] neurons, evenly spread, on at most
//! [`COORDINATES`] coordinates, all relevant ones among them. Which neuron will move is not known at the start, so
//! several are recorded and the one that has moved most by now is shown.

use super::thinned::Thinned;
use super::{Lines, Role, Series};

/// Most measurements of a run that are kept.
pub const CAPACITY: usize = 1024;
/// Most neurons whose weights are recorded.
pub const NEURONS: usize = 8;
/// Most coordinates whose weights are recorded.
pub const COORDINATES: usize = 64;

/// Largest movement of a weight since the start.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Movement {
    /// On relevant coordinates.
    pub relevant: f32,
    /// On the other coordinates.
    pub other: f32,
}

impl Movement {
    /// The movement of weights `[inputs, width]`, where `is_relevant` says which of the inputs are.
    pub fn between(start: &[f32], now: &[f32], width: usize, is_relevant: &[bool]) -> Self {
        let mut movement = Movement::default();
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

    /// ρ, the larger of the two.
    pub fn rho(&self) -> f32 {
        f32::from_bits(self.relevant.to_bits().max(self.other.to_bits()))
    }
}

/// Movement and some weights along a run, in bounded memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Trajectories {
    start: Vec<f32>, // [inputs, width]
    width: usize,
    is_relevant: Vec<bool>,
    neurons: Vec<usize>,
    coordinates: Vec<usize>,
    kept: Thinned<(Movement, Vec<f32>)>, // [neurons, coordinates]
}

impl Trajectories {
    /// Nothing measured yet, of a first layer `[inputs, width]` that starts with these weights.
    pub fn new(start: &[f32], inputs: usize, width: usize, relevant: &[usize]) -> Self {
        let is_relevant: Vec<bool> = (0..inputs).map(|i| relevant.contains(&i)).collect();
        let (mut coordinates, others): (Vec<usize>, Vec<usize>) = (0..inputs).partition(|i| is_relevant[*i]);
        coordinates.truncate(COORDINATES);
        let room = COORDINATES - coordinates.len();
        coordinates.extend(evenly(others.len(), room).map(|at| others[at]));
        coordinates.sort_unstable();
        Trajectories {
            start: start.to_vec(),
            width,
            is_relevant,
            neurons: evenly(width, NEURONS).collect(),
            coordinates,
            kept: Thinned::new(CAPACITY),
        }
    }

    /// Measures the weights `[inputs, width]` at a step; a step before the newest makes what came after it
    /// forgotten. Weights of another length than at the start are passed over.
    pub fn push(&mut self, step: u64, weights: &[f32]) {
        if weights.len() != self.start.len() || weights.len() != self.is_relevant.len() * self.width {
            return;
        }
        let movement = Movement::between(&self.start, weights, self.width, &self.is_relevant);
        self.kept.push(step, (movement, self.chosen(weights)));
    }

    /// The weights that are kept one by one, `[neurons, coordinates]`.
    fn chosen(&self, weights: &[f32]) -> Vec<f32> {
        let of = |j: usize| self.coordinates.iter().map(move |i| weights[i * self.width + j]);
        self.neurons.iter().copied().flat_map(of).collect()
    }

    /// The movement at each kept step.
    pub fn movements(&self) -> impl Iterator<Item = (u64, Movement)> {
        self.kept.iter().map(|(step, (movement, _))| (step, *movement))
    }

    /// The coordinates whose weights are kept, rising.
    pub fn coordinates(&self) -> &[usize] {
        &self.coordinates
    }

    /// The neuron whose weights [`trajectories`] draws, from 1; none where there is only one.
    pub fn shown(&self) -> Option<usize> {
        self.neurons.get(self.leader()).filter(|_| self.width > 1).map(|neuron| neuron + 1)
    }

    /// The neuron among the recorded ones that has moved most, by its place among them; of equal ones the first.
    fn leader(&self) -> usize {
        let Some((_, (_, now))) = self.kept.newest() else { return 0 };
        let start = self.chosen(&self.start);
        let each = self.coordinates.len().max(1);
        let moved = start
            .chunks(each)
            .zip(now.chunks(each))
            .map(|(start, now)| Movement::between(start, now, each, &[true]).relevant);
        let best = moved.enumerate().reduce(|best, next| if next.1 > best.1 { next } else { best });
        best.map_or(0, |(at, _)| at)
    }
}

/// At most `most` of `0..count`, evenly spread.
fn evenly(count: usize, most: usize) -> impl Iterator<Item = usize> {
    let chosen = count.min(most);
    (0..chosen).map(move |at| at * count / chosen)
}

/// Movement over the steps, on relevant coordinates and on the others; the larger of the two is ρ.
pub fn movement(trajectories: &Trajectories) -> Lines {
    let series = |name: &str, role: Role, of: fn(Movement) -> f32| Series {
        name: name.into(),
        role,
        x: trajectories.movements().map(|(step, _)| step as f64).collect(),
        y: trajectories.movements().map(|(_, movement)| of(movement)).collect(),
        ..Default::default()
    };
    Lines {
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

/// Each kept weight of one neuron over the steps; of several recorded neurons the one that has moved most.
pub fn trajectories(trajectories: &Trajectories) -> Lines {
    let at = trajectories.leader();
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
    Lines {
        title: match trajectories.shown() {
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
        let movement = Movement::between(&start, &now, 2, &[false, true, true]);
        assert_eq!(movement, Movement { relevant: 0.5, other: 2.0 });
        assert_eq!(movement.rho(), 2.0);
        let lost = Movement::between(&start, &[f32::NAN; 6], 2, &[false, true, true]);
        assert!(lost.relevant.is_nan() && lost.rho().is_nan(), "a diverged weight is not a small one");
    }

    #[test]
    fn a_single_neuron_is_kept_whole() {
        let mut kept = Trajectories::new(&[0.0; 5], 5, 1, &[1, 3]);
        assert_eq!(kept.coordinates(), [0, 1, 2, 3, 4]);
        for step in 0..3u16 {
            let weights: Vec<f32> = (0..5).map(|i| f32::from(step) * i as f32).collect();
            kept.push(u64::from(step), &weights);
        }
        kept.push(3, &[9.0; 4]);
        let lines = trajectories(&kept);
        assert_eq!(lines.series[3].y, [0.0, 3.0, 6.0]);
        let names: Vec<&str> = lines.series.iter().map(|s| s.name.as_str()).collect();
        assert_eq!(names, [0, 1, 0, 1, 0].map(|relevant| ["irrelevant bits", "relevant bits"][relevant]));
        assert_eq!(kept.shown(), None);
        let lines = movement(&kept);
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
        let mut kept = Trajectories::new(&start, inputs, width, &relevant);
        assert_eq!(kept.coordinates().len(), COORDINATES);
        assert!(relevant.iter().all(|i| kept.coordinates().contains(i)));
        assert_eq!(kept.neurons, [0, 12, 25, 37, 50, 62, 75, 87]);
        let mut now = start;
        now[200 * width + 62] = -1.0;
        now[4 * width + 63] = 9.0; // moves more, but is not recorded
        kept.push(0, &now);
        let lines = trajectories(&kept);
        assert_eq!((lines.title.as_str(), kept.shown()), ("Weights of neuron 63", Some(63)));
        assert_eq!(lines.series.iter().filter(|s| s.y == [-1.0] && s.role == Role::Relevant).count(), 1);
        assert_eq!(lines.series.iter().filter(|s| s.y == [0.5]).count(), COORDINATES - 1);
        assert_eq!(kept.movements().next().unwrap().1, Movement { relevant: 1.5, other: 8.5 });
    }

    #[test]
    fn memory_is_bounded_and_earlier_steps_forget() {
        let mut kept = Trajectories::new(&[0.0; 2], 2, 1, &[0]);
        (0..20_000).for_each(|step| kept.push(step, &[step as f32, 0.0]));
        assert!(kept.movements().count() <= CAPACITY);
        assert_eq!(kept.movements().last().unwrap().1.relevant, 19_999.0);
        kept.push(100, &[1.0, 2.0]);
        assert!(kept.movements().all(|(step, m)| step <= 100 && m.relevant <= 100.0));
        let empty = Trajectories::new(&[], 0, 0, &[]);
        assert!(trajectories(&empty).series.is_empty() && movement(&empty).series[0].x.is_empty());
    }
}
