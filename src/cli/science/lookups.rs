//! Every [figure](super::figures) about sparse token regression that an independent implementation has checked, with what
//! is found here.

use super::figures::{Figure, Instance};
use super::table::{Comparison, line};
use super::{shown, trial};
use vivarium_core::settings::thousands;
use vivarium_model::models::prompts::CODES;
use vivarium_model::permalink::decode;
use vivarium_model::platform::now_ms;
use vivarium_model::protocol::Failure;
use vivarium_model::run::RunSpec;
use vivarium_model::sweep::Cell;
use vivarium_plot::analysis::convergence::Times;
use vivarium_plot::analysis::curves::spread;
use vivarium_science::tokens::PositionCodes;
use vivarium_science::tokens::theory::{angles, oracle};
use vivarium_training::launch::device::Device;

/// Draws of the oracle, there as here.
const DRAWS: u32 = 40;
/// Positions and numbers in a token of those draws.
const ORACLE: (usize, usize) = (16, 8);

/// Largest ratio of numbers of prompts, or of errors, that still agree: one or two seeds were run elsewhere.
const RATIO: f64 = 2.0;
/// Largest share by which errors at a floor may be beyond what was found elsewhere: noise of the test.
const ERRORS_APART: f32 = 0.06;
/// The same of errors of runs that have not come to rest.
const UNDERWAY_APART: f32 = 0.1;

/// Largest ratio of exact numbers that were written down in round ones.
const ROUND: f64 = 1.25;
/// Draws of codes out of so many may have a pair that is too much alike.
const DRAWS_OF_CODES: f64 = 20.0;

/// Runs one and compares.
///
/// # Errors
/// When the device stops working.
pub(super) fn compare_one(instance: &Instance, device: &Device) -> Result<Comparison, Failure> {
    let begin = now_ms();
    let (mut elsewhere, mut here, agree) = match instance.figure {
        Figure::Pairs(positions, found) => {
            let mean = angles::mean_strong_pairs(positions, PositionCodes::Random.dimension(positions, 0));
            (found.to_string(), format!("{mean:.1}, exactly"), is_round(mean, found))
        }
        Figure::Signs(positions, by_log) => signs(positions, by_log),
        Figure::Oracle(prompts, found) => oracles(prompts, found),
        Figure::Trained(about) => {
            let (count, about) = (trained(&spec(instance)), about as f64);
            (format!("about {}", shown(Some(about))), thousands(count), is_round(count as f64, about))
        }
        Figure::Error(..) | Figure::Prompts(..) | Figure::Never(_) => of_networks(instance, device)?,
    };
    let seconds = (now_ms() - begin) / 1e3;
    if let Some(there) = instance.seconds {
        elsewhere += &format!(", {there} s");
        here += &format!(", {:.1} s each", seconds / instance.seeds as f64);
    }
    Ok(Comparison { name: instance.name.clone(), elsewhere, here, agree, seconds })
}

fn spec(instance: &Instance) -> RunSpec {
    decode(&format!("#v1/sparse-token-regression?{}", instance.link)).0.spec
}

fn is_round(exact: f64, found: f64) -> bool {
    (exact / found).max(found / exact) < ROUND
}

/// Numbers of one network that training changes.
fn trained(spec: &RunSpec) -> u64 {
    let parameters = spec.parameters();
    let trained = parameters.iter().enumerate().filter(|(which, _)| *which != CODES);
    trained.map(|(_, parameter)| parameter.len() as u64).sum()
}

/// The fewest random signs from which on the mean number of pairs that break assumption 3 stays below one in so many draws.
fn signs(positions: usize, by_log: f64) -> (String, String, bool) {
    let log = (positions as f64).ln();
    let is_short = |signs: &usize| angles::mean_strong_pairs(positions, *signs) > 1.0 / DRAWS_OF_CODES;
    let most = (4.0 * by_log * log) as usize;
    let fewest = 1 + (1..most).rev().find(is_short).unwrap_or(0);
    let found = fewest as f64 / log;
    let here = format!("{found:.1} ln N, in 19 of 20 draws");
    (format!("about {by_log} ln N"), here, is_round(found, by_log))
}

/// The largest inner product of two codes of a run, where they are random and it nearly cannot tell them apart.
fn twins(spec: &RunSpec) -> Option<f64> {
    let prompts = spec.task.sampler().prompts().filter(|prompts| prompts.codes == PositionCodes::Random)?;
    let all = prompts.draw_position_codes(spec.run.seed);
    let codes: Vec<&[f32]> = all.chunks(prompts.code_dim).collect();
    let alike = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(a * b)).sum::<f64>();
    let pairs = codes.iter().enumerate().flat_map(|(i, a)| codes[..i].iter().map(move |b| alike(a, b)));
    pairs.reduce(f64::max).filter(|most| *most > ALIKE)
}

/// Codes with a larger inner product differ in one sign of ten or in none.
const ALIKE: f64 = 0.75;

fn oracles(prompts: usize, found: f64) -> (String, String, bool) {
    let (positions, dim) = ORACLE;
    let risk = |draw: u32| oracle::sample_oracle_risks(0, draw, positions, dim, &[prompts])[0];
    let mean = (0..DRAWS).map(risk).sum::<f64>() / f64::from(DRAWS);
    let exact = oracle::mean_oracle_risk(prompts, positions, dim);
    // Squared lengths of projections follow a Beta law.
    let error = (exact * (1.0 - exact) / ((positions * dim) as f64 / 2.0 + 1.0) / f64::from(DRAWS)).sqrt();
    let agree = (mean - found).abs() <= 3.5 * std::f64::consts::SQRT_2 * error + 1e-3;
    (found.to_string(), format!("{mean:.3} ± {error:.3}, on average {exact}"), agree)
}

fn of_networks(instance: &Instance, device: &Device) -> Result<(String, String, bool), Failure> {
    let mut spec = spec(instance);
    spec.run.replicas = instance.seeds;
    let (batch, most) = (spec.batch() as u64, spec.run.steps);
    let alike = twins(&spec).map_or(String::new(), |alike| format!("; two codes alike by {alike:.1}"));
    let trial = trial(Cell { spec, at: 0, series: 0 }, &[], &[], device)?;
    let last = trial.rows.last().map_or(&[][..], |row| &row.test_loss);
    let (error, lowest, highest) = spread(last);
    let times = Times::new(&trial.solved);
    let (solved, seeds) = (times.converged().len(), instance.seeds);
    let prompts = times.median().map(|steps| steps * batch as f64);
    let range = match times.converged() {
        [first, .., last] => {
            format!("{}–{}; ", shown(Some(first * batch as f64)), shown(Some(last * batch as f64)))
        }
        _ => String::new(),
    };
    let shown_prompts = format!("{} ({range}{solved}/{seeds})", shown(prompts));
    let (elsewhere, here, agree) = match instance.figure {
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
        _ => unreachable!("there is no network"),
    };
    Ok((elsewhere, here + &alike, agree))
}

/// The comparison as a table in Markdown.
pub(super) fn markdown(rows: &[Comparison]) -> String {
    let lines: String = rows.iter().map(line).collect();
    format!(
        "| figure | independent program: relative error, or prompts seen | here: median (range; reached) | agree | why \
         |\n|---|---|---|---|---|\n{lines}"
    )
}

#[cfg(test)]
mod tests {
    use super::super::figures::instances;
    use super::*;

    #[test]
    fn figures_without_a_network_agree() {
        let bare = instances().into_iter().filter(|instance| instance.seeds == 0);
        let compared: Vec<Comparison> =
            bare.map(|instance| compare_one(&instance, &Device::cpu()).unwrap()).collect();
        assert_eq!(compared.len(), 12);
        assert!(compared.iter().all(Comparison::is_settled), "{compared:#?}");
        let apart: Vec<&str> =
            compared.iter().filter(|row| !row.agree).map(|row| row.name.as_str()).collect();
        assert_eq!(apart, ["look-up 5.2: attention, N = 12: trained numbers"]);
        assert!(!oracles(64, 0.7).2);
        assert!(!signs(100, 10.0).2);
    }

    #[test]
    fn codes_that_are_nearly_the_same_are_told_of() {
        let spec = |link: &str| decode(&format!("#v1/sparse-token-regression?{link}")).0.spec;
        // Of two signs four codes can be made, and nine positions have some twice.
        assert!(twins(&spec("n=9&codes=random&de=2")).is_some_and(|most| (most - 1.0).abs() < 1e-6));
        assert_eq!(twins(&spec("n=9&codes=random&de=200")), None);
        assert_eq!(twins(&spec("n=9")), None);
    }
}
