//! Sentences of the panel: the answer, the current step, the size of program and network, the result of a search, and
//! how improbable a random filter is.

use crate::succinct::SuccinctState;
use crate::succinct::state::{ProgramState, SearchState};
use vivarium_core::settings::format_real;
use vivarium_model::models::cell_rules::GOOD;
use vivarium_science::succinct::grid::GridMove;
use vivarium_science::succinct::search::{CellValue, odds};
use vivarium_view::display::words::format_thousands;

/// List of pairs (label, value as text), as shown in the panel.
pub type LabeledValues = Vec<(&'static str, String)>;

/// Numbers of machine states for which the panel shows how improbable it is that a random convolution filter (Goel et
/// al. 2022, theorem 1) runs a given machine with so many states; 20 and 47 are those of the library's programs.
const FILTER_STATES: [u32; 4] = [2, 4, 20, 47];

/// Formats a label, or an entry of an input, which is ±1, as "+1" or "−1".
pub fn format_label(label: i8) -> &'static str {
    if label < 0 { "−1" } else { "+1" }
}

/// Formats a cell's value under a cell-update rule: "+1", "0" or "−1".
pub fn format_cell(cell: CellValue) -> &'static str {
    match cell {
        CellValue::Minus => "−1",
        CellValue::Zero => "0",
        CellValue::Plus => "+1",
    }
}

/// Answer ±1 of the network at the present step, or that it has none; `None` for a search.
pub fn format_answer(state: &SuccinctState) -> Option<&'static str> {
    let own = state.program_state()?;
    Some(match (own.answer(), own.has_halted()) {
        (Some(number), _) => format_label(number),
        (None, true) => tr!("no answer"),
        (None, false) => tr!("no answer yet"),
    })
}

/// Formats the output f of the network, given as (numerator, denominator): a whole number, or four decimals.
fn format_output((numerator, unit): (i64, i64)) -> String {
    let shown = match numerator % unit {
        0 => (numerator / unit) as f64,
        _ => (1e4 * numerator as f64 / unit as f64).round() / 1e4,
    };
    format_real(shown).replace('-', "−")
}

/// True label, "+1" or "−1", that the concept of the problem gives to the test input.
pub fn format_true_label(state: &SuccinctState) -> &'static str {
    format_label(state.sample.concept.label(&state.query))
}

/// Sentence on the row that SGD has just written, or, once the table is full, on the program's next layer; `None` for a
/// search.
pub fn describe_now(state: &SuccinctState) -> Option<String> {
    let own = state.program_state()?;
    if state.layers_applied() == 0 {
        return Some(describe_writing(state.step, state.problem.writing_steps()));
    }
    let doing = describe_next_layer(own);
    let (reached, all) = (own.computing_cells(), own.cells.len());
    if reached == all || own.has_halted() {
        return Some(doing);
    }
    Some(tr!(
        "{doing} The message “compute” has reached {reached} of {all} cells.",
        doing,
        reached = format_thousands(reached as u64),
        all = format_thousands(all as u64)
    ))
}

/// Sentence on the row of the table that SGD has written after `step` of `rows` steps.
fn describe_writing(step: u64, rows: u64) -> String {
    match step {
        0 => tr!("SGD has not written any of the {rows} rows of the table yet.", rows),
        row if row < rows => tr!("SGD has just written row {row} of {rows}.", row, rows),
        _ => tr!(
            "SGD has just written row {rows} of {rows}, the row of the dummy example. The table is full.",
            rows
        ),
    }
}

/// Sentence on the rule that the program applies at its head in the next layer, or on how it has ended.
fn describe_next_layer(program_state: &ProgramState) -> String {
    if program_state.has_halted() {
        let output = format_output(program_state.compute_output());
        return match (program_state.prediction(), program_state.answer()) {
            (Some(_), Some(number)) => {
                tr!("The program has halted. Its answer is {answer}.", answer = format_label(number))
            }
            (Some(number), None) => tr!(
                "The program has halted with the answer {answer} in the top-left cell, but the head is still in the table. The value of its cell adds {excess} to the output of the network, so the output is {output} and not {answer}.",
                answer = format_label(number),
                excess = format_output((
                    program_state.compute_output().0 - i64::from(number) * program_state.compute_output().1,
                    program_state.compute_output().1
                )),
                output
            ),
            (None, _) => {
                tr!(
                    "The program has halted without an answer. The output of the network is {output}.",
                    output
                )
            }
        };
    }
    let Some((row, column, at)) = program_state.head_position() else {
        return tr!("The head has left the grid, so the program gives no answer.").into();
    };
    let name = program_state.program.state_name(at);
    match program_state.next_rule() {
        Some((_, read, rule)) => tr!(
            "In state {name} the head reads {read}, writes {write} and {step}; the next state is {next}.",
            name,
            read = program_state.program.symbol_name(read),
            write = program_state.program.symbol_name(rule.write),
            step = describe_move(rule.step),
            next = program_state.program.state_name(rule.next)
        ),
        None => {
            let read =
                program_state.cells.get(row * program_state.columns + column).map_or(0, |cell| cell.symbol);
            tr!(
                "State {name} has no rule for the symbol {read}, so nothing changes any more.",
                name,
                read = program_state.program.symbol_name(read)
            )
        }
    }
}

/// Verb for a move of the program's head, such as "moves up".
fn describe_move(step: GridMove) -> &'static str {
    match step {
        GridMove::Up => tr!("moves up"),
        GridMove::Down => tr!("moves down"),
        GridMove::Left => tr!("moves left"),
        GridMove::Right => tr!("moves right"),
        GridMove::Stay => tr!("stays"),
    }
}

/// Numbers of states, symbols and transitions of the program in the network's filter, with their labels.
pub fn filter_sizes(program_state: &ProgramState) -> LabeledValues {
    let count = |count: usize| format_thousands(count as u64);
    vec![
        (tr!("States, HALT included"), count(program_state.program.state_names().len())),
        (tr!("Symbols"), count(program_state.program.symbols().len())),
        (tr!("Transitions, HALT included"), count(program_state.program.transition_count())),
    ]
}

/// Progress of a network that runs a program, with labels: layers applied, rows written, cells in the compute phase,
/// and output f.
pub fn progress_values(state: &SuccinctState, program_state: &ProgramState) -> LabeledValues {
    let of = |part: u64, all: u64| {
        tr!("{part} of {all}", part = format_thousands(part), all = format_thousands(all))
    };
    vec![
        (tr!("Layers applied"), format_thousands(state.layers_applied())),
        (tr!("Rows written"), of(state.rows_written() as u64, state.problem.writing_steps())),
        (
            tr!("Cells that have started to compute"),
            of(program_state.computing_cells() as u64, program_state.cells.len() as u64),
        ),
        (
            tr!("Output f of the network"),
            if state.layers_applied() == 0 {
                "0".into()
            } else {
                format_output(program_state.compute_output())
            },
        ),
    ]
}

/// Sentence on which restart of the search found the chosen rule and how it does on the validation queries; `None`
/// before the first restart.
pub fn describe_found_rule(search_state: &SearchState) -> Option<String> {
    search_state.rule?;
    let [halves, restart, _] = search_state.chosen_stats;
    Some(tr!(
        "Restart {restart} found this rule. The rule is right on {points} of {queries} validation queries. The rule's answer is the sign of a sum of cells; a query with the sum 0 counts as half right.",
        restart = format_thousands(restart as u64),
        points = f64::from(halves) / 2.0,
        queries = format_thousands(search_state.net.validation as u64)
    ))
}

/// Sentence on how many of the rules tried by the search answer at least 95 % ([`GOOD`]) of all validation and test
/// queries right, for comparison with a random filter.
pub fn describe_good_rules(search_state: &SearchState) -> String {
    let tried: f64 = search_state.rule_counts.iter().map(|count| f64::from(*count)).sum();
    let (good, tried) = (search_state.chosen_stats[2] as u64, tried as u64);
    let share = format!("{:.0} %", 100.0 * GOOD);
    match good {
        _ if tried == 0 => tr!("No rule has been tried yet.").into(),
        0 => tr!(
            "For comparison: of the {tried} rules tried here, none answers at least {share} of the queries right.",
            tried = format_thousands(tried),
            share
        ),
        1 => tr!(
            "For comparison: of the {tried} rules tried here, 1 answers at least {share} of the queries right.",
            tried = format_thousands(tried),
            share
        ),
        _ => tr!(
            "For comparison: of the {tried} rules tried here, {good} (one rule in {each}) answer at least {share} of the queries right.",
            tried = format_thousands(tried),
            good = format_thousands(good),
            share,
            each = format_thousands((tried + good / 2) / good)
        ),
    }
}

/// Row of the table of the probability that a random convolution filter of Goel et al. 2022 is one particular filter,
/// which runs a machine with some number of states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterProbability {
    /// Number of states of the machine that the random filter would have to run, as text.
    pub states: String,
    /// Number of parameters of the random convolution filter, as text.
    pub parameters: String,
    /// Number of values among which each parameter of the random filter is drawn, as text.
    pub values_per_parameter: String,
    /// Logarithm to base 10 of the probability that a random filter runs the machine, rounded: "−115,527".
    pub exponent: String,
}

/// Rows of the table of probabilities that a random filter runs a given machine, one for each number of states.
pub fn filter_probabilities() -> Vec<FilterProbability> {
    let row = |states: u32| FilterProbability {
        states: states.to_string(),
        parameters: format_thousands(odds::parameters(states)),
        values_per_parameter: format_thousands(odds::values(states)),
        exponent: format!("−{}", format_thousands((-odds::log10_probability(states)).round() as u64)),
    };
    FILTER_STATES.map(row).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::succinct::state::ModelState;
    use vivarium_model::models::cell_rules::SIDE;
    use vivarium_model::permalink::decode;
    use vivarium_science::succinct::grid::{AutomatonCell as GridCell, CellPhase};
    use vivarium_science::succinct::search::CellRule;

    fn open(rest: &str) -> SuccinctState {
        let (link, notices) = decode(&format!("#v1/succinct-learning{rest}"));
        assert!(notices.is_empty(), "{notices:?}");
        SuccinctState::new(&link.spec).unwrap()
    }

    fn on_table(state: &mut SuccinctState) -> &mut ProgramState {
        match &mut state.model_state {
            ModelState::Program(own) => own,
            ModelState::Search(_) => panic!("a search"),
        }
    }

    fn searched(state: &mut SuccinctState) -> &mut SearchState {
        match &mut state.model_state {
            ModelState::Search(own) => own,
            ModelState::Program(_) => panic!("a program"),
        }
    }

    /// A cell with this symbol, and with the head in this state.
    fn cell(symbol: u8, head: Option<u8>) -> GridCell {
        GridCell { padding: false, symbol, phase: CellPhase::Compute, head }
    }

    #[test]
    fn each_phase_has_its_sentence() {
        let mut state = open("");
        let mut describe_after = |step: u64, at: usize, put: Option<GridCell>| {
            state.step = step;
            let own = on_table(&mut state);
            own.cells.fill(cell(0, None));
            if let Some(put) = put {
                own.cells[at] = put;
            }
            (describe_now(&state).unwrap(), format_answer(&state).unwrap())
        };
        let (first, yet) = describe_after(0, 0, None);
        assert_eq!(first, "SGD has not written any of the 9 rows of the table yet.");
        assert_eq!(yet, "no answer yet");
        assert_eq!(describe_after(3, 0, None).0, "SGD has just written row 3 of 9.");
        assert!(
            describe_after(9, 0, None)
                .0
                .starts_with("SGD has just written row 9 of 9, the row of the dummy example.")
        );
        // The cell at the bottom right of the block.
        let start = describe_after(10, 9 * 9 + 7, Some(cell(1, Some(0))));
        assert_eq!(start.0, "In state start the head reads +, writes + and stays; the next state is L0.");
        let up = describe_after(12, 9 * 9 + 7, Some(cell(2, Some(2))));
        assert_eq!(up.0, "In state L the head reads -, writes - and moves up; the next state is U-.");
        let missing = describe_after(11, 80, Some(cell(0, Some(0)))).0;
        assert_eq!(missing, "State start has no rule for the symbol _, so nothing changes any more.");
        assert!(describe_after(30, 0, None).0.starts_with("The head has left the grid"));
        let halted = describe_after(150, 10, Some(cell(2, Some(19))));
        assert_eq!(halted, ("The program has halted. Its answer is −1.".into(), "−1"));
        let no_answer = describe_after(150, 40, Some(cell(0, Some(19))));
        // The head on a blank cell of the table: 18(1/27 + q/81), where HALT is state 19, + − − + + in binary, and q/81
        // is 1/81 − 1/243 − 1/729 + 1/2187 + 1/6561 = 49/6561, so 18 · (243 + 49)/6561 = 584/729.
        let without = "The program has halted without an answer. The output of the network is 0.8011.";
        assert_eq!(no_answer, (without.into(), "no answer"));
        let mut inside = open("");
        inside.step = 150;
        let own = on_table(&mut inside);
        own.cells.fill(cell(0, None));
        (own.cells[10], own.cells[40]) = (cell(2, None), cell(0, Some(19)));
        assert_eq!(own.prediction(), Some(-1));
        assert_eq!(own.compute_output(), (2 * 6561 * 584 / 729 - 2 * 6561, 2 * 6561));
        assert_eq!(format_answer(&inside), Some("no answer"));
        let expected = "The program has halted with the answer −1 in the top-left cell, but the head is still in the table. The value of its cell adds 0.8011 to the output of the network, so the output is −0.1989 and not −1.";
        assert_eq!(describe_now(&inside).unwrap(), expected);
    }

    #[test]
    fn the_message_spreads() {
        let mut state = open("");
        state.step = 10;
        on_table(&mut state).cells[9 * 9 + 7] = cell(1, Some(0));
        let said = describe_now(&state).unwrap();
        assert!(said.ends_with("The message “compute” has reached 1 of 99 cells."), "{said}");
    }

    #[test]
    fn sizes_are_those_of_program_and_network() {
        let mut state = open("?concept=parity&program=parity&inputs=4");
        state.step = 5;
        let own = state.program_state().unwrap();
        let values = |entries: LabeledValues| entries.into_iter().map(|(_, value)| value).collect::<Vec<_>>();
        assert_eq!(values(filter_sizes(own)), ["47", "12", "270"]);
        assert_eq!(values(progress_values(&state, own)), ["0", "5 of 9", "0 of 77", "0"]);
        assert_eq!(format_true_label(&state), format_label(state.sample.concept.label(&state.query)));
        state.step = 1000;
        assert_eq!(values(progress_values(&state, state.program_state().unwrap()))[..2], ["991", "9 of 9"]);
    }

    #[test]
    fn a_search_says_what_it_has_found() {
        let mut state = open("?model=cell-rules");
        assert_eq!((describe_now(&state), format_answer(&state)), (None, None));
        let own = searched(&mut state);
        assert_eq!(
            (describe_found_rule(own), describe_good_rules(own).as_str()),
            (None, "No rule has been tried yet.")
        );
        own.rule_counts = vec![0.0; SIDE * SIDE];
        own.rule_counts[3] = 19_600.0;
        own.rule_counts[900] = 83.0;
        for (good, said) in [
            (
                0.0,
                "For comparison: of the 19,683 rules tried here, none answers at least 95 % of the queries right.",
            ),
            (
                1.0,
                "For comparison: of the 19,683 rules tried here, 1 answers at least 95 % of the queries right.",
            ),
            (
                109.0,
                "For comparison: of the 19,683 rules tried here, 109 (one rule in 181) answer at least 95 % of the queries right.",
            ),
        ] {
            own.chosen_stats[2] = good;
            assert_eq!(describe_good_rules(own), said);
        }
        own.rule = Some(CellRule::CONSENSUS);
        own.chosen_stats = [119.0, 1234.0, 109.0];
        assert_eq!(
            describe_found_rule(own).unwrap(),
            "Restart 1,234 found this rule. The rule is right on 59.5 of 60 validation queries. The rule's answer is the sign of a sum of cells; a query with the sum 0 counts as half right."
        );
    }

    #[test]
    fn a_random_filter_is_improbable() {
        let all = filter_probabilities();
        let row = |row: &FilterProbability| {
            [&row.states, &row.parameters, &row.values_per_parameter, &row.exponent].map(String::clone)
        };
        assert_eq!(row(&all[0]), ["2", "40,000", "773", "−115,527"]);
        assert_eq!(row(&all[2]), ["20", "4,000,000", "7,685", "−15,542,575"]);
        assert_eq!((all.len(), all[3].exponent.as_str()), (4, "−94,027,176"));
    }
}
