//! Every figure about sparse token regression that an independent implementation in JAX has checked, with what is found
//! here: the staircase of heads, prompts seen until a threshold by network and length, the oracle, and pairs of codes that
//! are too much alike.
//!
//! # What was not written down there
//! Codes are taken to be ⌊5 ln N⌋ random signs wherever nothing else is said, and not scaled by √(d/q), as in the authors'
//! program: scaled, two heads for two names end at 0.06, not at 0.016. The attention's W_V and W_O are left out, since what
//! follows is linear in them; and a learning rate that falls along a line is a staircase of ten here.

use super::table::{Comparison, line};
use super::{shown, trial};
use crate::analysis::convergence::Times;
use crate::analysis::curves::spread;
use crate::permalink::decode;
use crate::platform::now_ms;
use crate::protocol::Failure;
use crate::settings::thousands;
use crate::sweep::Cell;
use crate::tokens::Codes;
use crate::tokens::theory::{angles, oracle};
use crate::training::launch::device::Device;

/// What an independent implementation found.
#[derive(Debug, Clone, PartialEq)]
pub enum Figure {
    /// The relative error at the last step of a run, lowest and highest of its seeds.
    Error(f32, f32),
    /// Prompts seen until the loss is at most the limit, fewest and most.
    Prompts(u64, u64),
    /// The limit is not reached, with the error at the last step where it was written down.
    Never(Option<f32>),
    /// The mean number of pairs of N codes with an inner product above 1/2.
    Pairs(usize, f64),
    /// The mean risk of the oracle with so many prompts, N = 16, d = 8, in 40 draws.
    Oracle(usize, f64),
}

/// One figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Instance {
    /// Section of the summary, with what is particular.
    pub name: String,
    /// The run, after `#v1/sparse-token-regression?`, and its seeds; empty where there is none.
    pub link: String,
    /// Networks that are trained here.
    pub seeds: usize,
    /// What was found elsewhere.
    pub figure: Figure,
}

/// Draws of the oracle, there as here.
const DRAWS: u32 = 40;
/// Positions and numbers in a token of those draws.
const ORACLE: (usize, usize) = (16, 8);
/// Networks for each figure that takes seconds, and for one that takes minutes.
const SEEDS: (usize, usize) = (5, 2);
/// A rate of 0.003 to step 1,333, then along a line to 0 at step 4,000.
const DECAY: &str = "lrs=1333:0.00285_1600:0.00255_1867:0.00225_2133:0.00195_2400:0.00165_2667:0.00135_2933:0.00105_3200:0.00075_3467:0.00045_3733:0.00015";

/// Every figure, in the order of the summary.
pub fn instances() -> Vec<Instance> {
    let mut all = vec![];
    for (positions, found) in [(12, 2.9), (33, 26.0), (100, 52.0)] {
        let figure = Figure::Pairs(positions, found);
        let name = format!("look-up 4 (iii): pairs of codes with |⟨ω, ω⟩| > 1/2, N = {positions}");
        all.push(Instance { name, link: String::new(), seeds: 0, figure });
    }
    all.extend(staircase());
    all.extend(published());
    all.extend(small());
    all.extend(simple());
    for (prompts, found) in [(32, 0.739), (64, 0.496), (96, 0.250), (112, 0.143), (128, 0.0)] {
        let name = format!("look-up 5.5: oracle with n = {prompts}, N = 16, d = 8");
        all.push(Instance { name, link: String::new(), seeds: 0, figure: Figure::Oracle(prompts, found) });
    }
    all
}

/// Section 5.1: heads against names, where scores read positions alone.
fn staircase() -> impl Iterator<Item = Instance> {
    let squares = [
        (2, 1, "0.5", (0.490, 0.497)),
        (2, 2, "0", (0.002, 0.015)),
        (2, 3, "0", (0.004, 0.004)),
        (3, 1, "0.667", (0.662, 0.673)),
        (3, 2, "0.333", (0.354, 0.370)),
        (3, 3, "0", (0.071, 0.095)),
        (3, 4, "0", (0.024, 0.030)),
    ];
    let squares = squares.into_iter().map(|(q, h, floor, found)| {
        let name = format!("look-up 5.1: squares, q = {q}, H = {h} (floor {floor})");
        (name, format!("q={q}&enc=one&h={h}&{DECAY}"), found)
    });
    let means = [(2, 0.0005), (3, 0.0006)].into_iter().map(|(q, found)| {
        let name = format!("look-up 5.1: mean, q = {q}, H = 1");
        (name, format!("q={q}&g=mean&enc=one&h=1&{DECAY}"), (found, found))
    });
    squares.chain(means).map(|(name, link, (low, high))| Instance {
        name,
        link,
        seeds: SEEDS.0,
        figure: Figure::Error(low, high),
    })
}

/// The three networks with what their links say of them.
#[derive(Debug, Clone, Copy)]
enum Network {
    /// One head with W_Q and W_K, and so many hidden units.
    Attention(usize),
    /// So many hidden units in each layer; 0 for N·d.
    Feedforward([usize; 2]),
    /// So many hidden units in each direction.
    Recurrent(usize),
}

impl Network {
    fn name(self) -> &'static str {
        match self {
            Network::Attention(_) => "attention",
            Network::Feedforward(_) => "MLP",
            Network::Recurrent(_) => "GRU",
        }
    }

    fn link(self, numbers: usize) -> String {
        match self {
            Network::Attention(width) => {
                format!("h=1&qk=separate&scores=all&values=token&width={width}")
            }
            Network::Feedforward(widths) => {
                let [a, b] = widths.map(|width| if width == 0 { numbers } else { width });
                format!("model=token-mlp&widths={a}.{b}")
            }
            Network::Recurrent(width) => format!("model=gru&width={width}"),
        }
    }
}

/// What races of one section have in common.
struct Race {
    section: &'static str,
    /// Numbers d in a token.
    dim: usize,
    /// Settings of all runs.
    rest: &'static str,
    /// Prompts after which a run is given up.
    most: u64,
}

impl Race {
    fn run(&self, network: Network, n: usize, figure: Figure, seeds: usize) -> Instance {
        let Race { section, dim, rest, most } = self;
        let common = format!("n={n}&dim={dim}&q=1&g=linear&codes=random&enc=one&opt=adam&wd=0.01&by=loss");
        Instance {
            name: format!("look-up {section}: {}, N = {n}", network.name()),
            link: format!(
                "{common}&{}&halt=target&steps={}&{rest}",
                network.link(n * dim),
                most.div_ceil(64)
            ),
            seeds,
            figure,
        }
    }
}

/// Section 5.2: the paper's sizes.
fn published() -> Vec<Instance> {
    let race = Race { section: "5.2", dim: 10, rest: "lr=0.001&every=10&held=5000&limit=0.7", most: 200_000 };
    let attention = [
        (2, (2600, 3200)),
        (4, (6400, 7000)),
        (6, (11_500, 13_400)),
        (8, (12_800, 14_700)),
        (10, (15_400, 16_000)),
        (12, (16_000, 18_600)),
        (24, (21_800, 23_000)),
        (48, (25_600, 26_200)),
    ];
    let mlp = [
        (2, (1900, 2600)),
        (4, (12_800, 14_100)),
        (6, (29_000, 32_000)),
        (8, (54_000, 55_000)),
        (10, (99_000, 104_000)),
    ];
    let prompts = |(low, high)| Figure::Prompts(low, high);
    let mut all: Vec<Instance> = attention
        .into_iter()
        .map(|(n, found)| race.run(Network::Attention(100), n, prompts(found), SEEDS.0))
        .collect();
    all.extend(
        mlp.into_iter()
            .map(|(n, found)| race.run(Network::Feedforward([0, 1000]), n, prompts(found), SEEDS.0)),
    );
    all.push(race.run(Network::Feedforward([0, 1000]), 12, Figure::Never(None), SEEDS.1));
    // 6 and 8 positions take an hour.
    let gru = [(2, 600), (4, 12_800)];
    all.extend(gru.map(|(n, found)| race.run(Network::Recurrent(500), n, prompts((found, found)), SEEDS.1)));
    all
}

/// Section 5.3: a size for a browser.
fn small() -> Vec<Instance> {
    let race = Race { section: "5.3", dim: 4, rest: "every=10&limit=0.5", most: 200_000 };
    let exactly = |found| Figure::Prompts(found, found);
    let attention = [(4, 5100), (8, 7000), (16, 9600), (32, 10_200)];
    let mut all =
        attention.map(|(n, found)| race.run(Network::Attention(32), n, exactly(found), SEEDS.0)).to_vec();
    let mlp = [(4, exactly(6400)), (8, exactly(81_900)), (16, Figure::Never(Some(0.91)))];
    all.extend(mlp.map(|(n, figure)| race.run(Network::Feedforward([128, 128]), n, figure, SEEDS.0)));
    let gru = [(4, 19_800), (8, 56_300), (16, 114_600)];
    all.extend(gru.map(|(n, found)| race.run(Network::Recurrent(64), n, exactly(found), SEEDS.0)));
    all
}

/// Section 5.4: one list of names for all positions.
fn simple() -> Vec<Instance> {
    let race = Race { section: "5.4", dim: 4, rest: "lists=one&lr=0.002&limit=0.05", most: 300_000 };
    let exactly = |found| Figure::Prompts(found, found);
    let attention = [(9, 35_000), (17, 67_000), (25, 51_000), (33, 58_000)];
    let mut all =
        attention.map(|(n, found)| race.run(Network::Attention(32), n, exactly(found), SEEDS.0)).to_vec();
    let gru = [(9, 32_000), (17, 58_000), (25, 163_000), (33, 179_000)];
    all.extend(gru.map(|(n, found)| race.run(Network::Recurrent(64), n, exactly(found), SEEDS.1)));
    let mlp = [
        (9, exactly(19_000)),
        (17, exactly(67_000)),
        (25, Figure::Never(Some(0.43))),
        (33, Figure::Never(Some(0.91))),
    ];
    all.extend(mlp.map(|(n, figure)| race.run(Network::Feedforward([0, 1000]), n, figure, SEEDS.1)));
    all
}

/// Largest ratio of numbers of prompts, or of errors, that still agree: one or two seeds were run elsewhere.
const RATIO: f64 = 2.0;
/// Largest share by which errors at a floor may be beyond what was found elsewhere: noise of the test.
const ERRORS_APART: f32 = 0.06;
/// The same of errors of runs that have not come to rest.
const UNDERWAY_APART: f32 = 0.1;

/// Runs one and compares.
///
/// # Errors
/// When the device stops working.
pub(super) fn compare_one(instance: &Instance, device: &Device) -> Result<Comparison, Failure> {
    let begin = now_ms();
    let (elsewhere, here, agree) = match instance.figure {
        Figure::Pairs(positions, found) => {
            let mean = angles::mean_strong_pairs(positions, Codes::Random.dimension(positions, 0));
            (found.to_string(), format!("{mean:.1}, exactly"), (mean / found).max(found / mean) < 1.2)
        }
        Figure::Oracle(prompts, found) => oracles(prompts, found),
        _ => of_networks(instance, device)?,
    };
    let seconds = (now_ms() - begin) / 1e3;
    Ok(Comparison { name: instance.name.clone(), elsewhere, here, agree, seconds })
}

fn oracles(prompts: usize, found: f64) -> (String, String, bool) {
    let (positions, dim) = ORACLE;
    let risk = |draw: u32| oracle::drawn_risks(0, draw, positions, dim, &[prompts])[0];
    let mean = (0..DRAWS).map(risk).sum::<f64>() / f64::from(DRAWS);
    let exact = oracle::mean_risk(prompts, positions, dim);
    // Squared lengths of projections follow a Beta law.
    let error = (exact * (1.0 - exact) / ((positions * dim) as f64 / 2.0 + 1.0) / f64::from(DRAWS)).sqrt();
    let agree = (mean - found).abs() <= 3.5 * std::f64::consts::SQRT_2 * error + 1e-3;
    (found.to_string(), format!("{mean:.3} ± {error:.3}, on average {exact}"), agree)
}

fn of_networks(instance: &Instance, device: &Device) -> Result<(String, String, bool), Failure> {
    let mut spec = decode(&format!("#v1/sparse-token-regression?{}", instance.link)).0.spec;
    spec.run.replicas = instance.seeds;
    let (batch, most) = (spec.batch() as u64, spec.run.steps);
    let trial = trial(Cell { spec, at: 0, series: 0 }, &[], &[], device)?;
    let last = trial.rows.last().map_or(&[][..], |row| &row.test_loss);
    let (error, lowest, highest) = spread(last);
    let times = Times::new(&trial.solved);
    let (solved, seeds) = (times.converged().len(), instance.seeds);
    let prompts = times.median().map(|steps| steps * batch as f64);
    let shown_prompts = format!("{} ({solved}/{seeds})", shown(prompts));
    Ok(match instance.figure {
        Figure::Error(low, high) => {
            // Near a floor a factor would say nothing.
            let factor = if low > 0.3 { 1.0 + ERRORS_APART } else { RATIO as f32 };
            let near = low / factor <= error && error <= high * factor;
            let elsewhere = if low == high { low.to_string() } else { format!("{low}–{high}") };
            (elsewhere, format!("{error:.4} ({lowest:.4}–{highest:.4})"), near)
        }
        Figure::Prompts(low, high) => {
            let near = |found: f64| low as f64 / RATIO <= found && found <= high as f64 * RATIO;
            let elsewhere = match low == high {
                true => thousands(low),
                false => format!("{}–{}", thousands(low), thousands(high)),
            };
            (elsewhere, shown_prompts, prompts.is_some_and(near))
        }
        Figure::Never(found) => {
            let near = found.is_none_or(|found| (error - found).abs() <= UNDERWAY_APART);
            let after = thousands(most * batch);
            let elsewhere = found.map_or(String::new(), |found| format!(" (error {found})"));
            let here = format!("{shown_prompts}, error {error:.3} ({lowest:.3}–{highest:.3})");
            (format!("not in {after}{elsewhere}"), here, 2 * solved <= seeds && near)
        }
        Figure::Pairs(..) | Figure::Oracle(..) => unreachable!("there is no network"),
    })
}

/// The comparison as a table in Markdown.
pub(super) fn markdown(rows: &[Comparison]) -> String {
    let lines: String = rows.iter().map(line).collect();
    format!(
        "| figure | elsewhere: relative error, or prompts seen | here: median (range), or median (reached) | agree \
         |\n|---|---|---|---|\n{lines}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_figure_is_a_run_that_can_be_with_a_name_of_its_own() {
        let all = instances();
        for (i, instance) in all.iter().enumerate() {
            assert!(all[..i].iter().all(|other| other.name != instance.name), "{}", instance.name);
            if instance.seeds == 0 {
                assert!(instance.link.is_empty());
                continue;
            }
            let (mut link, notices) = decode(&format!("#v1/sparse-token-regression?{}", instance.link));
            link.spec.run.replicas = instance.seeds;
            assert!(notices.is_empty(), "{}: {notices:?}", instance.name);
            assert!(link.spec.problems().is_empty(), "{}: {:?}", instance.name, link.spec.problems());
        }
    }

    #[test]
    fn figures_without_a_network_agree() {
        let bare = instances().into_iter().filter(|instance| instance.seeds == 0);
        let compared: Vec<Comparison> =
            bare.map(|instance| compare_one(&instance, &Device::cpu()).unwrap()).collect();
        assert_eq!(compared.len(), 8);
        assert!(compared.iter().all(|row| row.agree), "{compared:#?}");
        assert_eq!(oracles(64, 0.7).2, false);
    }
}
