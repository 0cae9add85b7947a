//! Actions of the user on the prompt shown, and the tables of the panel. All actions are part of the link and can be
//! undone; none restarts the run.

use crate::in_context::baselines::baseline_name;
use crate::in_context::{InContextState, texts};
use vivarium_core::settings::format_real;
use vivarium_model::permalink::ViewSettings;
use vivarium_view::display::words::{format_decimal, join_list};
use vivarium_view::ui::request::Request;

/// Number of the run's held-out prompts among which the user can select the one shown.
pub const HELD_OUT_PROMPTS: usize = 64;

/// Action of the user in the panel of the held-out prompt shown: another prompt, number of examples, or factor of the
/// inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromptAction {
    /// Show the held-out prompt with this number, from 1.
    ShowPrompt(usize),
    /// Show this number of the prompt's points as examples.
    ShowExamples(usize),
    /// Multiply the inputs by 2^(q/4), where q is this position of the slider.
    ScaleInputs(i32),
}

/// Maximum position q of the slider that multiplies inputs by the factor 2^(q/4); 8 stands for a factor of 4. The
/// minimum is −8.
pub const MAX_QUARTERS: i32 = 8;

/// The factor 2^(q/4) of the inputs, rounded to three decimals, for the slider position q = `quarters`, which is
/// clamped to ±[`MAX_QUARTERS`].
pub fn scale_factor(quarters: i32) -> f64 {
    let exact = libm::exp2(f64::from(quarters.clamp(-MAX_QUARTERS, MAX_QUARTERS)) / 4.0);
    // Three digits are enough, and the link is short.
    (exact * 1000.0).round() / 1000.0
}

/// The slider position q, within ±[`MAX_QUARTERS`], for which 2^(q/4) is nearest to this factor of the inputs, on a
/// logarithmic scale.
pub fn nearest_quarters(factor: f64) -> i32 {
    ((4.0 * libm::log2(factor)).round() as i32).clamp(-MAX_QUARTERS, MAX_QUARTERS)
}

/// The request to the page for an action of the user on the prompt shown: a change of the view.
pub fn build_request(state: &InContextState, action: PromptAction) -> Request {
    match action {
        PromptAction::ShowPrompt(example) => {
            Request::edit("example", example.clamp(1, HELD_OUT_PROMPTS).to_string())
        }
        PromptAction::ShowExamples(examples) => {
            let most = state.max_shown();
            // 0 stands for all examples, whatever the length of the prompt.
            let examples = if examples >= most { 0 } else { examples.max(1) };
            Request::edit("place", examples.to_string())
        }
        PromptAction::ScaleInputs(quarters) => Request::edit("shift", format_real(scale_factor(quarters))),
    }
}

/// The sentence on the held-out prompt shown: its number and its number of points.
pub fn describe_origin(state: &InContextState) -> String {
    tr!(
        "Held-out prompt {number} of {all}: {points} points of one function.",
        number = state.inspected.prompt_number,
        all = HELD_OUT_PROMPTS,
        points = state.inspected.point_count()
    )
}

/// The factor by which the view multiplies inputs, as text: "× 2".
pub fn format_factor(view: &ViewSettings) -> String {
    tr!("× {factor}", factor = format_real(view.in_context.shift))
}

/// Sentences on whether the view multiplies the inputs of prompts by a factor, and on which charts ignore the factor.
pub fn describe_shift(view: &ViewSettings) -> String {
    match InContextState::has_scaled_inputs(view) {
        false => tr!("The inputs are the same as in the run's test prompts.").into(),
        true => tr!(
            "The inputs are {factor} times the inputs of the run's test prompts. The network was not trained again. In the charts over the training steps, R² is still measured without this factor.",
            factor = format_real(view.in_context.shift)
        ),
    }
}

/// A number of examples as text: "8 examples".
pub fn format_example_count(count: usize) -> String {
    match count {
        1 => tr!("1 example").into(),
        _ => tr!("{count} examples", count),
    }
}

/// The input of the prompt's point with index `point`, from 0, as text: one number, or several in brackets, without the
/// constant coordinate.
pub fn format_input(state: &InContextState, point: usize) -> String {
    match state.inspected.input(point) {
        [one] => format_decimal(*one),
        all => format!("({})", all.iter().map(|x| format_decimal(*x)).collect::<Vec<_>>().join(", ")),
    }
}

/// The rows of the table of predictions for the query: method (the network or a baseline), prediction, and distance
/// from the label.
pub fn prediction_rows(state: &InContextState, view: &ViewSettings) -> Vec<[String; 3]> {
    let asked = state.shown_count(view);
    let truth = state.inspected.label(asked);
    let row = |(name, y): (String, f64)| {
        let off = (y - truth).abs();
        [name, format_decimal(y as f32), format_decimal(off as f32)]
    };
    let own = (tr!("The network").into(), state.inspected.prediction(asked));
    let others = state.inspected.baseline_predictions.iter().map(|(who, y)| (baseline_name(*who).into(), *y));
    std::iter::once(own).chain(others).map(row).collect()
}

/// The row of the table of a prompt's points for the point with index `at`, from 0: the point's number from 1, x, y,
/// and the network's prediction of y from the points before it.
pub fn point_row(state: &InContextState, at: usize) -> [String; 4] {
    let inspected = &state.inspected;
    [
        (at + 1).to_string(),
        format_input(state, at),
        format_decimal(inspected.label(at) as f32),
        format_decimal(inspected.prediction(at) as f32),
    ]
}

/// Summary of the prompt panel: the query after the examples shown, its label, and the predictions of network and
/// baselines.
pub fn describe_prompt(state: &InContextState, view: &ViewSettings) -> String {
    let asked = state.shown_count(view);
    let all: Vec<String> =
        prediction_rows(state, view).into_iter().map(|[who, y, _]| tr!("{who}: {y}", who, y)).collect();
    let said = tr!(
        "After {examples} the question is x = {x}. The label is {label}. Predictions: {all}.",
        examples = format_example_count(asked),
        x = format_input(state, asked),
        label = format_decimal(state.inspected.label(asked) as f32),
        all = join_list(&all)
    );
    texts::append_sentence(said, texts::untrained_note(state))
}
