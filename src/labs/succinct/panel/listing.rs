//! The text of the program as a list of lines, and which of them the next layer applies.

use crate::succinct::state::ProgramState;
use vivarium_science::succinct::grid::GridProgram;

/// Line of a program text, split into rule and comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramLine {
    /// Number of the line in the text of the program, from 1.
    pub number: usize,
    /// Rule of the program on this line; empty if there is none.
    pub rule: String,
    /// Comment on this line with its `//`; empty if there is none.
    pub comment: String,
}

/// Splits a program text into lines, and each line into rule and comment.
pub fn split_lines(text: &str) -> Vec<ProgramLine> {
    let line = |(at, line): (usize, &str)| {
        let (rule, comment) = line.split_at(line.find("//").unwrap_or(line.len()));
        ProgramLine { number: at + 1, rule: rule.trim().into(), comment: comment.trim().into() }
    };
    text.lines().enumerate().map(line).collect()
}

/// Number of the line of `text`, from 1, with the program's rule for this state and symbol; `None` if there is no such
/// rule. A line that names the symbol has priority over one with `*`.
pub fn find_rule_line(text: &str, program: &GridProgram, state: &str, symbol: char) -> Option<usize> {
    let of_state = program.state_names().iter().position(|name| name == state)?;
    let of_symbol = program.symbols().iter().position(|name| *name == symbol)?;
    program.rule(u8::try_from(of_state).ok()?, u8::try_from(of_symbol).ok()?)?;
    let mut rest = None;
    for (number, line) in (1..).zip(text.lines()) {
        let Some((of, read)) = parse_case(line) else { continue };
        match read {
            _ if of != state => {}
            "*" => rest = rest.or(Some(number)),
            read if read.contains(symbol) => return Some(number),
            _ => {}
        }
    }
    rest
}

/// State and read symbols (the first two words) of a line of the program text; `None` if the line has no rule.
fn parse_case(line: &str) -> Option<(&str, &str)> {
    let mut words = line.split("//").next()?.split_whitespace();
    Some((words.next()?, words.next()?))
}

/// Number of the program's line, from 1, whose rule the next layer applies at the head; `None` if it applies none.
pub fn next_rule_line(program_state: &ProgramState) -> Option<usize> {
    let (state, symbol, _) = program_state.next_rule()?;
    find_rule_line(
        program_state.net.text(),
        &program_state.program,
        program_state.program.state_name(state),
        program_state.program.symbol_name(symbol),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_science::succinct::grid::library;

    #[test]
    fn every_transition_of_the_library_has_its_line() {
        for learner in library::LEARNERS {
            let program = learner.parse_program().unwrap();
            let all: Vec<&str> = learner.text.lines().collect();
            let mut used = vec![false; all.len()];
            let mut found = 0;
            for (state, name) in (0..).zip(program.state_names()) {
                for (symbol, sign) in (0..).zip(program.symbols()) {
                    let line = find_rule_line(learner.text, &program, name, *sign);
                    let Some(rule) = program.rule(state, symbol) else {
                        assert_eq!(line, None, "{} {name} {sign}", learner.slug);
                        continue;
                    };
                    let line = line.unwrap();
                    found += 1;
                    used[line - 1] = true;
                    let words: Vec<&str> = all[line - 1].split_whitespace().collect();
                    assert_eq!((words[0], words[2]), (name.as_str(), "→"), "{line}");
                    let place = words[1].chars().position(|one| one == *sign).unwrap();
                    let written = match words[3] {
                        "*" => *sign,
                        several => several.chars().nth(place).or(several.chars().next()).unwrap(),
                    };
                    assert_eq!(written, program.symbol_name(rule.write), "{line}");
                    assert_eq!(words[4], rule.step.letter().to_string(), "{line}");
                    assert_eq!(words[5], program.state_name(rule.next), "{line}");
                }
            }
            assert_eq!(found, program.rule_count(), "{}", learner.slug);
            assert!(used.iter().all(|used| *used), "{}: each line is of some transition", learner.slug);
        }
    }

    #[test]
    fn a_line_with_the_symbol_counts_before_one_for_all_others() {
        let text = "// first\na * → * S b // * and +\n\na +- → * S b\nb C → * S HALT";
        let program = GridProgram::parse(text).unwrap();
        let line = |state, symbol| find_rule_line(text, &program, state, symbol);
        assert_eq!([line("a", '_'), line("a", 'C'), line("a", '+'), line("a", '-')], [2, 2, 4, 4].map(Some));
        assert_eq!(line("b", 'C'), Some(5));
        for (state, symbol) in [("b", '+'), ("HALT", '+'), ("c", '+'), ("a", 'D')] {
            assert_eq!(line(state, symbol), None, "{state} {symbol}");
        }
    }

    #[test]
    fn lines_are_cut_at_their_comments() {
        let all = split_lines("a + → * S a   // one\n\n// two");
        let line = |number: usize, rule: &str, comment: &str| ProgramLine {
            number,
            rule: rule.into(),
            comment: comment.into(),
        };
        assert_eq!(all, [line(1, "a + → * S a", "// one"), line(2, "", ""), line(3, "", "// two")]);
        assert_eq!(split_lines(""), []);
    }
}
