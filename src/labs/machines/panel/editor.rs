//! The editor of a machine: the user's text, its errors, and the rules as a table.

use crate::text_editor::{TextError, error_sentence};
use vivarium_core::settings::entry::parse_whole_entry;
use vivarium_core::settings::line;
use vivarium_science::machines::text::Notation;
use vivarium_science::machines::{MAX_CELL, Machine, MachineError, MachineProgram, MachineRun, StepRecord};
use vivarium_view::display::words::format_thousands;

/// Maximum number of rows in the table of rules, one per state and symbol; every allowed machine fits.
pub const MAX_ROWS: usize = vivarium_science::machines::MAX_STATES * vivarium_science::machines::MAX_SYMBOLS;

/// Maximum lengths of the rules and of the input in a link, in bytes; the settings reject longer texts.
const MAX_LINK_BYTES: [usize; 2] = [5_000, 2000];

/// Texts that the user has typed into the fields of the machine editor.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Draft {
    /// Rules of the machine, in any of the notations that the editor accepts.
    pub rules: String,
    /// Symbols on the tape at the start, as the user typed them.
    pub input: String,
    /// Number of the tape cell on which the head starts, as text; 0 stands for the smallest cell from which the head
    /// stays on the tape.
    pub cell: String,
}

/// Text field of the machine editor, in which the user types a part of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditorField {
    /// Text field with the rules of the machine.
    Rules,
    /// Text field with the symbols on the tape at the start.
    Input,
    /// Text field with the number of the cell on which the head starts.
    Cell,
}

/// Contents of the machine editor, parsed without errors, so that the machine can run.
#[derive(Debug, Clone, PartialEq)]
pub struct ParsedDraft {
    /// Turing machine with the rules of the draft.
    pub machine: Machine,
    /// Symbols on the tape at the start, as indices into the machine's symbols.
    pub input: Vec<usize>,
    /// Tape cell on which the head starts; 0 stands for the smallest cell from which the head stays on the tape.
    pub start_cell: usize,
}

/// Error in the texts of the machine editor, with the field that causes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DraftError {
    /// Text field of the machine editor that the user must change.
    pub editor_field: EditorField,
    /// Reason why the machine cannot run; the line is a line of the rules.
    pub error: TextError,
}

impl Draft {
    /// Draft with the rules, input and start cell of the running machine.
    pub fn from_program(program: &MachineProgram) -> Draft {
        Draft {
            rules: program.machine.to_string().trim_end().into(),
            input: program.machine.format_symbols(program.input.iter().copied()),
            cell: program.start.to_string(),
        }
    }

    /// Copy of the draft with another text in one input field.
    pub fn with_text(&self, editor_field: EditorField, text: String) -> Draft {
        let mut draft = self.clone();
        *match editor_field {
            EditorField::Rules => &mut draft.rules,
            EditorField::Input => &mut draft.input,
            EditorField::Cell => &mut draft.cell,
        } = text;
        draft
    }

    /// Parses the texts of the editor as a machine that runs for `steps` steps.
    ///
    /// # Errors
    ///
    /// The first error in the fields.
    pub fn parse(&self, steps: usize) -> Result<ParsedDraft, DraftError> {
        let machine =
            Machine::parse(&self.rules).map_err(|mistake| DraftError::new(EditorField::Rules, &mistake))?;
        let input = machine
            .parse_input(self.input.trim())
            .map_err(|mistake| DraftError::new(EditorField::Input, &mistake))?;
        let start = parse_whole_entry(&self.cell).filter(|cell| *cell <= MAX_CELL);
        let Some(start) = start else {
            let message = tr!(
                "The start cell must be a whole number from 0 to {most}.",
                most = format_thousands(MAX_CELL)
            );
            return Err(DraftError {
                editor_field: EditorField::Cell,
                error: TextError { line: None, message },
            });
        };
        // Cell numbers have an upper limit.
        let start = usize::try_from(start).unwrap_or(usize::MAX);
        let program = match start {
            0 => MachineProgram::with_preferred_start(machine.clone(), input.clone(), 0, steps),
            start => MachineProgram::new(machine.clone(), input.clone(), start, steps),
        };
        match program {
            Ok(_) => ParsedDraft { machine, input, start_cell: start }.check_link_length(),
            Err(mistake @ MachineError::CellTooLarge { .. }) if input.len() > 1 => {
                Err(DraftError::new(EditorField::Input, &mistake))
            }
            Err(mistake) => Err(DraftError::new(EditorField::Cell, &mistake)),
        }
    }

    /// Whether the texts of the editor describe exactly the running machine, in any notation.
    pub fn matches_program(&self, program: &MachineProgram) -> bool {
        let fits = |own: ParsedDraft| {
            let is_there = own.start_cell == program.start || own.start_cell == 0;
            is_there && own.machine == program.machine && own.input == program.input
        };
        self.parse(program.steps).is_ok_and(fits)
    }

    /// Sentence on the notation of the rules and the size of the machine.
    pub fn describe(&self, steps: usize) -> String {
        let Ok(ParsedDraft { machine, .. }) = self.parse(steps) else { return String::new() };
        tr!(
            "{notation}: {rules} rules, {states} states, {symbols} symbols.",
            notation = Notation::detect(&self.rules).name(),
            rules = machine.rule_count(),
            states = machine.state_names().len(),
            symbols = machine.symbols().len()
        )
    }
}

impl DraftError {
    /// Error in the input field `part` with the message of a machine error.
    fn new(part: EditorField, error: &MachineError) -> DraftError {
        DraftError {
            editor_field: part,
            error: TextError { line: error_line(error), message: error_sentence(error) },
        }
    }
}

/// Line of the rules that a machine error refers to, from 1; `None` if it refers to no line.
fn error_line(error: &MachineError) -> Option<usize> {
    match error {
        MachineError::InvalidRule { line, .. }
        | MachineError::IncompleteRule { line }
        | MachineError::UnknownMove { line, .. }
        | MachineError::SymbolTooLong { line, .. }
        | MachineError::InvalidSymbol { line, .. }
        | MachineError::StateNameTooLong { line }
        | MachineError::InvalidStateName { line, .. }
        | MachineError::DuplicateRule { line, .. }
        | MachineError::TooManyStates { line }
        | MachineError::TooManySymbols { line }
        | MachineError::TooManyRules { line }
        | MachineError::UnknownAcceptingState { line, .. } => Some(*line),
        _ => None,
    }
}

impl ParsedDraft {
    /// Returns the parsed draft unchanged, or an error if its rules or its input are too long for a link.
    fn check_link_length(self) -> Result<Self, DraftError> {
        let [(_, rules), (_, input), _] = self.link_settings();
        for (part, text, most) in
            [(EditorField::Rules, rules, MAX_LINK_BYTES[0]), (EditorField::Input, input, MAX_LINK_BYTES[1])]
        {
            if text.len() > most {
                let (count, most) = (format_thousands(text.len() as u64), format_thousands(most as u64));
                let message = match part {
                    EditorField::Rules => {
                        tr!(
                            "The rules need {count} characters in a link, but at most {most} characters are allowed. Use shorter names of states.",
                            count,
                            most
                        )
                    }
                    _ => {
                        tr!(
                            "The input needs {count} characters in a link, but at most {most} characters are allowed.",
                            count,
                            most
                        )
                    }
                };
                return Err(DraftError { editor_field: part, error: TextError { line: None, message } });
            }
        }
        Ok(self)
    }

    /// Settings (key, value in link notation) that make a run execute this machine.
    pub fn link_settings(&self) -> [(&'static str, String); 3] {
        [
            ("rules", line::encode(self.machine.to_string().trim_end())),
            ("input", line::encode(&self.machine.format_symbols(self.input.iter().copied()))),
            ("cell", self.start_cell.to_string()),
        ]
    }
}

/// Row of the table of a machine's rules: one state and one symbol under the head, with the rule that applies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleRow {
    /// State and symbol under the head, as indices from 0, to which the rule applies.
    pub case: (usize, usize),
    /// Texts of the row's five columns: state, symbol that is read, symbol that is written, move, next state.
    pub words: [String; 5],
}

/// Rows of the table with the rules of a machine, ordered by state and then by symbol; a state and symbol without a
/// rule have no row.
pub fn rule_table(machine: &Machine) -> Vec<RuleRow> {
    let cases = (0..machine.state_names().len())
        .flat_map(|state| (0..machine.symbols().len()).map(move |symbol| (state, symbol)));
    let row = |case: (usize, usize)| {
        let rule = machine.rule(case.0, case.1)?;
        let state = |at: usize| crate::machines::tape::state_name(machine, at).to_string();
        let words = [
            state(case.0),
            machine.format_symbols([case.1]),
            machine.format_symbols([rule.write]),
            rule.step.letter().to_string(),
            state(rule.next),
        ];
        Some(RuleRow { case, words })
    };
    cases.filter_map(row).take(MAX_ROWS).collect()
}

/// State and symbol under the head, as indices from 0, before step number `step` (from 1), which determine the rule
/// that the step applied; `None` for step 0.
pub fn applied_rule(run: &MachineRun, step: usize) -> Option<(usize, usize)> {
    let before: StepRecord = crate::machines::tape::record_after(run, step.checked_sub(1)?);
    Some((before.state, before.symbol))
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_science::machines::library::{EXAMPLES, find_example};

    fn draft(rules: &str, input: &str, cell: &str) -> Draft {
        Draft { rules: rules.into(), input: input.into(), cell: cell.into() }
    }

    #[test]
    fn examples_come_back_from_the_editor() {
        for of in &EXAMPLES {
            let machine = of.parse_machine().unwrap();
            let input = machine.parse_input(of.input).unwrap();
            let program = MachineProgram::new(machine.clone(), input.clone(), of.start, of.steps).unwrap();
            let draft = Draft::from_program(&program);
            assert!(draft.matches_program(&program), "{}", of.slug);
            let moved = MachineProgram { start: of.start + 1, ..program };
            assert_eq!(draft.matches_program(&moved), of.start == 0, "a start cell of 0 is any");
            let written = draft.parse(of.steps).unwrap();
            let [(_, rules), (_, input_text), (_, cell)] = written.link_settings();
            let read = Machine::parse(&line::decode(&rules)).unwrap();
            assert_eq!((read.parse_input(&line::decode(&input_text)).unwrap(), &read), (input, &machine));
            assert_eq!(cell, of.start.to_string());
            assert!(!rules.contains(['&', '=', '#', '?', ' ', '\n']), "{rules}");
            assert!(draft.describe(of.steps).starts_with("Rules with an arrow: "));
        }
    }

    #[test]
    fn every_notation_is_read() {
        let texts = [
            ("a 0 → 1 R a\na _ → _ S halt", "Rules with an arrow"),
            ("a 0 1 r a\na _ _ * halt", "Five words per line (morphett.info)"),
            ("init: a\na,0\na,1,>\na,_\nhalt,_,-", "Two lines per rule (turingmachinesimulator.com)"),
        ];
        for (text, name) in texts {
            let said = draft(text, "00", "3").describe(5);
            assert_eq!(said, format!("{name}: 2 rules, 2 states, 3 symbols."));
        }
    }

    #[test]
    fn what_is_wrong_is_stated_where_it_stands() {
        let flaw = |rules: &str, input: &str, cell: &str| {
            let flaw = draft(rules, input, cell).parse(5).unwrap_err();
            (flaw.editor_field, flaw.error.message, flaw.error.line)
        };
        let fine = "a 0 → 1 R a\na _ → _ L a";
        let text = flaw("a 0 → 1 R a\na 1 → 1 X a", "", "0");
        let sentence = "Line 2: unknown direction X; write L, R or S (stay).";
        assert_eq!(text, (EditorField::Rules, sentence.into(), Some(2)));
        let (part, sentence, line) = flaw("", "", "0");
        assert!(part == EditorField::Rules && sentence.starts_with("The text has no rule") && line.is_none());
        let (part, sentence, _) = flaw(fine, "02", "0");
        assert!(
            part == EditorField::Input && sentence.starts_with("The input has the symbol 2"),
            "{sentence}"
        );
        for cell in ["", "x", "-1", "1.5", "16385", "99999999999999999999"] {
            let (part, sentence, _) = flaw(fine, "0", cell);
            assert_eq!(sentence, "The start cell must be a whole number from 0 to 16,384.");
            assert_eq!(part, EditorField::Cell);
        }
        let (part, sentence, _) = flaw(fine, "", "1");
        assert!(
            part == EditorField::Cell && sentence.starts_with("The head leaves the tape on the left"),
            "{sentence}"
        );
        assert!(draft(fine, "", "0").parse(5).is_ok(), "a start cell is chosen");
        let (part, ..) = flaw("a 0 → 1 R a\na _ → _ S a", "000", "16384");
        assert_eq!(part, EditorField::Input);
        assert_eq!(draft("", "", "").describe(5), "");
    }

    #[test]
    fn what_no_link_can_hold_is_refused_before_it_runs() {
        let spec = vivarium_model::run::RunSpec::default_of_lab("turing-machine").unwrap();
        for (key, most) in ["rules", "input"].into_iter().zip(MAX_LINK_BYTES) {
            assert_eq!(spec.setting(key).unwrap().range, vivarium_core::settings::Range::Text(most), "{key}");
        }
        let long = draft("a 0 → 0 R a", &"0".repeat(2001), "0").parse(5).unwrap_err();
        assert_eq!(
            long.error.message,
            "The input needs 2,001 characters in a link, but at most 2,000 characters are allowed."
        );
        let name = |state: usize| format!("{}{state:02}", "q".repeat(28));
        let rules: Vec<String> = (0..24)
            .flat_map(|state| "01234567".chars().map(move |read| (state, read)))
            .filter(|(_, read)| *read != '7')
            .map(|(state, read)| format!("{0} {read} → {read} R {0}", name(state)))
            .collect();
        let long = draft(&rules.join("\n"), "0", "0").parse(5).unwrap_err();
        assert!(
            long.editor_field == EditorField::Rules && long.error.message.starts_with("The rules need 1"),
            "{}",
            long.error.message
        );
    }

    #[test]
    fn rules_stand_in_a_table() {
        let of = find_example("busy-beaver-4").unwrap();
        let machine = of.parse_machine().unwrap();
        let rows = rule_table(&machine);
        assert_eq!(rows.len(), machine.rule_count());
        assert_eq!(rows[0].words, ["A", "_", "1", "R", "B"]);
        let run = MachineRun::new(&machine, &[], of.start, of.steps).unwrap();
        assert_eq!(applied_rule(&run, 0), None);
        for step in 1..=107 {
            let case = applied_rule(&run, step).unwrap();
            let row = rows.iter().find(|row| row.case == case).unwrap();
            assert_eq!(row.words[2], machine.format_symbols([run.records[step - 1].written]));
            assert_eq!(row.words[4], machine.state_names()[run.records[step - 1].state]);
        }
        // A machine that stands still applies no rule of the table.
        assert!(rows.iter().all(|row| Some(row.case) != applied_rule(&run, 500)));
        let draft = Draft::default()
            .with_text(EditorField::Rules, "x".into())
            .with_text(EditorField::Cell, "7".into());
        assert_eq!(draft.with_text(EditorField::Input, "1".into()), super::tests::draft("x", "1", "7"));
    }
}
