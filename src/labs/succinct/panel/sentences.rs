//! What the panel says: the answer, what happens now, how large program and network are, what a search has found, and how
//! improbable a random filter is.

use crate::succinct::SuccinctState;
use crate::succinct::state::{OnTable, Searched};
use vivarium_core::settings::real;
use vivarium_model::models::cell_rules::GOOD;
use vivarium_science::succinct::grid::GridMove;
use vivarium_science::succinct::search::{CellValue, odds};
use vivarium_view::display::words::thousands;

/// Terms with their values.
pub type Entries = Vec<(&'static str, String)>;

/// Numbers of states for which the panel says how improbable a random filter is; 20 and 47 are those of the library.
const STATES: [u32; 4] = [2, 4, 20, 47];

/// "+1" or "−1".
pub fn signed(number: i8) -> &'static str {
    if number < 0 { "−1" } else { "+1" }
}

/// "+1", "0" or "−1".
pub fn sign(cell: CellValue) -> &'static str {
    match cell {
        CellValue::Minus => "−1",
        CellValue::Zero => "0",
        CellValue::Plus => "+1",
    }
}

/// The network's present answer; none of a search.
pub fn answer(state: &SuccinctState) -> Option<&'static str> {
    let own = state.on_table()?;
    Some(match (own.answer(), own.has_halted()) {
        (Some(number), _) => signed(number),
        (None, true) => tr!("no answer"),
        (None, false) => tr!("no answer yet"),
    })
}

/// The output f with these numerator and denominator: a whole number, or four decimals.
fn f((numerator, unit): (i64, i64)) -> String {
    let shown = match numerator % unit {
        0 => (numerator / unit) as f64,
        _ => (1e4 * numerator as f64 / unit as f64).round() / 1e4,
    };
    real(shown).replace('-', "−")
}

/// What the concept says of the test input.
pub fn label(state: &SuccinctState) -> &'static str {
    signed(state.drawn.concept.label(&state.query))
}

/// What the newest step has done, or what the next one does; none of a search.
pub fn now(state: &SuccinctState) -> Option<String> {
    let own = state.on_table()?;
    if state.layers() == 0 {
        return Some(writing(state.step, state.problem.writing_steps()));
    }
    let doing = program(own);
    let (reached, all) = (own.computing(), own.cells.len());
    if reached == all || own.has_halted() {
        return Some(doing);
    }
    Some(tr!(
        "{doing} The message “compute” has reached {reached} of {all} cells.",
        doing,
        reached = thousands(reached as u64),
        all = thousands(all as u64)
    ))
}

/// What SGD has done after so many steps.
fn writing(step: u64, rows: u64) -> String {
    match step {
        0 => tr!("SGD has not written any of the {rows} rows of the table yet.", rows),
        row if row < rows => tr!("SGD has just written row {row} of {rows}.", row, rows),
        _ => tr!(
            "SGD has just written row {rows} of {rows}, the row of the dummy example. The table is full.",
            rows
        ),
    }
}

/// What the program does in the next layer.
fn program(own: &OnTable) -> String {
    if own.has_halted() {
        let output = f(own.output());
        return match (own.prediction(), own.answer()) {
            (Some(_), Some(number)) => {
                tr!("The program has halted. Its answer is {answer}.", answer = signed(number))
            }
            (Some(number), None) => tr!(
                "The program has halted with the answer {answer} in the top-left cell, but the head is still in the table. The value of its cell adds {excess} to the output of the network, so the output is {output} and not {answer}.",
                answer = signed(number),
                excess = f((own.output().0 - i64::from(number) * own.output().1, own.output().1)),
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
    let Some((row, column, at)) = own.head() else {
        return tr!("The head has left the grid, so the program gives no answer.").into();
    };
    let name = own.program.state_name(at);
    match own.next_rule() {
        Some((_, read, rule)) => tr!(
            "In state {name} the head reads {read}, writes {write} and {step}; the next state is {next}.",
            name,
            read = own.program.symbol_name(read),
            write = own.program.symbol_name(rule.write),
            step = moves(rule.step),
            next = own.program.state_name(rule.next)
        ),
        None => {
            let read = own.cells.get(row * own.columns + column).map_or(0, |cell| cell.symbol);
            tr!(
                "State {name} has no rule for the symbol {read}, so nothing changes any more.",
                name,
                read = own.program.symbol_name(read)
            )
        }
    }
}

fn moves(step: GridMove) -> &'static str {
    match step {
        GridMove::Up => tr!("moves up"),
        GridMove::Down => tr!("moves down"),
        GridMove::Left => tr!("moves left"),
        GridMove::Right => tr!("moves right"),
        GridMove::Stay => tr!("stays"),
    }
}

/// How large the filter is, which is the same in every layer.
pub fn fixed(own: &OnTable) -> Entries {
    let count = |count: usize| thousands(count as u64);
    vec![
        (tr!("States, HALT included"), count(own.program.state_names().len())),
        (tr!("Symbols"), count(own.program.symbols().len())),
        (tr!("Transitions, HALT included"), count(own.program.transition_count())),
    ]
}

/// How far the network is.
pub fn growing(state: &SuccinctState, own: &OnTable) -> Entries {
    let of = |part: u64, all: u64| tr!("{part} of {all}", part = thousands(part), all = thousands(all));
    vec![
        (tr!("Layers applied"), thousands(state.layers())),
        (tr!("Rows written"), of(state.rows() as u64, state.problem.writing_steps())),
        (tr!("Cells that have started to compute"), of(own.computing() as u64, own.cells.len() as u64)),
        (tr!("Output f of the network"), if state.layers() == 0 { "0".into() } else { f(own.output()) }),
    ]
}

/// How the chosen rule was found; none before the first restart.
pub fn found(own: &Searched) -> Option<String> {
    own.rule?;
    let [halves, restart, _] = own.best;
    Some(tr!(
        "Restart {restart} found this rule. The rule is right on {points} of {queries} validation queries. The rule's answer is the sign of a sum of cells; a query with the sum 0 counts as half right.",
        restart = thousands(restart as u64),
        points = f64::from(halves) / 2.0,
        queries = thousands(own.net.validation as u64)
    ))
}

/// How many of the rules tried are good, beside what is improbable.
pub fn compared(own: &Searched) -> String {
    let tried: f64 = own.cloud.iter().map(|count| f64::from(*count)).sum();
    let (good, tried) = (own.best[2] as u64, tried as u64);
    let share = format!("{:.0} %", 100.0 * GOOD);
    match good {
        _ if tried == 0 => tr!("No rule has been tried yet.").into(),
        0 => tr!(
            "For comparison: of the {tried} rules tried here, none answers at least {share} of the queries right.",
            tried = thousands(tried),
            share
        ),
        1 => tr!(
            "For comparison: of the {tried} rules tried here, 1 answers at least {share} of the queries right.",
            tried = thousands(tried),
            share
        ),
        _ => tr!(
            "For comparison: of the {tried} rules tried here, {good} (one rule in {each}) answer at least {share} of the queries right.",
            tried = thousands(tried),
            good = thousands(good),
            share,
            each = thousands((tried + good / 2) / good)
        ),
    }
}

/// How improbable a random filter is for machines with so many states, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Odds {
    /// States.
    pub states: String,
    /// Parameters of the filter.
    pub parameters: String,
    /// Values that each of them may have.
    pub values: String,
    /// The power of ten that the probability is: "−115,527".
    pub exponent: String,
}

/// A row for each number of states.
pub fn all_odds() -> Vec<Odds> {
    let row = |states: u32| Odds {
        states: states.to_string(),
        parameters: thousands(odds::parameters(states)),
        values: thousands(odds::values(states)),
        exponent: format!("−{}", thousands((-odds::log10_probability(states)).round() as u64)),
    };
    STATES.map(row).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::succinct::state::Of;
    use vivarium_model::models::cell_rules::SIDE;
    use vivarium_model::permalink::decode;
    use vivarium_science::succinct::grid::{AutomatonCell as GridCell, CellPhase};
    use vivarium_science::succinct::search::CellRule;

    fn open(rest: &str) -> SuccinctState {
        let (link, notices) = decode(&format!("#v1/succinct-learning{rest}"));
        assert!(notices.is_empty(), "{notices:?}");
        SuccinctState::of(&link.spec).unwrap()
    }

    fn on_table(state: &mut SuccinctState) -> &mut OnTable {
        match &mut state.of {
            Of::Program(own) => own,
            Of::Search(_) => panic!("a search"),
        }
    }

    fn searched(state: &mut SuccinctState) -> &mut Searched {
        match &mut state.of {
            Of::Search(own) => own,
            Of::Program(_) => panic!("a program"),
        }
    }

    /// A cell with this symbol, and with the head in this state.
    fn cell(symbol: u8, head: Option<u8>) -> GridCell {
        GridCell { padding: false, symbol, phase: CellPhase::Compute, head }
    }

    #[test]
    fn each_phase_has_its_sentence() {
        let mut state = open("");
        let mut said = |step: u64, at: usize, put: Option<GridCell>| {
            state.step = step;
            let own = on_table(&mut state);
            own.cells.fill(cell(0, None));
            if let Some(put) = put {
                own.cells[at] = put;
            }
            (now(&state).unwrap(), answer(&state).unwrap())
        };
        let (first, yet) = said(0, 0, None);
        assert_eq!(first, "SGD has not written any of the 9 rows of the table yet.");
        assert_eq!(yet, "no answer yet");
        assert_eq!(said(3, 0, None).0, "SGD has just written row 3 of 9.");
        assert!(
            said(9, 0, None).0.starts_with("SGD has just written row 9 of 9, the row of the dummy example.")
        );
        // The cell at the bottom right of the block.
        let start = said(10, 9 * 9 + 7, Some(cell(1, Some(0))));
        assert_eq!(start.0, "In state start the head reads +, writes + and stays; the next state is L0.");
        let up = said(12, 9 * 9 + 7, Some(cell(2, Some(2))));
        assert_eq!(up.0, "In state L the head reads -, writes - and moves up; the next state is U-.");
        let missing = said(11, 80, Some(cell(0, Some(0)))).0;
        assert_eq!(missing, "State start has no rule for the symbol _, so nothing changes any more.");
        assert!(said(30, 0, None).0.starts_with("The head has left the grid"));
        let halted = said(150, 10, Some(cell(2, Some(19))));
        assert_eq!(halted, ("The program has halted. Its answer is −1.".into(), "−1"));
        let nothing = said(150, 40, Some(cell(0, Some(19))));
        // The head on a blank cell of the table: 18(1/27 + q/81), where HALT is state 19, + − − + + in binary, and q/81 is
        // 1/81 − 1/243 − 1/729 + 1/2187 + 1/6561 = 49/6561, so 18 · (243 + 49)/6561 = 584/729.
        let without = "The program has halted without an answer. The output of the network is 0.8011.";
        assert_eq!(nothing, (without.into(), "no answer"));
        let mut inside = open("");
        inside.step = 150;
        let own = on_table(&mut inside);
        own.cells.fill(cell(0, None));
        (own.cells[10], own.cells[40]) = (cell(2, None), cell(0, Some(19)));
        assert_eq!(own.prediction(), Some(-1));
        assert_eq!(own.output(), (2 * 6561 * 584 / 729 - 2 * 6561, 2 * 6561));
        assert_eq!(answer(&inside), Some("no answer"));
        let expected = "The program has halted with the answer −1 in the top-left cell, but the head is still in the table. The value of its cell adds 0.8011 to the output of the network, so the output is −0.1989 and not −1.";
        assert_eq!(now(&inside).unwrap(), expected);
    }

    #[test]
    fn the_message_spreads() {
        let mut state = open("");
        state.step = 10;
        on_table(&mut state).cells[9 * 9 + 7] = cell(1, Some(0));
        let said = now(&state).unwrap();
        assert!(said.ends_with("The message “compute” has reached 1 of 99 cells."), "{said}");
    }

    #[test]
    fn sizes_are_those_of_program_and_network() {
        let mut state = open("?concept=parity&program=parity&inputs=4");
        state.step = 5;
        let own = state.on_table().unwrap();
        let values = |entries: Entries| entries.into_iter().map(|(_, value)| value).collect::<Vec<_>>();
        assert_eq!(values(fixed(own)), ["47", "12", "270"]);
        assert_eq!(values(growing(&state, own)), ["0", "5 of 9", "0 of 77", "0"]);
        assert_eq!(label(&state), signed(state.drawn.concept.label(&state.query)));
        state.step = 1000;
        assert_eq!(values(growing(&state, state.on_table().unwrap()))[..2], ["991", "9 of 9"]);
    }

    #[test]
    fn a_search_says_what_it_has_found() {
        let mut state = open("?model=cell-rules");
        assert_eq!((now(&state), answer(&state)), (None, None));
        let own = searched(&mut state);
        assert_eq!((found(own), compared(own).as_str()), (None, "No rule has been tried yet."));
        own.cloud = vec![0.0; SIDE * SIDE];
        own.cloud[3] = 19_600.0;
        own.cloud[900] = 83.0;
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
            own.best[2] = good;
            assert_eq!(compared(own), said);
        }
        own.rule = Some(CellRule::CONSENSUS);
        own.best = [119.0, 1234.0, 109.0];
        assert_eq!(
            found(own).unwrap(),
            "Restart 1,234 found this rule. The rule is right on 59.5 of 60 validation queries. The rule's answer is the sign of a sum of cells; a query with the sum 0 counts as half right."
        );
    }

    #[test]
    fn a_random_filter_is_improbable() {
        let all = all_odds();
        let row = |row: &Odds| [&row.states, &row.parameters, &row.values, &row.exponent].map(String::clone);
        assert_eq!(row(&all[0]), ["2", "40,000", "773", "−115,527"]);
        assert_eq!(row(&all[2]), ["20", "4,000,000", "7,685", "−15,542,575"]);
        assert_eq!((all.len(), all[3].exponent.as_str()), (4, "−94,027,176"));
    }
}
