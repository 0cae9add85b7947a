//! Reproduces every [result](super::figures) of the independent implementation on sparse token regression.

use super::figures::{LookupFigure, LookupInstance};
use super::table::{ComparisonRow, format_row};
use super::{format_time, measure_run};
use vivarium_core::settings::format_thousands;
use vivarium_model::models::prompts::CODES;
use vivarium_model::permalink::decode;
use vivarium_model::platform::now_ms;
use vivarium_model::protocol::RunError;
use vivarium_model::run::RunSpec;
use vivarium_model::sweep::SweepCell;
use vivarium_plot::analysis::convergence::ConvergenceTimes;
use vivarium_plot::analysis::curves::median_range;
use vivarium_science::tokens::PositionCodes;
use vivarium_science::tokens::theory::{angles, oracle};
use vivarium_training::launch::device::Device;

/// Number of random draws over which the risk of the oracle of theorem 6 (Mousavi-Hosseini et al. 2025) is
/// averaged; the oracle sees a prompt only through its projection onto the span of the training prompts.
const ORACLE_DRAWS: u32 = 40;
/// Number N of positions and dimension d of a token in the draws for the risk of the oracle of theorem 6
/// (Mousavi-Hosseini et al. 2025).
const ORACLE_SIZES: (usize, usize) = (16, 8);

/// Our number of prompts, or our error if it is small, counts as equal to that of the independent program if
/// neither is more than this many times the other; that program ran one or two seeds.
const MAX_RATIO: f64 = 2.0;
/// Largest relative difference between our error and that of the independent program at which the two count
/// as equal, for errors above 0.3: they are near the smallest error that the network can reach (the floor),
/// where a factor such as [`MAX_RATIO`] would accept any error. It allows for the noise of the test set.
const MAX_FLOOR_EXCESS: f32 = 0.06;
/// Largest difference between our median error at the last step and the error of the independent program at
/// which the two count as equal, if the runs have not reached the limit of the loss.
const MAX_UNFINISHED_DIFFERENCE: f32 = 0.1;

/// An exact number counts as equal to a rounded one if neither is more than this many times the other.
const MAX_ROUNDED_RATIO: f64 = 1.25;
/// Codes are long enough if fewer than one random draw in this many contains a pair of codes ω_i, ω_j with
/// |⟨ω_i, ω_j⟩| > 1/2.
const DRAWS_PER_FAILURE: f64 = 20.0;

/// Reproduces one result on sparse token regression and compares it with that of the independent program.
///
/// # Errors
/// When the device stops working.
pub(super) fn compare_lookup(instance: &LookupInstance, device: &Device) -> Result<ComparisonRow, RunError> {
    let begin = now_ms();
    let (mut elsewhere, mut here, agree) = match instance.figure {
        LookupFigure::Pairs(positions, found) => {
            let mean = angles::mean_strong_pairs(positions, PositionCodes::Random.dimension(positions, 0));
            (found.to_string(), format!("{mean:.1}, exactly"), matches_rounded(mean, found))
        }
        LookupFigure::Signs(positions, by_log) => compare_sign_count(positions, by_log),
        LookupFigure::Oracle(prompts, found) => compare_oracle(prompts, found),
        LookupFigure::Trained(about) => {
            let (count, about) = (trained_parameter_count(&instance_run(instance)), about as f64);
            (
                format!("about {}", format_time(Some(about))),
                format_thousands(count),
                matches_rounded(count as f64, about),
            )
        }
        LookupFigure::Error(..) | LookupFigure::Prompts(..) | LookupFigure::Never(_) => {
            compare_networks(instance, device)?
        }
    };
    let seconds = (now_ms() - begin) / 1e3;
    if let Some(there) = instance.seconds {
        elsewhere += &format!(", {there} s");
        here += &format!(", {:.1} s each", seconds / instance.seeds as f64);
    }
    Ok(ComparisonRow {
        name: instance.name.clone(),
        reference_result: elsewhere,
        our_result: here,
        agrees: agree,
        seconds,
    })
}

/// Settings of the run that reproduces a result on sparse token regression.
fn instance_run(instance: &LookupInstance) -> RunSpec {
    decode(&format!("#v1/sparse-token-regression?{}", instance.link)).0.spec
}

/// Whether neither of an exact number and a rounded one is [`MAX_ROUNDED_RATIO`] times the other or more.
fn matches_rounded(exact: f64, rounded: f64) -> bool {
    (exact / rounded).max(rounded / exact) < MAX_ROUNDED_RATIO
}

/// Number of trained parameters of one network; position codes are not counted, since they are fixed.
fn trained_parameter_count(spec: &RunSpec) -> u64 {
    let parameters = spec.parameters();
    let trained = parameters.iter().enumerate().filter(|(which, _)| *which != CODES);
    trained.map(|(_, parameter)| parameter.len() as u64).sum()
}

/// Compares, for `positions` codes (N), the smallest number of random signs per code, divided by ln N, with
/// which fewer than one draw in 20 has a pair of codes with an inner product above 1/2 in size.
/// `signs_per_log` is this ratio in the independent program. Returns the result of that program as text, ours
/// as text, and whether they agree.
fn compare_sign_count(positions: usize, signs_per_log: f64) -> (String, String, bool) {
    let log = (positions as f64).ln();
    let is_short = |signs: &usize| angles::mean_strong_pairs(positions, *signs) > 1.0 / DRAWS_PER_FAILURE;
    let most = (4.0 * signs_per_log * log) as usize;
    let fewest = 1 + (1..most).rev().find(is_short).unwrap_or(0);
    let found = fewest as f64 / log;
    let here = format!("{found:.1} ln N, in 19 of 20 draws");
    (format!("about {signs_per_log} ln N"), here, matches_rounded(found, signs_per_log))
}

/// Largest inner product of two random position codes (unit vectors) of a run; None if it is at most
/// [`MIN_SIMILAR_PRODUCT`], or if the codes are not random.
fn similar_codes_product(spec: &RunSpec) -> Option<f64> {
    let prompts = spec.task.data().prompts().filter(|prompts| prompts.codes == PositionCodes::Random)?;
    let all = prompts.draw_position_codes(spec.run.seed);
    let codes: Vec<&[f32]> = all.chunks(prompts.code_dim).collect();
    let alike = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(a * b)).sum::<f64>();
    let pairs = codes.iter().enumerate().flat_map(|(i, a)| codes[..i].iter().map(move |b| alike(a, b)));
    pairs.reduce(f64::max).filter(|most| *most > MIN_SIMILAR_PRODUCT)
}

/// Inner product of two position codes of length 1 above which they are reported as alike: codes of ten signs
/// with a larger one differ in at most one sign.
const MIN_SIMILAR_PRODUCT: f64 = 0.75;

/// Compares the mean risk of the oracle of theorem 6 (Mousavi-Hosseini et al. 2025) after `prompts` training
/// prompts with `reference`, that of the independent program. Returns the result of that program as text,
/// ours as text, and whether they agree.
fn compare_oracle(prompts: usize, reference: f64) -> (String, String, bool) {
    let (positions, dim) = ORACLE_SIZES;
    let risk = |draw: u32| oracle::sample_oracle_risks(0, draw, positions, dim, &[prompts])[0];
    let mean = (0..ORACLE_DRAWS).map(risk).sum::<f64>() / f64::from(ORACLE_DRAWS);
    let exact = oracle::mean_oracle_risk(prompts, positions, dim);
    // Squared lengths of projections follow a Beta distribution.
    let error =
        (exact * (1.0 - exact) / ((positions * dim) as f64 / 2.0 + 1.0) / f64::from(ORACLE_DRAWS)).sqrt();
    let agree = (mean - reference).abs() <= 3.5 * std::f64::consts::SQRT_2 * error + 1e-3;
    (reference.to_string(), format!("{mean:.3} ± {error:.3}, on average {exact}"), agree)
}

/// Trains the networks of an instance and compares their error or number of prompts. Returns the result of
/// the independent program as text, ours as text, and whether they agree.
fn compare_networks(instance: &LookupInstance, device: &Device) -> Result<(String, String, bool), RunError> {
    let mut spec = instance_run(instance);
    spec.run.replicas = instance.seeds;
    let (batch, most) = (spec.batch_size() as u64, spec.run.steps);
    let alike = similar_codes_product(&spec)
        .map_or(String::new(), |alike| format!("; two codes alike by {alike:.1}"));
    let trial = measure_run(SweepCell { spec, sweep_index: 0, series_index: 0 }, &[], &[], device)?;
    let last = trial.rows.last().map_or(&[][..], |row| &row.test_loss);
    let (error, lowest, highest) = median_range(last);
    let times = ConvergenceTimes::new(&trial.target_steps);
    let (solved, seeds) = (times.converged_times().len(), instance.seeds);
    let prompts = times.median().map(|steps| steps * batch as f64);
    let range = match times.converged_times() {
        [first, .., last] => {
            format!(
                "{}–{}; ",
                format_time(Some(first * batch as f64)),
                format_time(Some(last * batch as f64))
            )
        }
        _ => String::new(),
    };
    let shown_prompts = format!("{} ({range}{solved}/{seeds})", format_time(prompts));
    let (elsewhere, here, agree) = match instance.figure {
        LookupFigure::Error(low, high) => {
            // Near a floor, a factor would accept any error.
            let factor = if low > 0.3 { 1.0 + MAX_FLOOR_EXCESS } else { MAX_RATIO as f32 };
            let near = low / factor <= error && error <= high * factor;
            let elsewhere = if low == high { low.to_string() } else { format!("{low}–{high}") };
            (elsewhere, format!("{error:.4} ({lowest:.4}–{highest:.4})"), near)
        }
        LookupFigure::Prompts(low, high) => {
            let near = |found: f64| low as f64 / MAX_RATIO <= found && found <= high as f64 * MAX_RATIO;
            let elsewhere = match low == high {
                true => format_thousands(low),
                false => format!("{}–{}", format_thousands(low), format_thousands(high)),
            };
            (elsewhere, shown_prompts, prompts.is_some_and(near))
        }
        LookupFigure::Never(found) => {
            let near = found.is_none_or(|found| (error - found).abs() <= MAX_UNFINISHED_DIFFERENCE);
            let after = format_thousands(most * batch);
            let elsewhere = found.map_or(String::new(), |found| format!(" (error {found})"));
            let here = format!("{shown_prompts}, error {error:.3} ({lowest:.3}–{highest:.3})");
            (format!("not in {after}{elsewhere}"), here, 2 * solved <= seeds && near)
        }
        _ => unreachable!("there is no network"),
    };
    Ok((elsewhere, here + &alike, agree))
}

/// The comparisons of look-up results as a Markdown table.
pub(super) fn format_markdown(rows: &[ComparisonRow]) -> String {
    let lines: String = rows.iter().map(format_row).collect();
    format!(
        "| figure | independent program: relative error, or prompts seen | here: median (range; reached) | agree | why \
         |\n|---|---|---|---|---|\n{lines}"
    )
}

#[cfg(test)]
mod tests {
    use super::super::figures::lookup_instances;
    use super::*;

    #[test]
    fn figures_without_a_network_agree() {
        let bare = lookup_instances().into_iter().filter(|instance| instance.seeds == 0);
        let compared: Vec<ComparisonRow> =
            bare.map(|instance| compare_lookup(&instance, &Device::cpu()).unwrap()).collect();
        assert_eq!(compared.len(), 12);
        assert!(compared.iter().all(ComparisonRow::is_settled_or_known), "{compared:#?}");
        let apart: Vec<&str> =
            compared.iter().filter(|row| !row.agrees).map(|row| row.name.as_str()).collect();
        assert_eq!(apart, ["look-up 5.2: attention, N = 12: trained numbers"]);
        assert!(!compare_oracle(64, 0.7).2);
        assert!(!compare_sign_count(100, 10.0).2);
    }

    #[test]
    fn codes_that_are_nearly_the_same_are_reported() {
        let spec = |link: &str| decode(&format!("#v1/sparse-token-regression?{link}")).0.spec;
        // Two signs make four codes, so nine positions share some.
        assert!(
            similar_codes_product(&spec("n=9&codes=random&de=2"))
                .is_some_and(|most| (most - 1.0).abs() < 1e-6)
        );
        assert_eq!(similar_codes_product(&spec("n=9&codes=random&de=200")), None);
        assert_eq!(similar_codes_product(&spec("n=9")), None);
    }
}
