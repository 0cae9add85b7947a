//! What a person does in the panel: change the test input, choose a program or write one, and take another problem for a
//! search. All of it asks for another run, is in the link, and can be undone.

use super::editor;
use crate::labs::succinct::SuccinctState;
use crate::models::recurrent_conv::Chosen;
use crate::settings::Value;
use crate::ui::request::Request;

/// What can be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PanelAction {
    /// Change this number of the test input, from 0.
    Toggle(usize),
    /// Take the test input that is drawn.
    Draw,
    /// Take this entry of [`EXAMPLES`].
    Example(usize),
    /// Take the program of this text.
    Write(String),
    /// Take another problem of the same kind.
    Another,
    /// Take a problem of twice the size.
    Twice,
}

/// Settings to begin with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Example {
    /// What it is called, in English.
    pub name: &'static str,
    /// The program.
    pub program: Chosen,
    /// The settings, as a link has them.
    pub settings: &'static [(&'static str, &'static str)],
}

/// Settings to begin with, in the order of their buttons.
pub const EXAMPLES: [Example; 3] = [
    Example {
        name: text!("Dictator learner"),
        program: Chosen::Dictator,
        settings: &[
            ("concept", "dictator"),
            ("program", "dictator"),
            ("inputs", "6"),
            ("examples", "8"),
            ("steps", "200"),
        ],
    },
    Example {
        name: text!("Parity by elimination"),
        program: Chosen::Parity,
        settings: &[
            ("concept", "parity"),
            ("program", "parity"),
            ("inputs", "4"),
            ("examples", "8"),
            ("steps", "1100"),
        ],
    },
    Example { name: text!("Own program"), program: Chosen::Own, settings: &[("program", "own")] },
];

/// Most inputs and most examples of a run.
const MOST: [usize; 2] = [31, 100];
/// How many seeds there are.
const SEEDS: u64 = 1 << 53;

/// What the page is asked for by this deed in a run from this seed; nothing where nothing can be done.
pub fn request(state: &SuccinctState, seed: u64, what: PanelAction) -> Option<Request> {
    match what {
        PanelAction::Toggle(at) => {
            let mut query = state.query.clone();
            let number = query.get_mut(at)?;
            *number = -*number;
            Some(Request::edit("query", dotted(&query)))
        }
        PanelAction::Draw => Some(Request::edit("query", "")),
        PanelAction::Example(at) => {
            let settings = EXAMPLES.get(at)?.settings.iter().map(|(key, text)| (*key, text.to_string()));
            Some(together(state, settings.collect()))
        }
        PanelAction::Write(text) => {
            editor::checked(&text).ok()?;
            let rules = Value::Text(editor::lines(&text)).to_string();
            Some(together(state, vec![("program", Chosen::Own.slug().to_string()), ("grid", rules)]))
        }
        PanelAction::Another => Some(Request::edit("seed", (seed.saturating_add(1) % SEEDS).to_string())),
        PanelAction::Twice => {
            let [inputs, examples] = twice(state)?;
            let settings = vec![("inputs", inputs.to_string()), ("examples", examples.to_string())];
            Some(together(state, settings))
        }
    }
}

/// Inputs and examples of a problem of twice the size, as far as a run may be as large; none where it would be the same.
pub fn twice(state: &SuccinctState) -> Option<[usize; 2]> {
    let now = [state.problem.inputs, state.problem.examples];
    let larger = [0, 1].map(|which| (2 * now[which]).min(MOST[which]));
    (larger != now).then_some(larger)
}

/// These settings as one change, one restart and one undo: a test input that is too long for every problem on the way keeps
/// the page from beginning a run before all of them are there. A test input that was set stays where it still fits.
fn together(state: &SuccinctState, settings: Vec<(&'static str, String)>) -> Request {
    let before = state.problem.inputs;
    let wanted = settings.iter().find(|(key, _)| *key == "inputs").and_then(|(_, text)| text.parse().ok());
    let after = wanted.unwrap_or(before);
    let [most, _] = MOST;
    let length = (most - 2..=most).find(|length| ![before, after].contains(length)).unwrap_or(most);
    let long = ("query", dotted(&vec![1; length]));
    let shown = if before == after { dotted(&state.problem.shown) } else { String::new() };
    Request::Edit([long].into_iter().chain(settings).chain([("query", shown)]).collect())
}

/// "1.0.1": a 1 for 1 and a 0 for −1.
fn dotted(numbers: &[i8]) -> String {
    numbers.iter().map(|number| if *number > 0 { "1" } else { "0" }).collect::<Vec<_>>().join(".")
}

/// The text of the program that runs; none of a search.
pub fn text(state: &SuccinctState) -> Option<String> {
    state.on_table().map(|own| editor::lines(own.net.text()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::opened::opened;
    use crate::app::state::{Action, State};
    use crate::permalink::encode;
    use crate::settings::{Range, Settings};
    use crate::tasks::SuccinctLearning;

    const LAB: &str = "#v1/succinct-learning";

    fn open(rest: &str) -> State {
        opened(&format!("{LAB}{rest}"))
    }

    fn of(state: &State) -> &SuccinctState {
        state.run.state().unwrap()
    }

    /// The link after this deed, and how many runs it has begun.
    fn act(state: &mut State, what: PanelAction) -> (String, u64) {
        let (runs, seed) = (state.run.runs, state.run.link.spec.run.seed);
        if let Some(asked) = request(of(state), seed, what) {
            state.apply(Action::Request(asked));
        }
        assert!(state.drafts.is_empty() && state.conflicts.is_empty(), "{:?}", state.conflicts);
        (encode(&state.run.link).replace(LAB, ""), state.run.runs - runs)
    }

    #[test]
    fn a_number_is_changed_and_changed_back() {
        let mut state = open("?inputs=4");
        let before = of(&state).query.clone();
        let (link, runs) = act(&mut state, PanelAction::Toggle(1));
        let mut changed = before.clone();
        changed[1] = -changed[1];
        assert_eq!((link, runs), (format!("?inputs=4&query={}", dotted(&changed)), 1));
        assert_eq!(of(&state).query, changed);
        assert_eq!(
            act(&mut state, PanelAction::Toggle(1)),
            (format!("?inputs=4&query={}", dotted(&before)), 1)
        );
        assert_eq!(act(&mut state, PanelAction::Toggle(9)).1, 0);
        assert_eq!(act(&mut state, PanelAction::Draw), ("?inputs=4".into(), 1));
        assert_eq!(of(&state).query, before);
        assert_eq!(act(&mut state, PanelAction::Draw).1, 0);
    }

    #[test]
    fn an_example_is_one_change() {
        for from in [
            "",
            "?inputs=12&query=1.1.1.1.1.1.1.1.1.1.1.1&steps=500",
            "?concept=parity&inputs=4&query=1.0.0.1&program=parity&steps=1100",
            "?inputs=31&examples=100",
            "?program=own",
        ] {
            for (at, example) in EXAMPLES.iter().enumerate() {
                let mut state = open(from);
                let (link, runs) = act(&mut state, PanelAction::Example(at));
                assert!(runs <= 1, "{from} {}: {link}", example.name);
                let own = of(&state).on_table().unwrap();
                assert_eq!(own.net.program, example.program, "{from} {}: {link}", example.name);
                for (key, text) in example.settings {
                    assert_eq!(state.run.link.spec.value(key).unwrap().to_string(), *text, "{from} {link}");
                }
                if runs == 1 {
                    state.apply(Action::Undo);
                    assert_eq!(encode(&state.run.link), format!("{LAB}{from}"), "{}", example.name);
                }
            }
        }
    }

    #[test]
    fn an_own_program_keeps_the_rest() {
        let mut state = open("?concept=parity&inputs=4&query=1.0.0.1&steps=300");
        let (link, runs) = act(&mut state, PanelAction::Example(2));
        assert_eq!(
            (link.as_str(), runs),
            ("?concept=parity&inputs=4&query=1.0.0.1&program=own&steps=300", 1)
        );
    }

    #[test]
    fn a_program_is_written() {
        let mut state = open("?inputs=2&query=1.0");
        assert!(text(of(&state)).unwrap().starts_with("start +- → * S L0\n"));
        let written = PanelAction::Write("a * → * S b\r\nb * → * S HALT // the end\n".into());
        let expected = "?inputs=2&query=1.0&program=own&grid=a~*~~*~S~b;b~*~~*~S~HALT~//~the~end";
        assert_eq!(act(&mut state, written.clone()), (expected.into(), 1));
        assert_eq!(text(of(&state)).unwrap(), "a * → * S b\nb * → * S HALT // the end");
        // The same again is no change, and a text with a mistake is no program.
        assert_eq!(act(&mut state, written).1, 0);
        assert_eq!(act(&mut state, PanelAction::Write("a + → * S".into())).1, 0);
        assert_eq!(act(&mut state, PanelAction::Write("a * → * L a".into())).1, 0, "its first step moves");
        state.apply(Action::Undo);
        assert_eq!(encode(&state.run.link), format!("{LAB}?inputs=2&query=1.0"));
    }

    #[test]
    fn a_search_goes_on_to_other_problems() {
        let mut state = open("?model=cell-rules&seed=3");
        assert_eq!(text(of(&state)), None);
        assert_eq!(act(&mut state, PanelAction::Another), ("?model=cell-rules&seed=4".into(), 1));
        let (link, runs) = act(&mut state, PanelAction::Twice);
        assert_eq!((link.as_str(), runs), ("?model=cell-rules&inputs=12&examples=16&seed=4", 1));
        state.apply(Action::Undo);
        assert_eq!(encode(&state.run.link), format!("{LAB}?model=cell-rules&seed=4"));
        let mut large = open("?model=cell-rules&inputs=20&examples=100");
        assert_eq!(twice(of(&large)), Some([31, 100]));
        assert_eq!(act(&mut large, PanelAction::Twice).1, 1);
        assert_eq!(twice(of(&large)), None);
        assert_eq!(act(&mut large, PanelAction::Twice).1, 0);
        let mut last = open("?model=cell-rules&seed=9007199254740991");
        assert_eq!(act(&mut last, PanelAction::Another), ("?model=cell-rules".into(), 1));
    }

    #[test]
    fn the_largest_problem_is_that_of_the_settings() {
        for (key, most) in ["inputs", "examples"].into_iter().zip(MOST) {
            let knob = SuccinctLearning::KNOBS.iter().find(|knob| knob.key == key).unwrap();
            assert_eq!(knob.range, Range::Int(1, most as u64), "{key}");
        }
    }
}
