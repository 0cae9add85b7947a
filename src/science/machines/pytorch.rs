//! The transformer of a machine as a self-contained PyTorch script.
//!
//! The script contains the rules and computes the weights from them like [`Construction`](super::Construction), or reads the
//! weights from a file, possibly with noise. It executes the transformer step by step and compares it with an ordinary
//! simulator.
//!
//! # Why
//! A script that only reads a file would not show where the weights come from. So the construction is implemented a second
//! time, in Python. A test checks that both give the same weights.

use super::attention::AttentionMode;
use super::machine::{Machine, Verdict};
use super::transformer::ExecutionMode;
use vivarium_core::pytorch::{ScriptPart, dict_entries, string_literal};

/// Source of the PyTorch script that builds and runs the transformer, with a placeholder for the settings.
const SCRIPT: &str = include_str!("pytorch.py");

/// The PyTorch script's settings for a run: the machine, its input (symbol indices), the start cell, the number of
/// steps, and the bits of a position.
pub fn run_part(machine: &Machine, input: &[usize], start: usize, steps: usize, bits: u32) -> ScriptPart {
    let name = |symbol: char| string_literal(symbol.encode_utf8(&mut [0; 4]));
    let list = |names: Vec<String>| format!("[{}]", names.join(", "));
    let states = machine.state_names().iter().map(|state| string_literal(state)).collect();
    let symbols = machine.symbols().iter().map(|symbol| name(*symbol)).collect();
    let ending = |wanted: Verdict| {
        let states = machine.state_names().iter().enumerate();
        let states = states.filter(|(state, _)| machine.verdict(*state) == Some(wanted));
        states.map(|(_, name)| string_literal(name)).collect::<Vec<_>>()
    };
    let settings = vec![
        ("states", list(states)),
        ("symbols", list(symbols)),
        ("rules", rules(machine)),
        ("accepting", list(ending(Verdict::Accepts))),
        ("rejecting", list(ending(Verdict::Rejects))),
        ("input", string_literal(&machine.format_symbols(input.iter().copied()))),
        ("start", start.to_string()),
        ("steps", steps.to_string()),
        ("bits", bits.to_string()),
    ];
    ScriptPart { settings, ..ScriptPart::default() }
}

/// The PyTorch script's source, with its settings for attention and rounding.
pub fn transformer_part(mode: ExecutionMode) -> ScriptPart {
    let beta = match mode.attention {
        AttentionMode::Hard => "None".into(),
        AttentionMode::Soft(beta) if beta.is_finite() => format!("{beta:?}"),
        AttentionMode::Soft(beta) => format!("float(\"{beta}\")"),
    };
    let rounding = if mode.rounding { "True" } else { "False" };
    let settings = vec![("beta", beta), ("rounding", rounding.into())];
    ScriptPart { settings, full_script: Some(SCRIPT), ..ScriptPart::default() }
}

/// The complete PyTorch script for a machine: its source with the settings of a run of `steps` steps.
///
/// ```
/// # use vivarium_science::machines::{ExecutionMode, library, pytorch};
/// let example = &library::EXAMPLES[0];
/// let machine = example.parse_machine().unwrap();
/// let input = machine.parse_input(example.input).unwrap();
/// let script = pytorch::script(&machine, &input, example.start, example.steps, ExecutionMode::default(), 4);
/// assert!(script.contains("import torch") && script.contains("(\"carry\", \"1\"): (\"0\", \"L\", \"carry\"),"));
/// ```
pub fn script(
    machine: &Machine,
    input: &[usize],
    start: usize,
    steps: usize,
    mode: ExecutionMode,
    bits: u32,
) -> String {
    let parts = [run_part(machine, input, start, steps, bits), transformer_part(mode)];
    SCRIPT.replace("{{settings}}", &dict_entries(parts.into_iter().flat_map(|part| part.settings)))
}

/// The machine's rules as a Python dictionary with one line per rule, from (state, symbol read) to (symbol written,
/// move, next state).
fn rules(machine: &Machine) -> String {
    let symbol = |number: usize| string_literal(&machine.format_symbols([number]));
    let mut lines = String::from("{\n");
    for (state, name) in machine.state_names().iter().enumerate() {
        for read in 0..machine.symbols().len() {
            let Some(rule) = machine.rule(state, read) else { continue };
            let next = machine.state_names().get(rule.next).map_or("", String::as_str);
            let (write, step) = (symbol(rule.write), rule.step.letter());
            let key = format!("({}, {})", string_literal(name), symbol(read));
            lines += &format!("        {key}: ({write}, \"{step}\", {}),\n", string_literal(next));
        }
    }
    lines + "    }"
}
