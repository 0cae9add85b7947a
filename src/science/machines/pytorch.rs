//! The transformer of a machine as a PyTorch script of its own, which anyone can run and read.
//!
//! The script holds the rules, and writes the weights down from them as [`Construction`](super::Construction) does; or it
//! reads them from a file of weights, which may have noise. It executes the transformer step by step, with an ordinary
//! simulator beside it.
//!
//! # Why
//! A script that only reads a file would show that the numbers do what is said, but not where they come from. So the
//! construction is written a second time, in Python. The test of the script holds that both are the same.

use super::attention::Choice;
use super::machine::{Machine, Verdict};
use super::transformer::How;
use vivarium_core::pytorch::{Part, entries, text};

/// The script, with a place for the settings.
const SCRIPT: &str = include_str!("pytorch.py");

/// What the script needs to know of a run: the machine, its input by number, the cell where head and input begin, the
/// number of steps, and the bits of a position.
pub fn of_run(machine: &Machine, input: &[usize], start: usize, steps: usize, bits: u32) -> Part {
    let name = |symbol: char| text(symbol.encode_utf8(&mut [0; 4]));
    let list = |names: Vec<String>| format!("[{}]", names.join(", "));
    let states = machine.states().iter().map(|state| text(state)).collect();
    let symbols = machine.symbols().iter().map(|symbol| name(*symbol)).collect();
    let ending = |wanted: Verdict| {
        let states = machine.states().iter().enumerate();
        let states = states.filter(|(state, _)| machine.verdict(*state) == Some(wanted));
        states.map(|(_, name)| text(name)).collect::<Vec<_>>()
    };
    let settings = vec![
        ("states", list(states)),
        ("symbols", list(symbols)),
        ("rules", rules(machine)),
        ("accepting", list(ending(Verdict::Accepts))),
        ("rejecting", list(ending(Verdict::Rejects))),
        ("input", text(&machine.spell(input.iter().copied()))),
        ("start", start.to_string()),
        ("steps", steps.to_string()),
        ("bits", bits.to_string()),
    ];
    Part { settings, ..Part::default() }
}

/// The script, and how the transformer is executed.
pub fn of_transformer(how: How) -> Part {
    let beta = match how.choice {
        Choice::Hard => "None".into(),
        Choice::Soft(beta) if beta.is_finite() => format!("{beta:?}"),
        Choice::Soft(beta) => format!("float(\"{beta}\")"),
    };
    let rounding = if how.rounding { "True" } else { "False" };
    let settings = vec![("beta", beta), ("rounding", rounding.into())];
    Part { settings, whole: Some(SCRIPT), ..Part::default() }
}

/// The script of so many steps.
///
/// ```
/// # use vivarium_science::machines::{How, library, pytorch};
/// let example = &library::EXAMPLES[0];
/// let machine = example.machine().unwrap();
/// let input = machine.read(example.input).unwrap();
/// let script = pytorch::script(&machine, &input, example.start, example.steps, How::default(), 4);
/// assert!(script.contains("import torch") && script.contains("(\"carry\", \"1\"): (\"0\", \"L\", \"carry\"),"));
/// ```
pub fn script(machine: &Machine, input: &[usize], start: usize, steps: usize, how: How, bits: u32) -> String {
    let parts = [of_run(machine, input, start, steps, bits), of_transformer(how)];
    SCRIPT.replace("{{settings}}", &entries(parts.into_iter().flat_map(|part| part.settings)))
}

/// The rules as a dictionary, one a line.
fn rules(machine: &Machine) -> String {
    let symbol = |number: usize| text(&machine.spell([number]));
    let mut lines = String::from("{\n");
    for (state, name) in machine.states().iter().enumerate() {
        for read in 0..machine.symbols().len() {
            let Some(rule) = machine.rule(state, read) else { continue };
            let next = machine.states().get(rule.next).map_or("", String::as_str);
            let (write, step) = (symbol(rule.write), rule.step.letter());
            let key = format!("({}, {})", text(name), symbol(read));
            lines += &format!("        {key}: ({write}, \"{step}\", {}),\n", text(next));
        }
    }
    lines + "    }"
}
