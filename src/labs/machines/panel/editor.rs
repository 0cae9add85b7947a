//! The editor of a machine: what a person has written, what is wrong with it, and the rules as a table.

use vivarium_core::settings::line;
use vivarium_science::machines::text::Notation;
use vivarium_science::machines::{MAX_CELL, Machine, MachineError, MachineProgram, MachineRun, StepRecord};
use vivarium_view::display::words::{capital, thousands};

/// Rules of a table that are shown at most; no machine has more.
pub const MOST_ROWS: usize = vivarium_science::machines::MAX_STATES * vivarium_science::machines::MAX_SYMBOLS;

/// Most characters of the rules and of the input as a link has them; the settings refuse more.
const MOST_IN_LINK: [usize; 2] = [5_000, 2000];

/// What stands in the fields of the editor.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Draft {
    /// The rules, in any notation.
    pub rules: String,
    /// The input.
    pub input: String,
    /// The start cell.
    pub cell: String,
}

/// A field of the editor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The rules.
    Rules,
    /// The input.
    Input,
    /// The start cell.
    Cell,
}

/// A draft that can run.
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    /// The machine.
    pub machine: Machine,
    /// The input, by number.
    pub input: Vec<usize>,
    /// The start cell; 0 has one chosen that leaves room enough on its left.
    pub start: usize,
}

/// What is wrong with a draft, and in which field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flaw {
    /// The field that must be changed.
    pub part: Part,
    /// Why, in a sentence.
    pub sentence: String,
    /// The line of the rules that it is about, from 1.
    pub line: Option<usize>,
}

impl Draft {
    /// The draft of what runs.
    pub fn of(program: &MachineProgram) -> Draft {
        Draft {
            rules: program.machine.to_string().trim_end().into(),
            input: program.machine.format_symbols(program.input.iter().copied()),
            cell: program.start.to_string(),
        }
    }

    /// The same with another text in one field.
    pub fn with(&self, part: Part, text: String) -> Draft {
        let mut draft = self.clone();
        *match part {
            Part::Rules => &mut draft.rules,
            Part::Input => &mut draft.input,
            Part::Cell => &mut draft.cell,
        } = text;
        draft
    }

    /// What it says, in a run of so many steps.
    ///
    /// # Errors
    /// The first thing that must be changed.
    pub fn read(&self, steps: usize) -> Result<Written, Flaw> {
        let machine = Machine::parse(&self.rules).map_err(|mistake| Flaw::of(Part::Rules, &mistake))?;
        let input =
            machine.parse_input(self.input.trim()).map_err(|mistake| Flaw::of(Part::Input, &mistake))?;
        let start = self.cell.trim().parse::<u64>().ok().filter(|cell| *cell <= MAX_CELL);
        let Some(start) = start else {
            let sentence =
                tr!("The start cell must be a whole number from 0 to {most}.", most = thousands(MAX_CELL));
            return Err(Flaw { part: Part::Cell, sentence, line: None });
        };
        // No cell has a number that large.
        let start = usize::try_from(start).unwrap_or(usize::MAX);
        let program = match start {
            0 => MachineProgram::with_preferred_start(machine.clone(), input.clone(), 0, steps),
            start => MachineProgram::new(machine.clone(), input.clone(), start, steps),
        };
        match program {
            Ok(_) => Written { machine, input, start }.fitting(),
            Err(mistake @ MachineError::CellTooLarge { .. }) if input.len() > 1 => {
                Err(Flaw::of(Part::Input, &mistake))
            }
            Err(mistake) => Err(Flaw::of(Part::Cell, &mistake)),
        }
    }

    /// Whether it says just what runs, in any notation.
    pub fn says(&self, program: &MachineProgram) -> bool {
        let fits = |own: Written| {
            let is_there = own.start == program.start || own.start == 0;
            is_there && own.machine == program.machine && own.input == program.input
        };
        self.read(program.steps).is_ok_and(fits)
    }

    /// The notation of the rules, and how large the machine is.
    pub fn about(&self, steps: usize) -> String {
        let Ok(Written { machine, .. }) = self.read(steps) else { return String::new() };
        tr!(
            "{notation}: {rules} rules, {states} states, {symbols} symbols.",
            notation = Notation::detect(&self.rules).name(),
            rules = machine.rule_count(),
            states = machine.state_names().len(),
            symbols = machine.symbols().len()
        )
    }
}

impl Flaw {
    fn of(part: Part, mistake: &MachineError) -> Flaw {
        Flaw { part, sentence: format!("{}.", capital(&mistake.to_string())), line: line_of(mistake) }
    }
}

/// The line of the text that a mistake is about.
fn line_of(mistake: &MachineError) -> Option<usize> {
    match mistake {
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

/// Where a line of a text begins and ends, in UTF-16 units as a browser counts them; lines count from 1.
pub fn line_range(text: &str, line: usize) -> Option<(u32, u32)> {
    let units = |text: &str| u32::try_from(text.encode_utf16().count()).unwrap_or(u32::MAX);
    let mut start: u32 = 0;
    for (at, of) in text.split('\n').enumerate() {
        let end = start.saturating_add(units(of));
        if at + 1 == line {
            return Some((start, end));
        }
        start = end.saturating_add(1);
    }
    None
}

impl Written {
    /// The same, if a link can hold it.
    fn fitting(self) -> Result<Self, Flaw> {
        let [(_, rules), (_, input), _] = self.texts();
        for (part, text, most) in
            [(Part::Rules, rules, MOST_IN_LINK[0]), (Part::Input, input, MOST_IN_LINK[1])]
        {
            if text.len() > most {
                let (count, most) = (thousands(text.len() as u64), thousands(most as u64));
                let sentence = match part {
                    Part::Rules => {
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
                return Err(Flaw { part, sentence, line: None });
            }
        }
        Ok(self)
    }

    /// The settings that make the run be of this machine, as a link has them.
    pub fn texts(&self) -> [(&'static str, String); 3] {
        [
            ("rules", line::encode(self.machine.to_string().trim_end())),
            ("input", line::encode(&self.machine.format_symbols(self.input.iter().copied()))),
            ("cell", self.start.to_string()),
        ]
    }
}

/// A row of the table of rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleRow {
    /// State and symbol by number, for which it is the rule.
    pub case: (usize, usize),
    /// State, symbol that is read, symbol that is written, move, next state.
    pub words: [String; 5],
}

/// The rules of a machine in their order.
pub fn table(machine: &Machine) -> Vec<RuleRow> {
    let cases = (0..machine.state_names().len())
        .flat_map(|state| (0..machine.symbols().len()).map(move |symbol| (state, symbol)));
    let row = |case: (usize, usize)| {
        let rule = machine.rule(case.0, case.1)?;
        let state = |at: usize| crate::machines::tape::state(machine, at).to_string();
        let words = [
            state(case.0),
            machine.format_symbols([case.1]),
            machine.format_symbols([rule.write]),
            rule.step.letter().to_string(),
            state(rule.next),
        ];
        Some(RuleRow { case, words })
    };
    cases.filter_map(row).take(MOST_ROWS).collect()
}

/// The state and the symbol for which a step has applied the rule: those before it.
pub fn applied(run: &MachineRun, step: usize) -> Option<(usize, usize)> {
    let before: StepRecord = crate::machines::tape::moment(run, step.checked_sub(1)?);
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
            let draft = Draft::of(&program);
            assert!(draft.says(&program), "{}", of.slug);
            let moved = MachineProgram { start: of.start + 1, ..program };
            assert_eq!(draft.says(&moved), of.start == 0, "a start cell of 0 is any");
            let written = draft.read(of.steps).unwrap();
            let [(_, rules), (_, input_text), (_, cell)] = written.texts();
            let read = Machine::parse(&line::decode(&rules)).unwrap();
            assert_eq!((read.parse_input(&line::decode(&input_text)).unwrap(), &read), (input, &machine));
            assert_eq!(cell, of.start.to_string());
            assert!(!rules.contains(['&', '=', '#', '?', ' ', '\n']), "{rules}");
            assert!(draft.about(of.steps).starts_with("Rules with an arrow: "));
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
            let said = draft(text, "00", "3").about(5);
            assert_eq!(said, format!("{name}: 2 rules, 2 states, 3 symbols."));
        }
    }

    #[test]
    fn what_is_wrong_is_said_where_it_stands() {
        let flaw = |rules: &str, input: &str, cell: &str| {
            let flaw = draft(rules, input, cell).read(5).unwrap_err();
            (flaw.part, flaw.sentence, flaw.line)
        };
        let fine = "a 0 → 1 R a\na _ → _ L a";
        let said = flaw("a 0 → 1 R a\na 1 → 1 X a", "", "0");
        let sentence = "Line 2: unknown direction X; write L, R or S (stay).";
        assert_eq!(said, (Part::Rules, sentence.into(), Some(2)));
        let (part, sentence, line) = flaw("", "", "0");
        assert!(part == Part::Rules && sentence.starts_with("The text has no rule") && line.is_none());
        let (part, sentence, _) = flaw(fine, "02", "0");
        assert!(part == Part::Input && sentence.starts_with("The input has the symbol 2"), "{sentence}");
        for cell in ["", "x", "-1", "1.5", "16385", "99999999999999999999"] {
            let (part, sentence, _) = flaw(fine, "0", cell);
            assert_eq!(sentence, "The start cell must be a whole number from 0 to 16,384.");
            assert_eq!(part, Part::Cell);
        }
        let (part, sentence, _) = flaw(fine, "", "1");
        assert!(
            part == Part::Cell && sentence.starts_with("The head leaves the tape on the left"),
            "{sentence}"
        );
        assert!(draft(fine, "", "0").read(5).is_ok(), "a start cell is chosen");
        let (part, ..) = flaw("a 0 → 1 R a\na _ → _ S a", "000", "16384");
        assert_eq!(part, Part::Input);
        assert_eq!(draft("", "", "").about(5), "");
    }

    #[test]
    fn what_no_link_can_hold_is_refused_before_it_runs() {
        let spec = vivarium_model::run::RunSpec::of_lab("turing-machine").unwrap();
        for (key, most) in ["rules", "input"].into_iter().zip(MOST_IN_LINK) {
            assert_eq!(spec.knob(key).unwrap().range, vivarium_core::settings::Range::Text(most), "{key}");
        }
        let long = draft("a 0 → 0 R a", &"0".repeat(2001), "0").read(5).unwrap_err();
        assert_eq!(
            long.sentence,
            "The input needs 2,001 characters in a link, but at most 2,000 characters are allowed."
        );
        let name = |state: usize| format!("{}{state:02}", "q".repeat(28));
        let rules: Vec<String> = (0..24)
            .flat_map(|state| "01234567".chars().map(move |read| (state, read)))
            .filter(|(_, read)| *read != '7')
            .map(|(state, read)| format!("{0} {read} → {read} R {0}", name(state)))
            .collect();
        let long = draft(&rules.join("\n"), "0", "0").read(5).unwrap_err();
        assert!(
            long.part == Part::Rules && long.sentence.starts_with("The rules need 1"),
            "{}",
            long.sentence
        );
    }

    #[test]
    fn a_line_is_found_in_the_text() {
        let text = "a → b\n\nüx";
        assert_eq!((line_range(text, 1), line_range(text, 2)), (Some((0, 5)), Some((6, 6))));
        assert_eq!(
            (line_range(text, 3), line_range(text, 4), line_range(text, 0)),
            (Some((7, 9)), None, None)
        );
        assert_eq!(line_range("😀\nb", 2), Some((3, 4)));
    }

    #[test]
    fn rules_stand_in_a_table() {
        let of = find_example("busy-beaver-4").unwrap();
        let machine = of.parse_machine().unwrap();
        let rows = table(&machine);
        assert_eq!(rows.len(), machine.rule_count());
        assert_eq!(rows[0].words, ["A", "_", "1", "R", "B"]);
        let run = MachineRun::new(&machine, &[], of.start, of.steps).unwrap();
        assert_eq!(applied(&run, 0), None);
        for step in 1..=107 {
            let case = applied(&run, step).unwrap();
            let row = rows.iter().find(|row| row.case == case).unwrap();
            assert_eq!(row.words[2], machine.format_symbols([run.records[step - 1].written]));
            assert_eq!(row.words[4], machine.state_names()[run.records[step - 1].state]);
        }
        // A machine that stands still applies no rule of the table.
        assert!(rows.iter().all(|row| Some(row.case) != applied(&run, 500)));
        let draft = Draft::default().with(Part::Rules, "x".into()).with(Part::Cell, "7".into());
        assert_eq!(draft.with(Part::Input, "1".into()), super::tests::draft("x", "1", "7"));
    }
}
