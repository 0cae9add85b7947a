//! `lab bench --cores`: large steps on one core of the processor and on all.

use super::{benchmark_run, format_title, select_presets, summarize_windows};
use crate::CommandError;
use crate::bench::{format_number, measure_rate, new_table};
use vivarium_training::launch::choose::choose;
use vivarium_training::launch::device::Device;

/// Runs `lab bench --cores`: times the presets with these slugs on one core and on all cores. Without slugs:
/// those presets of which all cores can share a training step.
///
/// # Errors
/// When there is no preset with a name, or it is not trained.
#[expect(clippy::print_stdout, reason = "this command prints")]
pub fn compare_cores(names: &[String], seconds: f64) -> Result<(), CommandError> {
    let (device, cores) = (Device::cpu(), vivarium_model::platform::core_count());
    let all = format!("{cores} cores, steps/s");
    let mut table = new_table(["preset", "shards", "replicas", "one core, steps/s", all.as_str(), "gain"], 1);
    for preset in select_presets(names)? {
        let spec = benchmark_run(preset);
        let shards = choose(&spec, &device).map_or(1, |chosen| 1 + chosen.learner.wanted_helpers());
        let is_shared = shards > 1 || spec.run.replicas > 1;
        if names.is_empty() && !is_shared {
            continue;
        }
        let [one, all] = [1, cores].map(|cores| {
            let (_, rates) = measure_rate(&spec, &device, cores, seconds).map_err(|why| why.to_string())?;
            summarize_windows(&rates)
        });
        let gain = match (&one, &all) {
            (Ok(one), Ok(all)) => format!("{:.2}", all.median / one.median),
            _ => "–".into(),
        };
        let said = |speed: Result<super::StepsPerSecond, String>| match speed {
            Ok(speed) => format!(
                "{} ({} – {})",
                format_number(speed.median),
                format_number(speed.low),
                format_number(speed.high)
            ),
            Err(why) => why,
        };
        table.add_row([
            format_title(preset),
            shards.to_string(),
            spec.run.replicas.to_string(),
            said(one),
            said(all),
            gain,
        ]);
    }
    println!("{table}");
    Ok(())
}
