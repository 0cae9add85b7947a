//! What a person does to the prompt that is looked into, and its tables. All of it is in the link and can be undone; none of
//! it restarts the run.

use crate::display::words::{decimal, list};
use crate::labs::in_context::InContextState;
use crate::labs::in_context::judge::name;
use crate::permalink::View;
use crate::ui::request::Request;

/// Held-out prompts that can be looked into.
pub const EXAMPLES: usize = 64;

/// What can be done to what is looked into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromptAction {
    /// Look into this held-out prompt, from 1.
    Example(usize),
    /// Show so many examples of it.
    Shown(usize),
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
    tr!(
        "After {examples} the question is x = {x}. The label is {label}. Predictions: {all}.",
        examples = examples(asked),
        x = input(state, asked),
        label = decimal(state.inspected.label(asked) as f32),
        all = list(&all)
    )
}
