//! Instances of the specifications, run and held against what independent programs found: the generated table.

use super::instances::{Found, INSTANCES, Instance};
use super::table::{Comparison, line};
use super::{REPLICAS, figures, in_context, is_of_weights, lookups, shown, trial};
use vivarium_core::settings::thousands;
use vivarium_model::permalink::decode;
use vivarium_model::platform::now_ms;
use vivarium_model::protocol::Failure;
use vivarium_model::sweep::Cell;
use vivarium_plot::analysis::convergence::Times;
use vivarium_training::launch::device::Device;
use vivarium_view::presets::Measure;

/// The tables of all [instances](INSTANCES) of the parity lab, on [`REPLICAS`] networks each, and of all figures of the
/// look-up lab and of the two labs in context: what was found elsewhere and here.
///
/// # Errors
/// When the device stops working.
pub fn compare(
    device: &Device,
    filter: &str,
    mut told: impl FnMut(&Comparison),
) -> Result<Vec<Comparison>, Failure> {
    let chosen = INSTANCES.iter().filter(|i| i.name.contains(filter));
    let mut rows = vec![];
    for instance in chosen {
        let row = compare_one(instance, device)?;
        told(&row);
        rows.push(row);
    }
    for instance in figures::instances().iter().filter(|i| i.name.contains(filter)) {
        let row = lookups::compare_one(instance, device)?;
        told(&row);
        rows.push(row);
    }
    let mut last = in_context::Last::default();
    for instance in in_context::instances().iter().filter(|i| i.name.contains(filter)) {
        let row = in_context::compare_one(instance, &mut last, device)?;
        told(&row);
        rows.push(row);
    }
    Ok(rows)
}

/// Largest ratio between two medians that still agree: few seeds were run elsewhere, and t_c varies by as much.
const RATIO: f64 = 2.0;
/// Largest difference of two shares of seeds that succeed.
const SHARES_APART: f64 = 0.3;

fn compare_one(instance: &Instance, device: &Device) -> Result<Comparison, Failure> {
    let mut spec = decode(&format!("#v1/sparse-parity?{}", instance.link)).0.spec;
    spec.run.replicas = REPLICAS;
    let measure = match instance.found {
        Found::Value { measure, .. } => Some(measure).filter(|measure| is_of_weights(*measure)),
        Found::Time { .. } => None,
    };
    let begin = now_ms();
    let trial = trial(Cell { spec, at: 0, series: 0 }, &[], measure.as_slice(), device)?;
    let seconds = (now_ms() - begin) / 1e3;
    let (elsewhere, here, agree) = match instance.found {
        Found::Value { measure, step, value } => {
            let found = trial.median(measure, step);
            let (lowest, highest) = trial.range(measure, step);
            let near = (found / value).max(value / found) <= RATIO as f32;
            // Accuracies are compared by what they have above chance.
            let is_accuracy = measure == Measure::TestAccuracy;
            let agree = if is_accuracy { (found - value).abs() < 0.025 } else { near };
            // What was written down is one seed's.
            let agree = agree || (lowest <= value && value <= highest);
            (format!("{value}"), format!("{found:.3} ({lowest:.3}–{highest:.3})"), agree)
        }
        Found::Time { median: (low, high), solved: (some, all) } => {
            let times = Times::new(&trial.solved);
            let solved = times.converged().len();
            let found = quantile_of_converged(&times);
            let is_near = found.is_none_or(|t| low as f64 / RATIO <= t && t <= high as f64 * RATIO);
            let share = solved as f64 / REPLICAS as f64;
            let apart = (share - some as f64 / all as f64).abs();
            let elsewhere = match (low == high, high) {
                (_, 0) => format!("{some}/{all}"),
                (true, _) => format!("{} ({some}/{all})", thousands(low)),
                (false, _) => format!("{}–{} ({some}/{all})", thousands(low), thousands(high)),
            };
            let here = format!("{} ({solved}/{REPLICAS})", shown(found));
            (elsewhere, here, (is_near || high == 0) && apart <= SHARES_APART)
        }
    };
    Ok(Comparison { name: instance.name.into(), elsewhere, here, agree, seconds })
}

/// The median of those that reached the target, as elsewhere.
fn quantile_of_converged(times: &Times) -> Option<f64> {
    let converged: Vec<Option<u64>> = times.converged().iter().map(|t| Some(*t as u64)).collect();
    Times::new(&converged).median()
}

/// The comparison as tables in Markdown.
pub fn markdown(rows: &[Comparison]) -> String {
    let (of_lookups, others): (Vec<Comparison>, Vec<Comparison>) =
        rows.iter().cloned().partition(|row| row.name.starts_with("look-up"));
    let is_in_context = |row: &Comparison| ["built", "learned"].iter().any(|own| row.name.starts_with(own));
    let (in_context, of_parities): (Vec<Comparison>, Vec<Comparison>) =
        others.into_iter().partition(is_in_context);
    let lines: String = of_parities.iter().map(line).collect();
    let parities = format!(
        "| instance | independent program: median t_c (solved) or value | here, {REPLICAS} seeds | agree | why \
         |\n|---|---|---|---|---|\n{lines}"
    );
    format!("{parities}\n{}\n{}", lookups::markdown(&of_lookups), in_context::markdown(&in_context))
}
