//! One network whose parameters lie one number after the other, in rows of lanes: what most loops keep and
//! update alike.

use super::ReplicaState;
use super::one_hidden_layer::{LANES, Row, Update};
use crate::plan::Rule;
use vivarium_model::optim::adam::CLIP_EPSILON;
use vivarium_model::run::RunSpec;
use vivarium_operators::simd::wide;

/// What is known of any network's numbers before it is trained.
#[derive(Debug, Clone, PartialEq)]
pub struct Layout {
    /// Numbers of each parameter.
    pub sizes: Vec<usize>,
    /// Whether weight decay pulls on each parameter.
    pub decays: Vec<bool>,
    /// Whether each parameter is trained.
    pub trained: Vec<bool>,
    /// Update rule.
    pub rule: Rule,
    /// Rows and columns of each parameter.
    pub shapes: Vec<[usize; 2]>,
    /// Norm to which a gradient is shortened; 0 where it never is.
    pub clip: f64,
}

impl Layout {
    /// The layout of a run's network.
    pub fn of(spec: &RunSpec) -> Self {
        let architecture = spec.architecture();
        let parameters = architecture.parameters(spec.task.examples().inputs(), 1);
        let decays = (0..parameters.len()).map(|which| architecture.decays(which)).collect();
        let trained = (0..parameters.len()).map(|which| architecture.is_trained(which)).collect();
        let sizes = parameters.iter().map(|p| p.len()).collect();
        let shapes = parameters.iter().map(|p| [p.shape[1], p.shape[2]]).collect();
        let (rule, clip) = (Rule::of(&spec.optimizer), spec.optimizer.clip());
        Layout { sizes, decays, trained, rule, shapes, clip }
    }

    /// Room for all parameters, one list of rows for each.
    pub fn rows(&self) -> Vec<Vec<Row>> {
        self.sizes.iter().map(|size| vec![Row::ZERO; size.div_ceil(LANES)]).collect()
    }
}

/// One network with what its optimizer remembers.
#[derive(Debug, Clone, PartialEq)]
pub struct Replica {
    /// `[part][parameter]`, rows that are filled up with zeros.
    state: Vec<Vec<Vec<Row>>>,
    /// Numbers of each parameter.
    sizes: Vec<usize>,
}

impl Replica {
    /// A network whose numbers are all zero.
    pub fn new(layout: &Layout) -> Self {
        let state = vec![layout.rows(); 1 + layout.rule.moments()];
        Replica { state, sizes: layout.sizes.clone() }
    }

    /// The weights, as loops take them: one list for each parameter, the last row filled up with zeros.
    pub fn weights(&self) -> &[Vec<Row>] {
        &self.state[0]
    }

    /// Moves all trained weights against their gradient, which has the same layout and is [shortened](clip) before if it is
    /// too long.
    pub fn update(&mut self, layout: &Layout, gradient: &mut [Vec<Row>], update: &Update) {
        self.update_some(layout, gradient, update, |which| layout.trained[which]);
    }

    /// Moves the weights of the parameters for which `trains` is true; the norm of a gradient is that of these parameters.
    pub fn update_some(
        &mut self,
        layout: &Layout,
        gradient: &mut [Vec<Row>],
        update: &Update,
        trains: impl Fn(usize) -> bool,
    ) {
        if layout.clip > 0.0 {
            let others = gradient.iter_mut().enumerate().filter(|(which, _)| !trains(*which));
            others.for_each(|(_, gradient)| gradient.fill(Row::ZERO));
            clip(gradient, layout.clip);
        }
        let free = update.undecayed();
        let all = gradient.iter().zip(&layout.decays).enumerate();
        for (which, (gradient, decays)) in all.filter(|(which, _)| trains(*which)) {
            let update = if *decays { update } else { &free };
            let shape = layout.shapes[which];
            match (update, &mut self.state[..]) {
                (Update::Muon(muon, _), [w, sums, ..]) if shape[0] > 1 && shape[1] > 1 => {
                    muon.apply(shape, &mut w[which], gradient, &mut sums[which]);
                }
                (update, state) => apply(state, which, gradient, update),
            }
        }
    }
}

/// A gradient: a list of rows for each parameter, or one for all of them.
pub type Gradient = Vec<Vec<Row>>;

wide! {
    /// Multiplies every number.
    pub fn scale(rows: &mut [Row], by: f32) {
        for row in rows {
            *row = *row * by;
        }
    }
}

wide! {
    /// Adds the numbers of `more` times a weight.
    pub fn add_weighted(total: &mut [Row], more: &[Row], weight: f32) {
        for (total, more) in total.iter_mut().zip(more) {
            *total = *total + *more * weight;
        }
    }
}

/// Shortens the gradient of a whole network to a norm of `most` where it is longer, as [`vivarium_model::optim::adam`] says.
pub fn clip(gradient: &mut [Vec<Row>], most: f64) {
    let rows = gradient.iter().flatten();
    let squares = rows.fold(Row::ZERO, |sum, row| sum.zip(*row, |sum, g| sum + g * g)).sum();
    let scale = (most / (f64::from(squares).sqrt() + CLIP_EPSILON)) as f32;
    // By comparison, so that what is no number stays none.
    if scale >= 1.0 {
        return;
    }
    for row in gradient.iter_mut().flatten() {
        *row = *row * scale;
    }
}

impl ReplicaState for Replica {
    fn read(&self, part: usize, which: usize) -> Vec<f32> {
        self.state[part][which].iter().flat_map(|row| row.0).take(self.sizes[which]).collect()
    }

    fn write(&mut self, part: usize, which: usize, values: &[f32]) {
        for (row, values) in self.state[part][which].iter_mut().zip(values.chunks(LANES)) {
            row.0[..values.len()].copy_from_slice(values);
        }
    }

    fn copy(&mut self, other: &Self) {
        self.state.clone_from(&other.state);
    }
}

wide! {
    /// Moves parameter `which` against its gradient.
    fn apply(state: &mut [Vec<Vec<Row>>], which: usize, gradient: &[Row], update: &Update) {
        match state {
            [w] => update.apply(&mut w[which], gradient, &mut [], &mut []),
            [w, m] => update.apply(&mut w[which], gradient, &mut m[which], &mut []),
            [w, m, v, ..] => update.apply(&mut w[which], gradient, &mut m[which], &mut v[which]),
            [] => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_gradients_are_shortened_and_short_ones_are_not() {
        let mut one = Row::ZERO;
        (one.0[0], one.0[3]) = (3.0, -2.0);
        let mut other = Row::ZERO;
        other.0[15] = 6.0;
        // 9 + 4 + 36 is the square of 7, over both parameters.
        let long = vec![vec![one], vec![Row::ZERO, other]];
        let mut clipped = long.clone();
        clip(&mut clipped, 7.5);
        assert_eq!(clipped, long);
        clip(&mut clipped, 3.5);
        let found = [clipped[0][0].0[0], clipped[0][0].0[3], clipped[1][1].0[15]];
        for (found, exact) in found.iter().zip([1.5, -1.0, 3.0]) {
            assert!((found - exact).abs() < 1e-6, "{found} {exact}");
        }
        let mut none = vec![vec![Row([f32::NAN; LANES])]];
        clip(&mut none, 1.0);
        assert!(none[0][0].0.iter().all(|g| g.is_nan()));
        let mut zero = vec![vec![Row::ZERO]];
        clip(&mut zero, 1.0);
        assert_eq!(zero, vec![vec![Row::ZERO]]);
    }
}
