//! The tape of the ordinary simulator: which of its cells are shown, and what is said of them.

use vivarium_science::machines::{HaltReason, Machine, MachineRun, StepRecord};

/// Cells that are shown at once.
pub const CELLS: usize = 15;
/// Cells by which the window moves, so that the head does not stand still while the tape moves with every step.
const STEP: usize = 5;

/// A cell of the tape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// Its number.
    pub number: usize,
    /// The symbol that stands there.
    pub symbol: char,
    /// Whether the head is there.
    pub is_head: bool,
    /// Whether the last step wrote it.
    pub is_written: bool,
}

/// What is so after a step of the simulator, or after its last one; before the first one where the step is 0.
pub fn moment(run: &MachineRun, step: usize) -> StepRecord {
    match step.min(run.records.len()).checked_sub(1).and_then(|at| run.records.get(at)) {
        Some(moment) => *moment,
        None => run.initial_record(),
    }
}

/// The first cell that is shown where the head is on this one.
fn first(head: usize) -> usize {
    (head / STEP).saturating_sub((CELLS / STEP - 1) / 2) * STEP
}

/// The cells around the head after so many steps.
pub fn cells(machine: &Machine, run: &MachineRun, step: usize) -> Vec<Cell> {
    let step = step.min(run.records.len());
    let (tape, head) = (run.tape_after(step), moment(run, step).head);
    let written = step.checked_sub(1).map(|before| moment(run, before).head);
    let symbol = |number: usize| {
        let at = tape.get(number).copied().unwrap_or(0);
        machine.symbols().get(at).copied().unwrap_or(vivarium_science::machines::BLANK)
    };
    let first = first(head);
    let cell = |number| Cell {
        number,
        symbol: symbol(number),
        is_head: number == head,
        is_written: written == Some(number),
    };
    (first..first + CELLS).map(cell).collect()
}

/// The tape in words, for those who do not see it.
pub fn spoken(machine: &Machine, run: &MachineRun, step: usize) -> String {
    let cells = cells(machine, run, step);
    let symbols: Vec<String> = cells.iter().map(|cell| cell.symbol.to_string()).collect();
    let number = |cell: Option<&Cell>| cell.map_or(0, |cell| cell.number);
    tr!(
        "Cells {first} to {last} hold {symbols}. {present}",
        first = number(cells.first()),
        last = number(cells.last()),
        symbols = symbols.join(" "),
        present = says(machine, moment(run, step))
    )
}

/// "State B, head on cell 66, which holds 1."
pub fn says(machine: &Machine, moment: StepRecord) -> String {
    tr!(
        "State {state}, head on cell {cell}, which holds {symbol}.",
        state = state(machine, moment.state),
        cell = moment.head,
        symbol = machine.format_symbols([moment.symbol])
    )
}

/// The name of a state by number.
pub fn state(machine: &Machine, state: usize) -> &str {
    machine.state_names().get(state).map_or("?", String::as_str)
}

/// Why the simulator stands still after so many steps; nothing while it works.
pub fn halted(machine: &Machine, run: &MachineRun, step: usize) -> Option<String> {
    let (steps, halt): (u64, HaltReason) = run.halt?;
    (step as u64 >= steps).then(|| halt.describe(machine))
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_science::machines::library::find_example;

    fn beaver() -> (Machine, MachineRun) {
        let of = find_example("busy-beaver-4").unwrap();
        let machine = of.parse_machine().unwrap();
        let run = MachineRun::new(&machine, &[], of.start, of.steps).unwrap();
        (machine, run)
    }

    #[test]
    fn the_window_follows_the_head_in_jumps() {
        let (machine, run) = beaver();
        let mut firsts = vec![];
        for step in 0..=run.records.len() {
            let cells = cells(&machine, &run, step);
            assert_eq!(cells.len(), CELLS);
            let at = cells.iter().position(|cell| cell.is_head).unwrap();
            assert!((STEP..2 * STEP).contains(&at), "step {step}: place {at}");
            assert_eq!(cells[at].number, moment(&run, step).head);
            let written: Vec<usize> = cells.iter().filter(|c| c.is_written).map(|c| c.number).collect();
            let expected: Vec<usize> = (step > 0).then(|| moment(&run, step - 1).head).into_iter().collect();
            assert_eq!(written, expected, "step {step}");
            if firsts.last() != Some(&cells[0].number) {
                firsts.push(cells[0].number);
            }
        }
        assert!(firsts.len() < 30, "{firsts:?}");
        // At the left end of the tape there are no cells before 0.
        assert_eq!([0, 4, 5, 10, 66].map(first), [0, 0, 0, 5, 60]);
    }

    #[test]
    fn cells_hold_what_the_simulator_wrote() {
        let (machine, run) = beaver();
        let last = cells(&machine, &run, 107);
        let tape = run.tape_after(107);
        for cell in &last {
            let expected = tape.get(cell.number).copied().unwrap_or(0);
            assert_eq!(cell.symbol, machine.symbols()[expected], "cell {}", cell.number);
        }
        // More steps than the run has are its last one.
        assert_eq!(cells(&machine, &run, 500), last);
    }

    #[test]
    fn the_tape_is_said_in_words() {
        let (machine, run) = beaver();
        let said = spoken(&machine, &run, 0);
        assert_eq!(
            said,
            "Cells 55 to 69 hold _ _ _ _ _ _ _ _ _ _ _ _ _ _ _. State A, head on cell 64, which holds _."
        );
        assert_eq!(says(&machine, moment(&run, 1)), "State B, head on cell 65, which holds _.");
        assert_eq!(halted(&machine, &run, 106), None);
        assert_eq!(halted(&machine, &run, 107).unwrap(), "The machine halts in state halt.");
        assert_eq!(state(&machine, 99), "?");
    }
}
