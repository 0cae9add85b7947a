//! Texts on runs on prompts of points, and summaries of their charts.

use super::baselines::{applicable_baselines, baseline_name, unmeasured_baselines};
use super::r2_series::{final_baseline_r2, network_curve, shown_heads};
use super::state::InContextState;
use super::sweeps::{r2_curves, swept_regression};
use super::weights::require_small;
use vivarium_core::settings::format_real;
use vivarium_plot::analysis::ends::quartiles;
use vivarium_plot::analysis::replicas::ReplicaMeasure;
use vivarium_view::display::RunView;
use vivarium_view::display::words::{MISSING, format_decimal, format_setting, format_thousands, join_list};

/// Names, for runs of in-context learning, of the four numbers of a measurement: train loss, test loss, train accuracy,
/// test accuracy.
pub(super) fn metric_names() -> [String; 4] {
    [
        tr!("Relative error, training"),
        tr!("Relative error, held-out, last point of a prompt"),
        tr!("R², training"),
        tr!("R², held-out, last point of a prompt"),
    ]
    .map(String::from)
}

/// Two readouts beside the run, each (name, value): the number of training prompts seen so far, and R² and name of the
/// best baseline at the last point of a training prompt.
pub(super) fn readouts(run: &RunView) -> [(String, String); 2] {
    let seen = format_thousands(run.step.saturating_mul(run.spec().batch_size() as u64));
    let best =
        best_baseline(run).map_or(MISSING.into(), |(r2, name)| format!("{} ({name})", format_decimal(r2)));
    [(tr!("Prompts seen").into(), seen), (tr!("Best method that uses only one prompt").into(), best)]
}

/// R² and name of the baseline with the largest R² at the last point of a training prompt, among those that do not use
/// the query's label; none before the first baseline has been measured.
fn best_baseline(run: &RunView) -> Option<(f32, &'static str)> {
    let honest = final_baseline_r2(run).into_iter().filter(|(_, of)| !of.uses_query_labels());
    let best = honest.max_by(|a, b| a.0.total_cmp(&b.0));
    best.map(|(r2, of)| (r2, baseline_name(of)))
}

/// The status line's text: R² on held-out prompts of the network (median over replicas) and of the best baseline; none
/// before the first measurement.
pub(super) fn describe_progress(run: &RunView) -> Option<String> {
    let r2 = run.history.latest_median(ReplicaMeasure::TestAccuracy);
    if !r2.is_finite() {
        return None;
    }
    let r2 = format_decimal(r2);
    Some(match best_baseline(run) {
        Some((best, name)) => {
            tr!(
                "R² at the last point of a prompt is {r2}; the best method that uses only one prompt has R² {best} ({name})",
                r2,
                name,
                best = format_decimal(best)
            )
        }
        None => tr!("R² at the last point of a prompt is {r2}; 0 is the R² of predicting the mean", r2),
    })
}

/// The sentence that says that the run has reached its target; `networks` is a phrase such as "9 of 10 networks", `at`
/// one such as "at step 4,000".
pub(super) fn describe_result(run: &RunView, networks: &str, at: &str) -> String {
    let settings = &run.spec().run;
    let target = format_real(settings.target);
    match settings.replicas {
        1 => tr!("R² at the last point of a prompt is at least {target} {at}.", target, at),
        _ => tr!(
            "R² at the last point of a prompt is at least {target} in {networks}, {at}.",
            target,
            networks,
            at
        ),
    }
}

/// All measured baselines with their R² at the last point of a training prompt, as a list: "Ridge on (x, 1) 0.683, …";
/// none before the first measurement.
fn list_baselines(run: &RunView) -> Option<String> {
    let all: Vec<String> = final_baseline_r2(run)
        .into_iter()
        .map(|(r2, of)| format!("{} {}", baseline_name(of), format_decimal(r2)))
        .collect();
    (!all.is_empty()).then(|| join_list(&all))
}

/// The text `said`, followed by a space and the sentence `more` if there is one.
pub(super) fn append_sentence(said: String, more: Option<&'static str>) -> String {
    match more {
        Some(more) => format!("{said} {more}"),
        None => said,
    }
}

/// The note for charts that R² of the trained baselines is not measured because training a network on each prompt takes
/// too long; none if all baselines are measured.
fn unmeasured_note(run: &RunView) -> Option<&'static str> {
    let state: &InContextState = run.lab_state()?;
    (!unmeasured_baselines(&state.prompts).is_empty()).then(|| {
        tr!(
            "A network that is trained on the examples of a prompt is not measured, because training takes too long at these settings."
        )
    })
}

/// The note that the trained baseline has no prediction for the prompt shown because training a network on it takes too
/// long; none otherwise.
pub(super) fn untrained_note(state: &InContextState) -> Option<&'static str> {
    state.inspected.lacks_own.then(|| {
        tr!("A network that is trained on this prompt is not shown, because training takes too long at these settings.")
    })
}

/// Summary of the chart of R² over the steps: the latest R² of the network and of the baselines.
pub(super) fn describe_r2_over_steps(run: &RunView) -> String {
    let r2 = format_decimal(run.history.latest_median(ReplicaMeasure::TestAccuracy));
    let said = tr!(
        "R² at the last point of held-out prompts after {step} steps: {r2}.",
        step = format_thousands(run.step),
        r2
    );
    let said = match list_baselines(run) {
        Some(others) => tr!("{said} Methods that use only one prompt: {others}.", said, others),
        None => said,
    };
    append_sentence(said, unmeasured_note(run))
}

/// Summary of the chart of R² by number of examples: R² of network and baselines after some numbers of examples.
pub(super) fn describe_r2_by_examples(run: &RunView) -> Option<String> {
    let state: &InContextState = run.lab_state()?;
    let usual = state.prompts.points - 1;
    let places: Vec<usize> = [1, usual / 2, usual, state.prompts.max_points() - 1].into();
    let mut places: Vec<usize> = places.into_iter().filter(|k| *k > 0).collect();
    places.sort_unstable();
    places.dedup();
    let at = |r2: Option<f32>| r2.map_or(MISSING.into(), format_decimal);
    let line = |name: &str, of: &dyn Fn(usize) -> Option<f32>| {
        let values: Vec<String> = places.iter().map(|k| tr!("{r2} after {k}", r2 = at(of(*k)), k)).collect();
        tr!("{name}: {values}", name, values = values.join(", "))
    };
    let is_shifted = InContextState::has_scaled_inputs(&run.link.view);
    let mut said = vec![];
    match network_curve(run, state) {
        Some(curve) => said.push(line(tr!("Network"), &|k| curve.mean.get(k).copied())),
        None if is_shifted && require_small(run.spec()).is_err() => {
            said.push(tr!("The network is too large for the page to measure it on changed inputs").into());
        }
        None => said.push(tr!("The network has not been measured yet").into()),
    }
    for of in applicable_baselines(&state.prompts) {
        if let Some(judged) = state.baseline_curve(of) {
            let measured = tr!(
                "{method} ({count} prompts)",
                method = baseline_name(of),
                count = format_thousands(judged.prompt_count as u64)
            );
            said.push(line(&measured, &|k| judged.r2_after(k)));
        }
    }
    let said = said.join("; ");
    let said = match is_shifted {
        false => tr!("R² by number of examples. {said}.", said),
        true => tr!(
            "R² by number of examples, with inputs multiplied by {shift}. {said}.",
            shift = format_real(run.link.view.in_context.shift),
            said
        ),
    };
    Some(append_sentence(said, unmeasured_note(run)))
}

/// The title of the chart of one held-out prompt: the prompt's number, and the number of its examples shown.
pub(super) fn prompt_title(run: &RunView) -> Option<String> {
    let state: &InContextState = run.lab_state()?;
    let shown = state.shown_count(&run.link.view);
    Some(match shown {
        1 => tr!("Prompt {number}: predictions after 1 example", number = state.inspected.prompt_number),
        _ => tr!(
            "Prompt {number}: predictions after {shown} examples",
            number = state.inspected.prompt_number,
            shown
        ),
    })
}

/// Summary of the chart of one held-out prompt: root mean square distances from its target function to the predictions
/// of network and baselines.
pub(super) fn describe_prompt(run: &RunView) -> Option<String> {
    let state: &InContextState = run.lab_state()?;
    let drawn = state.inspected.curves.as_ref()?;
    // Root mean square distance of a curve from the function.
    let off = |y: &[f64]| {
        let squares = y.iter().zip(&drawn.target).map(|(y, truth)| (y - truth).powi(2));
        (squares.sum::<f64>() / drawn.target.len().max(1) as f64).sqrt() as f32
    };
    let mut all = vec![tr!("network {off}", off = format_decimal(off(&drawn.network)))];
    all.extend(
        drawn.baselines.iter().map(|(of, y)| format!("{} {}", baseline_name(*of), format_decimal(off(y)))),
    );
    let said = tr!(
        "Root mean square distance between predictions and function, after {shown} of {most} examples: {all}.",
        shown = state.shown_count(&run.link.view),
        most = state.max_shown(),
        all = join_list(&all)
    );
    Some(append_sentence(said, untrained_note(state)))
}

/// The title of the attention map of the head selected in the view; none if all heads are shown.
pub(super) fn attention_maps_title(run: &RunView) -> Option<String> {
    let state: &InContextState = run.lab_state()?;
    match shown_heads(run, &state.inspected.heads).as_slice() {
        [one] => Some(tr!(
            "Attention map of head {head} in layer {layer}",
            head = one.head + 1,
            layer = one.layer + 1
        )),
        _ => None,
    }
}

/// Summary of the attention maps on the prompt shown: for each head whose map is drawn, the share of the attention of
/// the query's token that is on the tokens of labels.
pub(super) fn describe_attention_maps(run: &RunView) -> Option<String> {
    let state: &InContextState = run.lab_state()?;
    let (heads, shown) = (shown_heads(run, &state.inspected.heads), state.shown_count(&run.link.view));
    if heads.is_empty() {
        return Some(tr!("The network has not been evaluated yet.").into());
    }
    let all = 2 * state.inspected.point_count() - 1;
    let one = |head: &&vivarium_model::models::in_context_transformer::Head| {
        let row = &head.weights[2 * shown * all..][..2 * shown + 1];
        let sum: f64 = row.iter().sum();
        // ReLU attention weights need not sum to 1.
        let labels: f64 = row.iter().skip(1).step_by(2).sum::<f64>() / if sum > 0.0 { sum } else { 1.0 };
        tr!(
            "in head {head} of layer {layer}, {share} of the attention is on the label tokens",
            head = head.head + 1,
            layer = head.layer + 1,
            share = vivarium_view::display::words::format_percent(labels as f32)
        )
    };
    let said: Vec<String> = heads.iter().map(one).collect();
    Some(tr!("Attention of the query's token: {said}.", said = join_list(&said)))
}

/// Summary of the chart of R² on held-out prompts at the end of a sweep's runs, by the swept setting, for the network
/// and the linear baseline.
pub(super) fn describe_sweep(run: &RunView) -> String {
    let spec = &run.link.spec;
    let one = |(name, points): (String, Vec<(f64, Vec<f32>)>)| {
        let known = points.iter().filter_map(|(x, values)| {
            let [_, middle, _] = quartiles(values)?;
            let at = format_setting(spec, &spec.run.sweep.key, &format_real(*x));
            Some(tr!("{r2} at {at}", r2 = format_decimal(middle), at))
        });
        let known: Vec<String> = known.collect();
        (!known.is_empty()).then(|| tr!("{name}: {known}", name, known = known.join(", ")))
    };
    let mut all = r2_curves(run);
    if let Some((baseline, known)) = swept_regression(run) {
        all.push((baseline_name(baseline).into(), known.iter().map(|(x, r2)| (*x, vec![*r2])).collect()));
    }
    let said: Vec<String> = all.into_iter().filter_map(one).collect();
    if said.is_empty() {
        return tr!("No run of the sweep has ended yet.").into();
    }
    let said = tr!("R² at the last point of a prompt. {said}.", said = said.join("; "));
    let is_without_networks = swept_regression(run).is_some()
        && run.lab_state().is_some_and(|state: &InContextState| {
            applicable_baselines(&state.prompts).iter().any(|of| of.is_trained())
        });
    append_sentence(
        said,
        is_without_networks.then(|| {
            tr!("A network that is trained on the examples of a prompt is not measured for the runs of this sweep.")
        }),
    )
}
