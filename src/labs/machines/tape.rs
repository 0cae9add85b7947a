//! Tape of the ordinary simulator: its displayed cells, and sentences about them.

use vivarium_science::machines::{HaltReason, Machine, MachineRun, StepRecord};

/// Number of tape cells that the panel's window shows at once.
pub const CELL_COUNT: usize = 15;
/// Number of tape cells by which the displayed window scrolls at a time, so that mostly the head moves on the screen
/// and not the tape.
const SCROLL_CELLS: usize = 5;

/// Cell of the Turing machine's tape, as displayed in the panel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TapeCell {
    /// Number of the cell on the machine's tape, from 0.
    pub number: usize,
    /// Symbol in the cell.
    pub symbol: char,
    /// Whether the head of the machine is on the cell.
    pub is_head: bool,
    /// Whether the displayed machine step wrote the cell.
    pub is_written: bool,
}

/// Record of the simulated machine (state, symbol, head position) after `step` steps, or after its last step if that
/// comes first; the initial record for 0.
pub fn record_after(run: &MachineRun, step: usize) -> StepRecord {
    match step.min(run.records.len()).checked_sub(1).and_then(|at| run.records.get(at)) {
        Some(moment) => *moment,
        None => run.initial_record(),
    }
}

/// First tape cell of the displayed window when the head is on cell `head`, both from 0.
fn first_shown_cell(head: usize) -> usize {
    (head / SCROLL_CELLS).saturating_sub((CELL_COUNT / SCROLL_CELLS - 1) / 2) * SCROLL_CELLS
}

/// Tape cells in the displayed window around the head after `step` steps.
pub fn shown_cells(machine: &Machine, run: &MachineRun, step: usize) -> Vec<TapeCell> {
    let step = step.min(run.records.len());
    let (tape, head) = (run.tape_after(step), record_after(run, step).head);
    let written = step.checked_sub(1).map(|before| record_after(run, before).head);
    let symbol = |number: usize| {
        let at = tape.get(number).copied().unwrap_or(0);
        machine.symbols().get(at).copied().unwrap_or(vivarium_science::machines::BLANK)
    };
    let first = first_shown_cell(head);
    let cell = |number| TapeCell {
        number,
        symbol: symbol(number),
        is_head: number == head,
        is_written: written == Some(number),
    };
    (first..first + CELL_COUNT).map(cell).collect()
}

/// Sentences on the displayed tape cells and the machine's state after `step` steps, for screen readers.
pub fn describe_tape(machine: &Machine, run: &MachineRun, step: usize) -> String {
    let cells = shown_cells(machine, run, step);
    let symbols: Vec<String> = cells.iter().map(|cell| cell.symbol.to_string()).collect();
    let number = |cell: Option<&TapeCell>| cell.map_or(0, |cell| cell.number);
    tr!(
        "Cells {first} to {last} hold {symbols}. {present}",
        first = number(cells.first()),
        last = number(cells.last()),
        symbols = symbols.join(" "),
        present = describe_record(machine, record_after(run, step))
    )
}

/// Sentence on a record of the machine: "State B, head on cell 66, which holds 1."
pub fn describe_record(machine: &Machine, record: StepRecord) -> String {
    tr!(
        "State {state}, head on cell {cell}, which holds {symbol}.",
        state = state_name(machine, record.state),
        cell = record.head,
        symbol = machine.format_symbols([record.symbol])
    )
}

/// Name of state number `state` of the machine, from 0; "?" if there is none.
pub fn state_name(machine: &Machine, state: usize) -> &str {
    machine.state_names().get(state).map_or("?", String::as_str)
}

/// Reason why the simulator has halted after `step` steps; `None` while it runs.
pub fn describe_halt(machine: &Machine, run: &MachineRun, step: usize) -> Option<String> {
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
            let cells = shown_cells(&machine, &run, step);
            assert_eq!(cells.len(), CELL_COUNT);
            let at = cells.iter().position(|cell| cell.is_head).unwrap();
            assert!((SCROLL_CELLS..2 * SCROLL_CELLS).contains(&at), "step {step}: place {at}");
            assert_eq!(cells[at].number, record_after(&run, step).head);
            let written: Vec<usize> = cells.iter().filter(|c| c.is_written).map(|c| c.number).collect();
            let expected: Vec<usize> =
                (step > 0).then(|| record_after(&run, step - 1).head).into_iter().collect();
            assert_eq!(written, expected, "step {step}");
            if firsts.last() != Some(&cells[0].number) {
                firsts.push(cells[0].number);
            }
        }
        assert!(firsts.len() < 30, "{firsts:?}");
        // At the left end of the tape there are no cells before 0.
        assert_eq!([0, 4, 5, 10, 66].map(first_shown_cell), [0, 0, 0, 5, 60]);
    }

    #[test]
    fn cells_hold_what_the_simulator_wrote() {
        let (machine, run) = beaver();
        let last = shown_cells(&machine, &run, 107);
        let tape = run.tape_after(107);
        for cell in &last {
            let expected = tape.get(cell.number).copied().unwrap_or(0);
            assert_eq!(cell.symbol, machine.symbols()[expected], "cell {}", cell.number);
        }
        // More steps than the run has are its last one.
        assert_eq!(shown_cells(&machine, &run, 500), last);
    }

    #[test]
    fn the_tape_is_stated_in_words() {
        let (machine, run) = beaver();
        let text = describe_tape(&machine, &run, 0);
        assert_eq!(
            text,
            "Cells 55 to 69 hold _ _ _ _ _ _ _ _ _ _ _ _ _ _ _. State A, head on cell 64, which holds _."
        );
        assert_eq!(
            describe_record(&machine, record_after(&run, 1)),
            "State B, head on cell 65, which holds _."
        );
        assert_eq!(describe_halt(&machine, &run, 106), None);
        assert_eq!(describe_halt(&machine, &run, 107).unwrap(), "The machine halts in state halt.");
        assert_eq!(state_name(&machine, 99), "?");
    }
}
