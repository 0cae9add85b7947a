//! What a person does in the panel: choose a layer and a token, which changes what is shown, and move the examples, which asks
//! for another run. All of it is in the link and can be undone.

use super::plane::{self, Frame, MOST};
use crate::descent::Function;
use crate::display::words::MISSING;
use crate::labs::descent::DescentState;
use crate::language::translated;
use crate::ui::request::Request;

/// Why there is no plot.
const NO_PLANE: &str = text!(
    "You can add and move points only if each input has one number. First set the input dimension to 1."
);

/// What can be done.
#[derive(Debug, Clone, PartialEq)]
pub enum PanelAction {
    /// Show the tokens after this layer of the step, from 1; 0 shows them between two steps.
    Layer(usize),
    /// Show the token of this example, from 1; 0 shows the query's.
    Token(usize),
    /// The same as it was typed.
    TypedToken(String),
    /// Take the examples as points of one's own.
    Own,
    /// Put down a point.
    Add([f64; 2]),
    /// Put down a point where there is room.
    AddFree,
    /// Move this point, from 0.
    Move(usize, [f64; 2]),
    /// Take this point away, from 0.
    Remove(usize),
}

/// Whether the examples are a person's own points.
pub fn is_own(state: &DescentState) -> bool {
    state.draw.function == Function::Points
}

/// Whether examples of this run can be points in a plane.
pub fn is_plane(state: &DescentState) -> bool {
    state.draw.dim == 1
}

/// The points of the plot: a person's own, or the examples of the first replica; none where an input has more numbers than one.
pub fn points(state: &DescentState) -> Vec<[f64; 2]> {
    if is_own(state) {
        return state.draw.points.clone();
    }
    if !is_plane(state) {
        return vec![];
    }
    let (examples, first) = (&state.examples, |numbers: &[f64]| numbers.first().copied().unwrap_or(0.0));
    (0..examples.len()).map(|i| [first(examples.input(i)), first(examples.label(i))]).collect()
}

/// What the page is asked for by this deed.
pub fn request(state: &DescentState, what: PanelAction) -> Request {
    let examples = state.examples.len();
    // What becomes of the points begins with those that are there.
    let change = |change: &dyn Fn(&mut Vec<[f64; 2]>)| {
        let mut points = plane::own(&points(state));
        change(&mut points);
        put(state, &points)
    };
    let is_full = points(state).len() >= MOST;
    let is_view = matches!(what, PanelAction::Layer(_) | PanelAction::Token(_) | PanelAction::TypedToken(_));
    if !is_view && !is_plane(state) {
        return Request::Say(translated(NO_PLANE));
    }
    match what {
        PanelAction::Layer(layer) => Request::edit("layer", layer.to_string()),
        PanelAction::Token(place) => Request::edit("place", place.to_string()),
        PanelAction::TypedToken(text) => {
            match text.trim().parse().ok().filter(|at| (1..=examples).contains(at)) {
                Some(place) => Request::edit("place", place.to_string()),
                None => {
                    let expected = tr!("an example from 1 to {last}", last = examples);
                    Request::Refuse { key: "place", text, expected }
                }
            }
        }
        PanelAction::Own => change(&|_| ()),
        PanelAction::Add(_) | PanelAction::AddFree if is_full => {
            Request::Say(tr!("No more than 64 points are possible. Remove one point before you add another."))
        }
        PanelAction::Add(point) => change(&|points| points.push(point.map(plane::rounded))),
        PanelAction::AddFree => change(&|points| points.push(Frame::of(points).free(points))),
        PanelAction::Move(at, to) => change(&|points| {
            if let Some(point) = points.get_mut(at) {
                *point = to.map(plane::rounded);
            }
        }),
        PanelAction::Remove(_) if points(state).len() < 2 => {
            Request::Say(tr!("At least one point must stay. Move this point, or add another point first."))
        }
        PanelAction::Remove(at) => change(&|points| {
            if at < points.len() {
                points.remove(at);
            }
        }),
    }
}

/// Has these points be the examples. The function comes first: together with no points it cannot be, so that both are one
/// change, one restart and one undo.
fn put(state: &DescentState, points: &[[f64; 2]]) -> Request {
    let function = (!is_own(state)).then(|| ("f", Function::Points.slug().to_string()));
    Request::Edit(function.into_iter().chain([("points", plane::written(points))]).collect())
}

/// What a token is called: "example 3", "query".
pub fn token_name(state: &DescentState, token: usize) -> String {
    let examples = &state.examples;
    if token >= examples.len() {
        return tr!("the query").into();
    }
    let first = |numbers: &[f64]| numbers.first().map_or(MISSING.into(), |x| super::strip::number(*x));
    match is_plane(state) {
        true => tr!(
            "example {number} at ({x}, {y})",
            number = token + 1,
            x = first(examples.input(token)),
            y = first(examples.label(token))
        ),
        false => tr!("example {number}", number = token + 1),
    }
}

/// What is said of the plot.
pub fn about_points(state: &DescentState) -> String {
    let count = points(state).len();
    match (is_plane(state), is_own(state)) {
        (false, _) => translated(NO_PLANE).into(),
        (true, true) if count == 1 => tr!("1 point of your own; at most {most} points are possible.", most = MOST),
        (true, true) => tr!("{count} points of your own; at most {most} points are possible.", count, most = MOST),
        (true, false) if count > MOST => {
            tr!(
                "{count} examples, generated from the settings. Your first change turns {most} of these examples into your own points and removes the remaining examples.",
                count,
                most = MOST
            )
        }
        (true, false) if count == 1 => {
            tr!("1 example, generated from the settings. Your first change turns this example into your own point.").into()
        }
        (true, false) => tr!("{count} examples, generated from the settings. Your first change turns these examples into your own points.", count),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::opened::opened;
    use crate::app::state::{Action, State};
    use crate::permalink::encode;

    const FOUR: &str = "-1.5:-0.141_-0.5:-0.841_0.5:0.841_1.5:0.141";

    fn open(rest: &str) -> State {
        opened(&format!("#v1/in-context-regression{rest}"))
    }

    fn of(state: &State) -> &DescentState {
        state.run.state().unwrap()
    }

    /// The link after this deed, and how many runs it has begun.
    fn act(state: &mut State, what: PanelAction) -> (String, u64) {
        let runs = state.run.runs;
        let asked = request(of(state), what);
        state.apply(Action::Request(asked));
        (encode(&state.run.link).replace("#v1/in-context-regression", ""), state.run.runs - runs)
    }

    #[test]
    fn layers_and_tokens_are_looked_at_without_another_run() {
        let mut state = open("");
        let seen = |link: &str| (link.to_string(), 0);
        assert_eq!(act(&mut state, PanelAction::Layer(3)), seen("?layer=3"));
        assert_eq!(act(&mut state, PanelAction::Layer(4)), seen("?layer=4"));
        assert_eq!((of(&state).trace.layer, of(&state).trace.place), (4, 0));
        assert_eq!(act(&mut state, PanelAction::Token(3)), seen("?place=3&layer=4"));
        assert_eq!(of(&state).trace.place, 2);
        assert_eq!(act(&mut state, PanelAction::TypedToken(" 16 ".into())), seen("?place=16&layer=4"));
        for text in ["17", "0", "x", "", "1.5", "-1"] {
            assert_eq!(act(&mut state, PanelAction::TypedToken(text.into())), seen("?place=16&layer=4"));
            let draft = state.drafts.iter().find(|draft| draft.key == "place").unwrap();
            assert_eq!(draft.problem.expected, "an example from 1 to 16");
        }
        // The query is said, and the first example, which a bare link shows, is not.
        assert_eq!(act(&mut state, PanelAction::Token(0)), seen("?place=0&layer=4"));
        assert_eq!(of(&state).trace.place, 16);
        assert!(state.drafts.is_empty());
        assert_eq!(act(&mut state, PanelAction::Token(1)), seen("?layer=4"));
        // Tokens are one change, and layers are one.
        state.apply(Action::Undo);
        state.apply(Action::Undo);
        assert_eq!(encode(&state.run.link), "#v1/in-context-regression");
    }

    #[test]
    fn drawn_examples_become_points_in_one_change() {
        let mut state = open("?n=4");
        assert!(!is_own(of(&state)) && is_plane(of(&state)));
        assert_eq!(points(of(&state)).len(), 4);
        assert_eq!(
            about_points(of(&state)),
            "4 examples, generated from the settings. Your first change turns these examples into your own points."
        );
        assert_eq!(act(&mut state, PanelAction::Own), (format!("?n=4&f=points&points={FOUR}"), 1));
        assert!(is_own(of(&state)) && state.drafts.is_empty());
        assert_eq!(about_points(of(&state)), "4 points of your own; at most 64 points are possible.");
        assert_eq!(act(&mut state, PanelAction::Own).1, 0, "they are already");
        state.apply(Action::Undo);
        assert_eq!(encode(&state.run.link), "#v1/in-context-regression?n=4");
        // Whatever is done to drawn examples begins with them.
        let added = act(&mut state, PanelAction::Add([0.25, 9.876_54]));
        assert_eq!(added, (format!("?n=4&f=points&points={FOUR}_0.25:9.877"), 1));
        state.apply(Action::Undo);
        assert_eq!(encode(&state.run.link), "#v1/in-context-regression?n=4");
    }

    #[test]
    fn points_are_added_moved_and_removed() {
        let mut state = open("?f=points&points=0:1_1:2");
        let points = |text: &str, runs: u64| (format!("?f=points&points={text}"), runs);
        assert_eq!(act(&mut state, PanelAction::Move(0, [-0.5, 1e9])), points("-0.5:100_1:2", 1));
        assert_eq!(act(&mut state, PanelAction::Move(7, [0.0; 2])), points("-0.5:100_1:2", 0));
        assert_eq!(act(&mut state, PanelAction::Remove(0)), points("1:2", 1));
        assert_eq!(about_points(of(&state)), "1 point of your own; at most 64 points are possible.");
        assert_eq!(act(&mut state, PanelAction::Remove(0)), points("1:2", 0));
        assert!(state.message.starts_with("At least one point must stay"), "{}", state.message);
        // The drawing reaches from −1.5 to 1.5, and the widest gap is on the left.
        assert_eq!(act(&mut state, PanelAction::AddFree), points("1:2_-0.25:2", 1));
        let full: Vec<String> = (0..64).map(|i| format!("{i}:0")).collect();
        let mut full = open(&format!("?f=points&points={}", full.join("_")));
        for what in [PanelAction::Add([0.5; 2]), PanelAction::AddFree] {
            assert_eq!(act(&mut full, what).1, 0);
            assert!(full.message.starts_with("No more than 64 points"), "{}", full.message);
        }
        assert_eq!(act(&mut full, PanelAction::Remove(63)).1, 1);
    }

    #[test]
    fn many_examples_leave_64_points_and_inputs_of_two_numbers_none() {
        let mut state = open("?n=200");
        assert!(about_points(of(&state)).contains("turns 64 of these examples"));
        act(&mut state, PanelAction::Own);
        assert_eq!(points(of(&state)).len(), 64);
        let mut wide = open("?dim=2&spread=normal");
        for what in [PanelAction::Own, PanelAction::Add([0.0; 2]), PanelAction::Remove(0)] {
            assert_eq!(act(&mut wide, what), ("?dim=2&spread=normal".into(), 0));
            assert_eq!(wide.message, NO_PLANE);
        }
        assert_eq!((points(of(&wide)), about_points(of(&wide)).as_str()), (vec![], NO_PLANE));
        assert_eq!(token_name(of(&wide), 4), "example 5");
    }

    #[test]
    fn tokens_have_names() {
        let state = open("?n=4");
        assert_eq!(token_name(of(&state), 0), "example 1 at (−1.50, −0.141)");
        assert_eq!(token_name(of(&state), 4), "the query");
    }
}
