//! What is said of runs on prompts of points and of their charts.

use super::judge::{left_out, methods, name};
use super::shown::{at_the_last_point, drawn, of_network};
use super::state::InContextState;
use super::sweeps::{across, curves};
use super::weights::is_small;
use vivarium_core::settings::real;
use vivarium_model::protocol::Row;
use vivarium_plot::analysis::curves::spread;
use vivarium_plot::analysis::ends::quartiles;
use vivarium_view::display::RunView;
use vivarium_view::display::words::{MISSING, decimal, list, setting, thousands};

/// What the four numbers of a measurement are called.
pub(super) fn names() -> [String; 4] {
    [
        tr!("Relative error, training"),
        tr!("Relative error, held-out, last point of a prompt"),
        tr!("R², training"),
        tr!("R², held-out, last point of a prompt"),
    ]
    .map(String::from)
}

/// Prompts seen, and the best of the methods that see one prompt alone.
pub(super) fn numbers(run: &RunView) -> [(String, String); 2] {
    let seen = thousands(run.step.saturating_mul(run.spec().batch() as u64));
    let best = best(run).map_or(MISSING.into(), |(r2, name)| format!("{} ({name})", decimal(r2)));
    [(tr!("Prompts seen").into(), seen), (tr!("Best method that uses only one prompt").into(), best)]
}

/// The newest median of a number.
fn newest(run: &RunView, of: fn(&Row) -> &Vec<f32>) -> f32 {
    run.history.last().map_or(f32::NAN, |row| spread(of(row)).0)
}

/// The best method at the last point that sees one prompt alone, without the label that is asked for.
fn best(run: &RunView) -> Option<(f32, &'static str)> {
    let honest = at_the_last_point(run).into_iter().filter(|(_, of)| !of.uses_query_labels());
    let best = honest.max_by(|a, b| a.0.total_cmp(&b.0));
    best.map(|(r2, of)| (r2, name(of)))
}

/// How far learning has come, for the status line.
pub(super) fn learning(run: &RunView) -> Option<String> {
    let r2 = newest(run, |row| &row.test_accuracy);
    if !r2.is_finite() {
        return None;
    }
    let r2 = decimal(r2);
    Some(match best(run) {
        Some((best, name)) => {
            tr!(
                "R² at the last point of a prompt is {r2}; the best method that uses only one prompt has R² {best} ({name})",
                r2,
                name,
                best = decimal(best)
            )
        }
        None => tr!("R² at the last point of a prompt is {r2}; 0 is the R² of predicting the mean", r2),
    })
}

/// What has been found by these networks at these steps.
pub(super) fn found_at(run: &RunView, networks: &str, at: &str) -> String {
    let settings = &run.spec().run;
    let target = real(settings.target);
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

/// "0.683 (Ridge on (x, 1))" of all methods.
fn of_methods(run: &RunView) -> Option<String> {
    let all: Vec<String> =
        at_the_last_point(run).into_iter().map(|(r2, of)| format!("{} {}", name(of), decimal(r2))).collect();
    (!all.is_empty()).then(|| list(&all))
}

/// A sentence with which another one goes on.
pub(super) fn with(said: String, more: Option<&'static str>) -> String {
    match more {
        Some(more) => format!("{said} {more}"),
        None => said,
    }
}

/// That a method is missing from the charts, where it is.
fn not_measured(run: &RunView) -> Option<&'static str> {
    let state: &InContextState = run.state()?;
    (!left_out(&state.prompts).is_empty()).then(|| {
        tr!(
            "A network that is trained on the examples of a prompt is not measured, because training takes too long at these settings."
        )
    })
}

/// That a network of the shown prompt's own is missing, where it is.
pub(super) fn not_trained(state: &InContextState) -> Option<&'static str> {
    state.inspected.is_left_out.then(|| {
        tr!("A network that is trained on this prompt is not shown, because training takes too long at these settings.")
    })
}

pub(super) fn explained(run: &RunView) -> String {
    let r2 = decimal(newest(run, |row| &row.test_accuracy));
    let said = tr!(
        "R² at the last point of held-out prompts after {step} steps: {r2}.",
        step = thousands(run.step),
        r2
    );
    let said = match of_methods(run) {
        Some(others) => tr!("{said} Methods that use only one prompt: {others}.", said, others),
        None => said,
    };
    with(said, not_measured(run))
}

pub(super) fn by_examples(run: &RunView) -> Option<String> {
    let state: &InContextState = run.state()?;
    let usual = state.prompts.points - 1;
    let places: Vec<usize> = [1, usual / 2, usual, state.prompts.max_points() - 1].into();
    let mut places: Vec<usize> = places.into_iter().filter(|k| *k > 0).collect();
    places.sort_unstable();
    places.dedup();
    let at = |r2: Option<f32>| r2.map_or(MISSING.into(), decimal);
    let line = |name: &str, of: &dyn Fn(usize) -> Option<f32>| {
        let values: Vec<String> = places.iter().map(|k| tr!("{r2} after {k}", r2 = at(of(*k)), k)).collect();
        tr!("{name}: {values}", name, values = values.join(", "))
    };
    let is_shifted = InContextState::is_shifted(&run.link.view);
    let mut said = vec![];
    match of_network(run, state) {
        Some(curve) => said.push(line(tr!("Network"), &|k| curve.middle.get(k).copied())),
        None if is_shifted && is_small(run.spec()).is_err() => {
            said.push(tr!("The network is too large for the page to measure it on changed inputs").into());
        }
        None => said.push(tr!("The network has not been measured yet").into()),
    }
    for of in methods(&state.prompts) {
        if let Some(judged) = state.judged(of) {
            let measured = tr!(
                "{method} ({count} prompts)",
                method = name(of),
                count = thousands(judged.prompts as u64)
            );
            said.push(line(&measured, &|k| judged.after(k)));
        }
    }
    let said = said.join("; ");
    let said = match is_shifted {
        false => tr!("R² by number of examples. {said}.", said),
        true => tr!(
            "R² by number of examples, with inputs multiplied by {shift}. {said}.",
            shift = real(run.link.view.shift),
            said
        ),
    };
    Some(with(said, not_measured(run)))
}

pub(super) fn prompt_title(run: &RunView) -> Option<String> {
    let state: &InContextState = run.state()?;
    let shown = state.shown(&run.link.view);
    Some(match shown {
        1 => tr!("Prompt {number}: predictions after 1 example", number = state.inspected.example),
        _ => tr!(
            "Prompt {number}: predictions after {shown} examples",
            number = state.inspected.example,
            shown
        ),
    })
}

pub(super) fn prompt(run: &RunView) -> Option<String> {
    let state: &InContextState = run.state()?;
    let drawn = state.inspected.drawn.as_ref()?;
    // How far curves are from the function, over the places that are drawn.
    let off = |y: &[f64]| {
        let squares = y.iter().zip(&drawn.truth).map(|(y, truth)| (y - truth).powi(2));
        (squares.sum::<f64>() / drawn.truth.len().max(1) as f64).sqrt() as f32
    };
    let mut all = vec![tr!("network {off}", off = decimal(off(&drawn.network)))];
    all.extend(drawn.others.iter().map(|(of, y)| format!("{} {}", name(*of), decimal(off(y)))));
    let said = tr!(
        "Root mean square distance between predictions and function, after {shown} of {most} examples: {all}.",
        shown = state.shown(&run.link.view),
        most = state.most_shown(),
        all = list(&all)
    );
    Some(with(said, not_trained(state)))
}

pub(super) fn maps_title(run: &RunView) -> Option<String> {
    let state: &InContextState = run.state()?;
    match drawn(run, &state.inspected.heads).as_slice() {
        [one] => Some(tr!(
            "Attention map of head {head} in layer {layer}",
            head = one.head + 1,
            layer = one.layer + 1
        )),
        _ => None,
    }
}

/// Where each head looks from the question.
pub(super) fn maps(run: &RunView) -> Option<String> {
    let state: &InContextState = run.state()?;
    let (heads, shown) = (drawn(run, &state.inspected.heads), state.shown(&run.link.view));
    if heads.is_empty() {
        return Some(tr!("The network has not been evaluated yet.").into());
    }
    let all = 2 * state.inspected.points() - 1;
    let one = |head: &&vivarium_model::models::in_context_transformer::Head| {
        let row = &head.weights[2 * shown * all..][..2 * shown + 1];
        let sum: f64 = row.iter().sum();
        // Of ReLU attention weights need not sum to one.
        let labels: f64 = row.iter().skip(1).step_by(2).sum::<f64>() / if sum > 0.0 { sum } else { 1.0 };
        tr!(
            "in head {head} of layer {layer}, {share} of the attention is on the label tokens",
            head = head.head + 1,
            layer = head.layer + 1,
            share = vivarium_view::display::words::percent(labels as f32)
        )
    };
    let said: Vec<String> = heads.iter().map(one).collect();
    Some(tr!("Attention of the query's token: {said}.", said = list(&said)))
}

pub(super) fn depth(run: &RunView) -> String {
    let spec = &run.link.spec;
    let one = |(name, points): (String, Vec<(f64, Vec<f32>)>)| {
        let known = points.iter().filter_map(|(x, values)| {
            let [_, middle, _] = quartiles(values)?;
            let at = setting(spec, &spec.run.sweep.key, &real(*x));
            Some(tr!("{r2} at {at}", r2 = decimal(middle), at))
        });
        let known: Vec<String> = known.collect();
        (!known.is_empty()).then(|| tr!("{name}: {known}", name, known = known.join(", ")))
    };
    let mut all = curves(run);
    if let Some((baseline, known)) = across(run) {
        all.push((name(baseline).into(), known.iter().map(|(x, r2)| (*x, vec![*r2])).collect()));
    }
    let said: Vec<String> = all.into_iter().filter_map(one).collect();
    if said.is_empty() {
        return tr!("No run of the sweep has ended yet.").into();
    }
    let said = tr!("R² at the last point of a prompt. {said}.", said = said.join("; "));
    let is_without_networks = across(run).is_some()
        && run
            .state()
            .is_some_and(|state: &InContextState| methods(&state.prompts).iter().any(|of| of.is_trained()));
    with(
        said,
        is_without_networks.then(|| {
            tr!("A network that is trained on the examples of a prompt is not measured for the runs of this sweep.")
        }),
    )
}
