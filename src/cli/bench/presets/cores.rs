//! `lab bench --cores`: large steps on one core of the processor and on all.

use super::{chosen, speed, title, work};
use crate::Trouble;
use crate::bench::{count, headed, rate};
use vivarium_training::launch::choose::choose;
use vivarium_training::launch::device::Device;

/// Runs `lab bench --cores`, for presets of these names.
///
/// # Errors
/// A name that no preset has, or one that is not trained.
#[expect(clippy::print_stdout, reason = "this command prints")]
pub fn compare(names: &[String], seconds: f64) -> Result<(), Trouble> {
    let (device, cores) = (Device::cpu(), vivarium_model::platform::cores());
    let all = format!("{cores} cores, steps/s");
    let mut table = headed(["preset", "shards", "replicas", "one core, steps/s", all.as_str(), "gain"], 1);
    for preset in chosen(names)? {
        let spec = work(preset);
        let shards = choose(&spec, &device).map_or(1, |chosen| 1 + chosen.learner.wanted_helpers());
        let is_shared = shards > 1 || spec.run.replicas > 1;
        if names.is_empty() && !is_shared {
            continue;
        }
        let [one, all] = [1, cores].map(|cores| {
            let (_, rates) = rate(&spec, &device, cores, seconds).map_err(|why| why.to_string())?;
            speed(&rates)
        });
        let gain = match (&one, &all) {
            (Ok(one), Ok(all)) => format!("{:.2}", all.median / one.median),
            _ => "–".into(),
        };
        let said = |speed: Result<super::Speed, String>| match speed {
            Ok(speed) => format!("{} ({} – {})", count(speed.median), count(speed.low), count(speed.high)),
            Err(why) => why,
        };
        table.add_row([
            title(preset),
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
