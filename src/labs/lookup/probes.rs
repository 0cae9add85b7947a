//! What is measured of networks on prompts: which name each head looks up, and the error at each position.

pub mod example;
#[cfg(test)]
mod tests;

use vivarium_model::models::Family;
use vivarium_model::models::token_attention::{OnPrompts, Plain, Scores};
use vivarium_model::protocol::Finding;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::{Batch, Form};
use vivarium_science::tokens::theory::heads::conditional_mean_covariance;
use vivarium_science::tokens::{NameRepeats, Teacher, TeacherKind, TokenPrompts};
use vivarium_view::probing::{Job, Probe, ProbeSpec, Probed};

/// Mean attention of each head on the token of each name, `[heads, names]`, over positions and held-out prompts.
///
/// Its few numbers are the share of names that are answered by a head of their own, from [`own_heads`], and the least
/// relative error that anything behind these heads can have; the second is no number where scores read more than positions
/// or the theory does not cover the task. Its counts are heads and names.
pub const HEADS: Probe = Probe { name: "lookup-heads", applies: has_heads };
/// Relative error at each position, `[positions]`, over held-out prompts.
pub const POSITIONS: Probe = Probe { name: "lookup-positions", applies: is_of_prompts };

/// Both of them.
pub const PROBES: &[ProbeSpec] = &[
    ProbeSpec { probe: HEADS, job: |network| Some(Box::new(Heads::new(network)?)) },
    ProbeSpec { probe: POSITIONS, job: |network| Some(Box::new(Positions::new(&network.spec)?)) },
];

/// Operations between two looks at the clock.
const PORTION: f64 = 4e6;
/// Operations of a whole measurement, unless that is too few prompts.
const MOST_OPERATIONS: f64 = 1e9;
/// Prompts of a measurement at least and at most.
const PROMPTS: (usize, usize) = (32, 1000);

fn is_of_prompts(spec: &RunSpec) -> Result<(), String> {
    match spec.task.examples().form() == Form::Prompt {
        true => Ok(()),
        false => Err(Form::Prompt.only().into()),
    }
}

fn has_heads(spec: &RunSpec) -> Result<(), String> {
    is_of_prompts(spec)?;
    match spec.model.config().family() {
        Some(Family::TokenAttention(_)) => Ok(()),
        _ => Err(tr!("This network has no heads.").into()),
    }
}

/// The held-out prompts of a measurement, and how many are looked at between two looks at the clock.
struct HeldOut {
    prompts: TokenPrompts,
    rows: Vec<f32>,
    portion: usize,
    /// Prompts that have been looked at.
    done: usize,
}

impl HeldOut {
    fn of(spec: &RunSpec) -> Option<Self> {
        let sampler = spec.task.sampler();
        let prompts = sampler.prompts()?;
        // A step is three times a forward pass.
        let forward = (spec.architecture().step_flops(sampler.inputs(), 1) / 3.0).max(1.0);
        let count = ((MOST_OPERATIONS / forward) as usize).clamp(PROMPTS.0, PROMPTS.1).min(spec.held_out());
        let mut batch = Batch::default();
        sampler.held_out(spec.run.seed, 0, count, &mut batch);
        Some(HeldOut { prompts, rows: batch.x, portion: ((PORTION / forward) as usize).max(1), done: 0 })
    }

    fn count(&self) -> usize {
        self.rows.len() / self.prompts.row_len()
    }

    fn is_done(&self) -> bool {
        self.done >= self.count()
    }

    /// The next prompts.
    fn next(&mut self) -> &[f32] {
        let (from, columns) = (self.done, self.prompts.row_len());
        self.done = (from + self.portion).min(self.count());
        &self.rows[from * columns..self.done * columns]
    }
}

/// The most that names get from heads of their own: of all ways to give each name a head, or none, and no head two names,
/// the one with most attention on the names; its sum over the number of names. 1 where every name has a head that looks
/// at nothing else, and H/q at most with H heads.
///
/// # Shapes
/// `attention` is `[heads, names]`.
pub fn own_heads(attention: &[f64], names: usize) -> f64 {
    // By the set of names that have a head, one head after the other.
    let mut best = vec![f64::NEG_INFINITY; 1 << names];
    best[0] = 0.0;
    for head in attention.chunks(names) {
        for set in (0..best.len()).rev() {
            let given = |name: usize| best[set & !(1 << name)] + head[name];
            let with_this = (0..names).filter(|name| set >> name & 1 == 1).map(given);
            best[set] = with_this.fold(best[set], f64::max);
        }
    }
    best.into_iter().fold(0.0, f64::max) / names as f64
}

/// The probe of the heads on its way.
struct Heads {
    held_out: HeldOut,
    plain: Plain,
    heads: usize,
    /// g with the variance of a label, where theory knows what the heads tell of it.
    teacher: Option<(Teacher, f64)>,
    attention: Vec<f64>,
    explained: f64,
}

impl Heads {
    fn new(network: &Probed) -> Option<Self> {
        let spec = &network.spec;
        let Some(Family::TokenAttention(net)) = spec.model.config().family() else { return None };
        let held_out = HeldOut::of(spec)?;
        let prompts = held_out.prompts;
        let is_known = prompts.function != TeacherKind::Network || prompts.repeats == NameRepeats::Distinct;
        let teacher = (net.scores == Scores::Positions && is_known)
            .then(|| (prompts.teacher(spec.run.seed), prompts.label_variance(spec.run.seed)));
        Some(Heads {
            held_out,
            heads: net.heads,
            attention: vec![0.0; net.heads * prompts.names],
            plain: OnPrompts { net, prompts }.plain(&network.slices()),
            teacher,
            explained: 0.0,
        })
    }

    /// Adds one prompt to what has been found.
    fn add(&mut self, row: &[f32]) {
        let prompts = self.held_out.prompts;
        let (n, q, look) = (prompts.length, prompts.names, self.plain.look(row));
        for (i, list) in prompts.split_row(row).1.chunks(q).enumerate() {
            let names: Vec<usize> = list.iter().map(|name| *name as usize).collect();
            let own: Vec<f64> =
                look.shares.chunks(n * n).flat_map(|head| &head[i * n..][..n]).copied().collect();
            for (attention, shares) in self.attention.chunks_mut(q).zip(own.chunks(n)) {
                attention.iter_mut().zip(&names).for_each(|(sum, name)| *sum += shares[*name]);
            }
            if let Some((teacher, _)) = &self.teacher {
                self.explained += teacher.label_covariance(&conditional_mean_covariance(&own, n, &names));
            }
        }
    }
}

impl Job for Heads {
    fn poll(&mut self, _network: &Probed) -> Option<Finding> {
        let columns = self.held_out.prompts.row_len();
        let rows = self.held_out.next().to_vec();
        rows.chunks(columns).for_each(|row| self.add(row));
        self.held_out.is_done().then(|| {
            let names = self.held_out.prompts.names;
            let all = (self.held_out.count() * self.held_out.prompts.length).max(1) as f64;
            let attention: Vec<f64> = self.attention.iter().map(|sum| sum / all).collect();
            let left =
                self.teacher.as_ref().map_or(f64::NAN, |(_, variance)| 1.0 - self.explained / all / variance);
            Finding::of(HEADS.id())
                .with_few([own_heads(&attention, names), left])
                .with_counts([self.heads, names])
                .with_numbers(attention.into_iter().map(|share| share as f32).collect())
        })
    }
}

/// The probe of the positions on its way.
struct Positions {
    held_out: HeldOut,
    variance: f64,
    squares: Vec<f64>,
}

impl Positions {
    fn new(spec: &RunSpec) -> Option<Self> {
        let held_out = HeldOut::of(spec)?;
        let variance = held_out.prompts.label_variance(spec.run.seed);
        Some(Positions { squares: vec![0.0; held_out.prompts.length], held_out, variance })
    }
}

impl Job for Positions {
    fn poll(&mut self, network: &Probed) -> Option<Finding> {
        let prompts = self.held_out.prompts;
        let rows = self.held_out.next();
        let outputs = network.spec.network().evaluate(&network.slices(), network.inputs(), rows, 0);
        for (row, outputs) in rows.chunks(prompts.row_len()).zip(outputs.chunks(prompts.length)) {
            for ((sum, y), f) in self.squares.iter_mut().zip(prompts.split_row(row).2).zip(outputs) {
                *sum += f64::from(f - y).powi(2);
            }
        }
        self.held_out.is_done().then(|| {
            let unit = self.held_out.count().max(1) as f64 * self.variance;
            let errors = self.squares.iter().map(|sum| (sum / unit) as f32).collect();
            Finding::of(POSITIONS.id()).with_numbers(errors)
        })
    }
}
