//! Parsing the text of a program: one rule per line.
//!
//! ```text
//! state read → write move state      `->` and `→` are the same
//! a +    → -  L b                    reads one symbol
//! a +-   → -+ L b                    reads + or -, and writes - or +
//! a +-Pp → #  L b                    reads one of four symbols, writes always the same
//! a *    → *  L b                    every symbol without a rule of its own; a written * leaves the symbol as it is
//! ```
//!
//! `_` is the blank, the moves are `U D L R S` (up, down, left, right, stay), a next state `*` is the same state, and `//`
//! begins a comment. The state of the first rule is the start state; HALT ends the run. The symbols `+` and `-` are 1 and −1
//! of the data; a `*` reads them even where no rule names them.

use super::super::error::SuccinctError;
use super::super::limits::{
    MAX_PROGRAM_RULES, MAX_PROGRAM_STATES, MAX_PROGRAM_SYMBOLS, MAX_PROGRAM_TEXT_BYTES, MAX_STATE_NAME_LENGTH,
};
use super::program::{BASE_SYMBOLS, GridMove, GridProgram, GridRule, HALT};

/// A parsed line of a program's text, which gives a rule for each symbol read; `None` stands for the wildcard `*`.
struct ParsedRule {
    /// Line number of the rule in the text, from 1.
    number: usize,
    /// Name of the state in which the rule applies.
    state: String,
    /// Symbols that the line reads; `None` for `*`, all symbols.
    read: Option<Vec<char>>,
    /// Symbols that the line writes, one for all symbols read or one for each; `None` for `*`, the symbol read.
    write: Option<Vec<char>>,
    /// Direction in which the rule moves the head after writing.
    step: GridMove,
    /// Name of the state to which the rule changes.
    next: String,
}

impl ParsedRule {
    /// Parses a line of a program's text; `number` is its line number, from 1.
    fn new(number: usize, text: &str) -> Result<ParsedRule, SuccinctError> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let &[state, read, "→" | "->", write, step, next] = words.as_slice() else {
            return Err(SuccinctError::InvalidRule { line: number, found: truncate(text) });
        };
        let state = parse_state(number, state)?;
        if state == HALT {
            return Err(SuccinctError::HaltHasRule { line: number });
        }
        let read = parse_symbols(number, read)?;
        if let Some(found) = read.as_ref().and_then(|read| find_duplicate(read)) {
            return Err(SuccinctError::DuplicateSymbol { line: number, found });
        }
        let write = parse_symbols(number, write)?;
        let (count, written) = (read.as_ref().map_or(1, Vec::len), write.as_ref().map_or(1, Vec::len));
        if written != 1 && written != count {
            return Err(SuccinctError::WrittenSymbolCount { line: number, read: count, written });
        }
        let direction = GridMove::ALL.into_iter().find(|one| step == one.letter().to_string());
        let step =
            direction.ok_or_else(|| SuccinctError::UnknownMove { line: number, found: truncate(step) })?;
        let next = if next == "*" { state.clone() } else { parse_state(number, next)? };
        Ok(ParsedRule { number, state, read, write, step, next })
    }

    /// The symbol that the line writes if it reads `symbol`.
    fn written_symbol(&self, symbol: char) -> char {
        match self.write.as_deref() {
            None => symbol,
            Some(&[one]) => one,
            Some(several) => {
                let at = self.read.iter().flatten().position(|read| *read == symbol);
                at.and_then(|at| several.get(at)).copied().unwrap_or(symbol)
            }
        }
    }

    /// All symbols that the line reads or writes.
    fn symbols(&self) -> impl Iterator<Item = char> {
        self.read.iter().flatten().chain(self.write.iter().flatten()).copied()
    }
}

/// Parses the name of a state; `line` is the line number, from 1, that an error reports.
fn parse_state(line: usize, word: &str) -> Result<String, SuccinctError> {
    if word.chars().count() > MAX_STATE_NAME_LENGTH {
        return Err(SuccinctError::StateNameTooLong { line });
    }
    if ["*", "→", "->"].contains(&word) {
        return Err(SuccinctError::InvalidStateName { line, found: word.into() });
    }
    Ok(word.into())
}

/// Parses a list of symbols; `None` for the wildcard `*`. `line` is the line number, from 1, that an error reports.
fn parse_symbols(line: usize, word: &str) -> Result<Option<Vec<char>>, SuccinctError> {
    if word == "*" {
        return Ok(None);
    }
    match word.chars().find(|one| ['*', '→'].contains(one)) {
        Some(found) => Err(SuccinctError::ReservedSymbol { line, found }),
        None => Ok(Some(word.chars().collect())),
    }
}

/// The first symbol that equals an earlier one of the list; `None` if all differ.
fn find_duplicate(symbols: &[char]) -> Option<char> {
    symbols.iter().enumerate().find(|(at, one)| symbols[..*at].contains(one)).map(|(_, one)| *one)
}

/// The beginning of `text`, short enough for an error message.
fn truncate(text: &str) -> String {
    text.trim().chars().take(4 * MAX_STATE_NAME_LENGTH).collect()
}

impl GridProgram {
    /// Parses the text of a program.
    ///
    /// # Errors
    /// The first error of the text.
    pub fn parse(text: &str) -> Result<GridProgram, SuccinctError> {
        if text.len() > MAX_PROGRAM_TEXT_BYTES {
            return Err(SuccinctError::TextTooLong);
        }
        let mut lines = Vec::new();
        for (at, line) in text.lines().enumerate() {
            let line = line.split("//").next().unwrap_or_default();
            if !line.trim().is_empty() {
                lines.push(ParsedRule::new(at + 1, line)?);
            }
        }
        let mut states = collect_states(&lines)?;
        let symbols = collect_symbols(&lines)?;
        let mut rules = build_rules(&lines, &states, &symbols)?;
        // A `*` without remaining symbols gives no rule, so that HALT may be unreachable.
        let halts = |rule: &GridRule| states.get(usize::from(rule.next)).is_some_and(|name| name == HALT);
        if !rules.iter().flatten().any(halts) {
            states.retain(|name| name != HALT);
            rules.truncate(states.len() * symbols.len());
        }
        Ok(GridProgram { states, symbols, rules })
    }
}

/// Collects the names of all states of the program, HALT last.
fn collect_states(lines: &[ParsedRule]) -> Result<Vec<String>, SuccinctError> {
    let mut states: Vec<String> = Vec::new();
    for line in lines {
        if !states.contains(&line.state) {
            states.push(line.state.clone());
        }
        if states.len() > MAX_PROGRAM_STATES {
            return Err(SuccinctError::TooManyStates { line: line.number });
        }
    }
    let leads = |line: &&ParsedRule| line.next != HALT && !states.contains(&line.next);
    if let Some(line) = lines.iter().find(leads) {
        return Err(SuccinctError::StateWithoutRule { line: line.number, state: line.next.clone() });
    }
    if let Some(line) = lines.iter().find(|line| line.next == HALT) {
        if states.len() == MAX_PROGRAM_STATES {
            return Err(SuccinctError::TooManyStates { line: line.number });
        }
        states.push(HALT.into());
    }
    if states.is_empty() { Err(SuccinctError::Empty) } else { Ok(states) }
}

/// Collects all symbols that the rules read or write, [`BASE_SYMBOLS`] first.
fn collect_symbols(lines: &[ParsedRule]) -> Result<Vec<char>, SuccinctError> {
    let mut symbols = BASE_SYMBOLS.to_vec();
    for line in lines {
        for symbol in line.symbols() {
            if !symbols.contains(&symbol) {
                symbols.push(symbol);
            }
        }
        if symbols.len() > MAX_PROGRAM_SYMBOLS {
            return Err(SuccinctError::TooManySymbols { line: line.number });
        }
    }
    symbols[BASE_SYMBOLS.len()..].sort_unstable();
    Ok(symbols)
}

/// Builds the table of rules, `[states, symbols]`, from the parsed lines; `None` where no line gives a rule.
fn build_rules(
    lines: &[ParsedRule],
    states: &[String],
    symbols: &[char],
) -> Result<Vec<Option<GridRule>>, SuccinctError> {
    // Each rule with the number of its line.
    let mut table: Vec<Option<(usize, GridRule)>> = vec![None; states.len() * symbols.len()];
    let number_of = |name: &str| (0..).zip(states).find(|(_, one)| *one == name).map_or(0, |(at, _)| at);
    let symbol_of = |name: char| (0..).zip(symbols).find(|(_, one)| **one == name).map_or(0, |(at, _)| at);
    let row_of = |line: &ParsedRule| usize::from(number_of(&line.state)) * symbols.len();
    let rule = |line: &ParsedRule, read: char| GridRule {
        write: symbol_of(line.written_symbol(read)),
        step: line.step,
        next: number_of(&line.next),
    };
    let mut count = 0;
    for line in lines {
        let row = row_of(line);
        for read in line.read.iter().flatten() {
            let cell = &mut table[row + usize::from(symbol_of(*read))];
            if let Some((first, _)) = *cell {
                let state = line.state.clone();
                return Err(SuccinctError::DuplicateRule { line: line.number, first, state, symbol: *read });
            }
            *cell = Some((line.number, rule(line, *read)));
            count += 1;
        }
        if count > MAX_PROGRAM_RULES {
            return Err(SuccinctError::TooManyRules { line: line.number });
        }
    }
    // Rules for `*` come last, because they apply only to symbols without their own rule.
    let rest: Vec<&ParsedRule> = lines.iter().filter(|line| line.read.is_none()).collect();
    for (at, line) in rest.iter().enumerate() {
        if let Some(first) = rest[..at].iter().find(|first| first.state == line.state) {
            let state = line.state.clone();
            return Err(SuccinctError::DuplicateRule {
                line: line.number,
                first: first.number,
                state,
                symbol: '*',
            });
        }
        let row = row_of(line);
        for (cell, read) in table[row..].iter_mut().zip(symbols) {
            if cell.is_none() {
                *cell = Some((line.number, rule(line, *read)));
                count += 1;
            }
        }
        if count > MAX_PROGRAM_RULES {
            return Err(SuccinctError::TooManyRules { line: line.number });
        }
    }
    Ok(table.into_iter().map(|cell| cell.map(|(_, rule)| rule)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_core::rng::{Purpose, RandomStream};

    #[test]
    fn wildcards_stand_for_the_remaining_symbols() {
        let program = GridProgram::parse("a +- → -+ L *   // flips\na P -> p R a\na * → * S HALT").unwrap();
        assert_eq!(
            program.to_string(),
            "a _ → _ S HALT\na + → - L a\na - → + L a\na P → p R a\na p → p S HALT\n"
        );
        assert_eq!(GridProgram::parse(&program.to_string()).unwrap(), program);
        let other = GridProgram::parse("a - -> - U a\na +_C → # D a").unwrap();
        assert_eq!(other.to_string(), "a _ → # D a\na + → # D a\na - → - U a\na C → # D a\n");
    }

    #[test]
    fn a_written_program_parses_to_the_same_program() {
        let nowhere = GridProgram::parse("a _+- → * S a\na * → * S HALT").unwrap();
        assert_eq!(nowhere.state_names(), ["a"]);
        assert_eq!(GridProgram::parse(&nowhere.to_string()).unwrap(), nowhere);
        let words = [
            "a", "b", "HALT", "*", "+", "-", "+-", "-+", "_", "C", "→", "->", "S", "U", "L", "//", "\n", "é",
        ];
        let (mut read, mut refused) = (0, 0);
        for seed in 0..4000 {
            let stream = RandomStream::new(seed, Purpose::Machine, 1);
            let word = |index| words[stream.draw_below(0, index, 18) as usize];
            let line = |at: u32| {
                // Mostly what has the form of a rule.
                let pick_word = |index, wanted: &'static str| {
                    if stream.draw_below(1, 9 * at + index, 30) > 0 { wanted } else { word(9 * at + index) }
                };
                let of = |index, from: usize, count: u32| {
                    pick_word(index, words[from + stream.draw_below(2, 9 * at + index, count) as usize])
                };
                [of(0, 0, 2), of(1, 3, 7), "→", of(3, 3, 7), of(4, 12, 3), of(5, 0, 4)].join(" ")
            };
            let text: String = (0..3).map(|at| line(at) + "\n").collect();
            match GridProgram::parse(&text) {
                Ok(program) => {
                    assert_eq!(GridProgram::parse(&program.to_string()).unwrap(), program, "{text}");
                    read += 1;
                }
                Err(mistake) => {
                    assert!(!mistake.to_string().contains(['{', '}']), "{mistake}");
                    refused += 1;
                }
            }
        }
        assert!(read > 200 && refused > 200, "{read} {refused}");
    }

    /// The error of a text as a sentence.
    fn wrong(text: &str) -> String {
        GridProgram::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn every_error_of_a_text_displays_as_a_sentence() {
        assert_eq!(
            wrong("\n// no\n"),
            "the text has no rule; write one rule per line, for example A + → - L B"
        );
        assert_eq!(wrong(&" ".repeat(65_537)), "the text must have at most 65536 bytes");
        let expected =
            "line 2: expected state, symbols read → symbol to write, move, next state, found: a + = - L";
        assert_eq!(wrong("a + → - L a\n a + = - L"), expected);
        assert_eq!(wrong("a + → - X a"), "line 1: unknown move X; write U, D, L, R or S (stay)");
        let special = "line 1: the character * has a special meaning and must not be in a list of symbols";
        assert_eq!(wrong("a +* → - L a"), special);
        assert_eq!(wrong("a +-+ → - L a"), "line 1: the symbol + is listed twice");
        let written = "number of symbols to write: 2; as symbols to write, give *, one symbol, or as many symbols as are read";
        assert_eq!(wrong("a +-P → -+ L a"), format!("line 1: number of symbols read: 3, {written}"));
        assert_eq!(wrong("a * → -+ L a"), format!("line 1: number of symbols read: 1, {written}"));
        let long = "line 1: the name of a state must have at most 16 characters";
        assert_eq!(wrong("abcdefghijklmnopq + → - L a"), long);
        assert_eq!(wrong("* + → - L a"), "line 1: the name * cannot be used for a state");
        let two = "already has a rule, in line 1";
        assert_eq!(wrong("a + → - L a\na -+ → - L a"), format!("line 2: state a with symbol + {two}"));
        assert_eq!(wrong("a * → - L a\na * → + L a"), format!("line 2: state a with symbol * {two}"));
        assert_eq!(wrong("HALT + → - L a"), "line 1: the state HALT ends the run and must not have a rule");
        let without = "line 1: the state b has no rule; every state except HALT needs a rule";
        assert_eq!(wrong("a + → - L b"), without);
    }

    #[test]
    fn programs_above_the_limits_are_rejected() {
        let lines = |count: usize| (0..count).map(|at| format!("s{at} + → * S s{at}\n")).collect::<String>();
        assert!(GridProgram::parse(&lines(64)).is_ok());
        assert_eq!(wrong(&lines(65)), "line 65: the program must have at most 64 states");
        let halts = lines(64).replace("S s0\n", "S HALT\n");
        assert_eq!(wrong(&halts), "line 1: the program must have at most 64 states");
        let symbols = "line 1: the program must have at most 27 symbols, including _, + and -";
        assert!(GridProgram::parse("a abcdefghijklmnopqrstuvwx → * S a").is_ok());
        assert_eq!(wrong("a abcdefghijklmnopqrstuvwxy → * S a"), symbols);
        let full = |count: usize| {
            (0..count).map(|at| format!("s{at} +-_abcdefghijklmnopqrstuvw → * S s{at}\n")).collect::<String>()
        };
        assert!(GridProgram::parse(&full(39)).is_ok());
        assert_eq!(wrong(&full(40)), "line 40: the text must have at most 1024 rules");
    }
}
