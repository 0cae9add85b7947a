//! What a person does to the prompt that is looked into, and its tables. All of it is in the link and can be undone; none of
//! it restarts the run.

use crate::in_context::judge::name;
use crate::in_context::{InContextState, words};
use vivarium_core::settings::real;
use vivarium_model::permalink::View;
use vivarium_view::display::words::{decimal, list};
use vivarium_view::ui::request::Request;

/// Held-out prompts that can be looked into.
pub const EXAMPLES: usize = 64;

/// What can be done to what is looked into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromptAction {
    /// Look into this held-out prompt, from 1.
    Example(usize),
    /// Show so many examples of it.
    Shown(usize),
    /// Multiply the inputs by 2 to the power of so many quarters.
    Shift(i32),
}

/// Quarters of a power of two that inputs are divided or multiplied by at most: a factor of 4.
pub const SHIFTS: i32 = 8;

/// The number that inputs are multiplied by for this place of the slider.
pub fn factor(quarters: i32) -> f64 {
    let exact = libm::exp2(f64::from(quarters.clamp(-SHIFTS, SHIFTS)) / 4.0);
    // Three digits are enough, and the link is short.
    (exact * 1000.0).round() / 1000.0
}

/// The place of the slider that is nearest to a number that inputs are multiplied by.
pub fn quarters(factor: f64) -> i32 {
    ((4.0 * libm::log2(factor)).round() as i32).clamp(-SHIFTS, SHIFTS)
}

/// What the page is asked for by this deed.
pub fn request(state: &InContextState, what: PromptAction) -> Request {
    match what {
        PromptAction::Example(example) => Request::edit("example", example.clamp(1, EXAMPLES).to_string()),
        PromptAction::Shown(examples) => {
            let most = state.most_shown();
            // All of them are the default, whatever the length of the prompt.
            let examples = if examples >= most { 0 } else { examples.max(1) };
            Request::edit("place", examples.to_string())
        }
        PromptAction::Shift(quarters) => Request::edit("shift", real(factor(quarters))),
    }
}

/// Where the prompt comes from.
pub fn origin(state: &InContextState) -> String {
    tr!(
        "Held-out prompt {number} of {all}: {points} points of one function.",
        number = state.inspected.example,
        all = EXAMPLES,
        points = state.inspected.points()
    )
}

/// "× 2": what inputs are multiplied by.
pub fn times(view: &View) -> String {
    tr!("× {factor}", factor = real(view.shift))
}

/// What multiplied inputs are for.
pub fn about_shift(view: &View) -> String {
    match InContextState::is_shifted(view) {
        false => tr!("The inputs are the same as in the run's test prompts.").into(),
        true => tr!(
            "The inputs are {factor} times the inputs of the run's test prompts. The network was not trained again. In the charts over the training steps, R² is still measured without this factor.",
            factor = real(view.shift)
        ),
    }
}

/// "8 examples".
pub fn examples(count: usize) -> String {
    match count {
        1 => tr!("1 example").into(),
        _ => tr!("{count} examples", count),
    }
}

/// An input as it is written: one number, or several in brackets; the constant is left out.
pub fn input(state: &InContextState, point: usize) -> String {
    match state.inspected.input(point) {
        [one] => decimal(*one),
        all => format!("({})", all.iter().map(|x| decimal(*x)).collect::<Vec<_>>().join(", ")),
    }
}

/// A row of the table of predictions: who, what they predict, and how far that is from the label.
pub fn predictions(state: &InContextState, view: &View) -> Vec<[String; 3]> {
    let asked = state.shown(view);
    let truth = state.inspected.label(asked);
    let row = |(name, y): (String, f64)| {
        let off = (y - truth).abs();
        [name, decimal(y as f32), decimal(off as f32)]
    };
    let own = (tr!("The network").into(), state.inspected.answer(asked));
    let others = state.inspected.others.iter().map(|(who, y)| (name(*who).into(), *y));
    std::iter::once(own).chain(others).map(row).collect()
}

/// A row of the table of points: its number, x, y and what the network predicted for it from the points before it.
pub fn point(state: &InContextState, at: usize) -> [String; 4] {
    let inspected = &state.inspected;
    [
        (at + 1).to_string(),
        input(state, at),
        decimal(inspected.label(at) as f32),
        decimal(inspected.answer(at) as f32),
    ]
}

/// What is asked, what the label is, and what is predicted.
pub fn about(state: &InContextState, view: &View) -> String {
    let asked = state.shown(view);
    let all: Vec<String> =
        predictions(state, view).into_iter().map(|[who, y, _]| tr!("{who}: {y}", who, y)).collect();
    let said = tr!(
        "After {examples} the question is x = {x}. The label is {label}. Predictions: {all}.",
        examples = examples(asked),
        x = input(state, asked),
        label = decimal(state.inspected.label(asked) as f32),
        all = list(&all)
    );
    words::with(said, words::not_trained(state))
}
