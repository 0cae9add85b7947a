//! The status line: what the player is doing, in one sentence.

use crate::player::Player;
use vivarium_view::display::status::describe_status;
use vivarium_view::display::words::{self, format_thousands};

/// Returns the status line: the phase of the run, and its place in a sweep.
pub fn status_line(player: &Player) -> String {
    let run = &player.run;
    match (run.describe_sweep_position(), &run.sweep) {
        (Some(place), Some(sweep)) if !sweep.is_stopped() => format!("{place}. {}", run_status(player)),
        (Some(place), _) => place,
        _ => run_status(player),
    }
}

/// Returns the phase of the run as a sentence, without its place in a sweep.
fn run_status(player: &Player) -> String {
    if let Some(question) = &player.consent.question {
        return question.clone();
    }
    if player.hides_result && !player.run.is_under_way() && player.run.step > 0 {
        return tr!("Waiting for your prediction").into();
    }
    player.earlier_step_text().unwrap_or_else(|| describe_status(&player.run, || loading_text(player)))
}

/// Returns the status text of a run whose trainer (worker) has not answered yet.
fn loading_text(player: &Player) -> String {
    match player.run.step {
        _ if player.is_timing() => tr!("Timing the CPU and the GPU").into(),
        _ if player.device_choice().is_none() => tr!("Choosing between CPU and GPU").into(),
        0 if player.paused => {
            tr!("Getting ready. When the page is ready, the run waits until you press Play").into()
        }
        0 => tr!("Getting ready").into(),
        step => tr!("Going on from step {step}", step = format_thousands(step)),
    }
}

/// Returns the name of the learner, and why the faster learner is not used if that is so.
pub fn learner_text(player: &Player) -> String {
    let (name, note) = &player.learner;
    if note.is_empty() { name.clone() } else { format!("{name}. {note}") }
}

/// Returns the steps per second as text; with a speed limit, also those that the device could train without it.
pub fn step_rate_text(player: &Player) -> String {
    let Some((steps_per_s, capacity)) = player.step_rates else { return String::new() };
    let now = words::format_rate(steps_per_s);
    if player.run.link.view.speed > 0 && capacity > 1.2 * steps_per_s {
        let number = words::format_rate_number(capacity).unwrap_or_default();
        return tr!("{now}; {number} without the speed limit", now, number);
    }
    now
}
