//! Runs the instances of the specifications and compares them with the results of independent programs: the
//! generated table.

use super::instances::{PARITY_INSTANCES, ParityFinding, ParityInstance};
use super::table::{ComparisonRow, format_row};
use super::{REPLICAS, figures, format_time, in_context, lookups, measure_run, needs_weights};
use vivarium_core::settings::format_thousands;
use vivarium_model::permalink::decode;
use vivarium_model::platform::now_ms;
use vivarium_model::protocol::RunError;
use vivarium_model::sweep::SweepCell;
use vivarium_plot::analysis::convergence::ConvergenceTimes;
use vivarium_training::launch::device::Device;
use vivarium_view::presets::ExpectedMeasure;

/// Runs the experiments whose names contain `filter` and compares them with the results of independent
/// programs; `report` is called after each experiment.
///
/// These are the [instances](PARITY_INSTANCES) of the parity lab with [`REPLICAS`] networks each, and the
/// figures of the look-up lab and of the two labs in context.
///
/// # Errors
/// When the device stops working.
pub fn compare_all(
    device: &Device,
    filter: &str,
    mut report: impl FnMut(&ComparisonRow),
) -> Result<Vec<ComparisonRow>, RunError> {
    let chosen = PARITY_INSTANCES.iter().filter(|i| i.name.contains(filter));
    let mut rows = vec![];
    for instance in chosen {
        let row = compare_parity(instance, device)?;
        report(&row);
        rows.push(row);
    }
    for instance in figures::lookup_instances().iter().filter(|i| i.name.contains(filter)) {
        let row = lookups::compare_lookup(instance, device)?;
        report(&row);
        rows.push(row);
    }
    let mut last = in_context::LastTraining::default();
    for instance in in_context::in_context_instances().iter().filter(|i| i.name.contains(filter)) {
        let row = in_context::compare_in_context(instance, &mut last, device)?;
        report(&row);
        rows.push(row);
    }
    Ok(rows)
}

/// Our median time to the target, or our median of a measure other than accuracy, counts as equal to the
/// result of an independent program if neither is more than this many times the other. The factor is large
/// because these programs ran few seeds.
const MAX_MEDIAN_RATIO: f64 = 2.0;
/// Largest difference between our success rate and that of an independent program at which the two count as
/// equal.
const MAX_SHARE_DIFFERENCE: f64 = 0.3;

/// Runs an instance of the parity lab with [`REPLICAS`] networks and compares its result with that of the
/// independent program.
fn compare_parity(instance: &ParityInstance, device: &Device) -> Result<ComparisonRow, RunError> {
    let mut spec = decode(&format!("#v1/sparse-parity?{}", instance.link)).0.spec;
    spec.run.replicas = REPLICAS;
    let measure = match instance.finding {
        ParityFinding::Value { measure, .. } => Some(measure).filter(|measure| needs_weights(*measure)),
        ParityFinding::Time { .. } => None,
    };
    let begin = now_ms();
    let trial =
        measure_run(SweepCell { spec, sweep_index: 0, series_index: 0 }, &[], measure.as_slice(), device)?;
    let seconds = (now_ms() - begin) / 1e3;
    let (elsewhere, here, agree) = match instance.finding {
        ParityFinding::Value { measure, step, value } => {
            let found = trial.median_at(measure, step);
            let (lowest, highest) = trial.range_at(measure, step);
            let near = (found / value).max(value / found) <= MAX_MEDIAN_RATIO as f32;
            // A ratio of accuracies would be near 1 even at chance.
            let is_accuracy = measure == ExpectedMeasure::TestAccuracy;
            let agree = if is_accuracy { (found - value).abs() < 0.025 } else { near };
            // The reference value is that of one seed, which may lie anywhere in our range.
            let agree = agree || (lowest <= value && value <= highest);
            (format!("{value}"), format!("{found:.3} ({lowest:.3}–{highest:.3})"), agree)
        }
        ParityFinding::Time { median: (low, high), solved: (some, all) } => {
            let times = ConvergenceTimes::new(&trial.target_steps);
            let solved = times.converged_times().len();
            let found = median_of_converged(&times);
            let is_near = found
                .is_none_or(|t| low as f64 / MAX_MEDIAN_RATIO <= t && t <= high as f64 * MAX_MEDIAN_RATIO);
            let share = solved as f64 / REPLICAS as f64;
            let apart = (share - some as f64 / all as f64).abs();
            let elsewhere = match (low == high, high) {
                (_, 0) => format!("{some}/{all}"),
                (true, _) => format!("{} ({some}/{all})", format_thousands(low)),
                (false, _) => format!("{}–{} ({some}/{all})", format_thousands(low), format_thousands(high)),
            };
            let here = format!("{} ({solved}/{REPLICAS})", format_time(found));
            (elsewhere, here, (is_near || high == 0) && apart <= MAX_SHARE_DIFFERENCE)
        }
    };
    Ok(ComparisonRow {
        name: instance.name.into(),
        reference_result: elsewhere,
        our_result: here,
        agrees: agree,
        seconds,
    })
}

/// Median time to the target, in steps, of the networks that reached it; None if none did. The independent
/// program leaves out the other networks, too.
fn median_of_converged(times: &ConvergenceTimes) -> Option<f64> {
    let converged: Vec<Option<u64>> = times.converged_times().iter().map(|t| Some(*t as u64)).collect();
    ConvergenceTimes::new(&converged).median()
}

/// All comparisons as three Markdown tables: parity, look-up and in context.
pub fn format_markdown(rows: &[ComparisonRow]) -> String {
    let (of_lookups, others): (Vec<ComparisonRow>, Vec<ComparisonRow>) =
        rows.iter().cloned().partition(|row| row.name.starts_with("look-up"));
    let is_in_context =
        |row: &ComparisonRow| ["built", "learned"].iter().any(|own| row.name.starts_with(own));
    let (in_context, of_parities): (Vec<ComparisonRow>, Vec<ComparisonRow>) =
        others.into_iter().partition(is_in_context);
    let lines: String = of_parities.iter().map(format_row).collect();
    let parities = format!(
        "| instance | independent program: median t_c (solved) or value | here, {REPLICAS} seeds | agree | why \
         |\n|---|---|---|---|---|\n{lines}"
    );
    format!(
        "{parities}\n{}\n{}",
        lookups::format_markdown(&of_lookups),
        in_context::format_markdown(&in_context)
    )
}
