//! The text of the program as a list of lines, and which of them the next layer applies.

use crate::succinct::state::OnTable;
use vivarium_science::succinct::grid::GridProgram;

/// A line of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Its number, from 1.
    pub number: usize,
    /// The rule; empty where there is none.
    pub rule: String,
    /// The comment, with its `//`; empty where there is none.
    pub comment: String,
}

/// The lines of a text.
pub fn lines(text: &str) -> Vec<Line> {
    let line = |(at, line): (usize, &str)| {
        let (rule, comment) = line.split_at(line.find("//").unwrap_or(line.len()));
        Line { number: at + 1, rule: rule.trim().into(), comment: comment.trim().into() }
    };
    text.lines().enumerate().map(line).collect()
}

/// The line, from 1, that says what a program does in this state with this symbol under the head; none where it has no rule
/// for them. A line that names the symbol counts before one that reads `*`.
pub fn line_of(text: &str, program: &GridProgram, state: &str, symbol: char) -> Option<usize> {
    let of_state = program.state_names().iter().position(|name| name == state)?;
    let of_symbol = program.symbols().iter().position(|name| *name == symbol)?;
    program.rule(u8::try_from(of_state).ok()?, u8::try_from(of_symbol).ok()?)?;
    let mut rest = None;
    for (number, line) in (1..).zip(text.lines()) {
        let Some((of, read)) = case(line) else { continue };
        match read {
            _ if of != state => {}
            "*" => rest = rest.or(Some(number)),
            read if read.contains(symbol) => return Some(number),
            _ => {}
        }
    }
    rest
}

/// The state of a line, and the symbols that it reads; none where it holds no rule.
fn case(line: &str) -> Option<(&str, &str)> {
    let mut words = line.split("//").next()?.split_whitespace();
    Some((words.next()?, words.next()?))
}

/// The line of the rule that the next layer applies at the head; none where it applies none.
pub fn current(own: &OnTable) -> Option<usize> {
    let (state, symbol, _) = own.next_rule()?;
    line_of(own.net.text(), &own.program, own.program.state_name(state), own.program.symbol_name(symbol))
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
                    let line = line_of(learner.text, &program, name, *sign);
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
        let line = |state, symbol| line_of(text, &program, state, symbol);
        assert_eq!([line("a", '_'), line("a", 'C'), line("a", '+'), line("a", '-')], [2, 2, 4, 4].map(Some));
        assert_eq!(line("b", 'C'), Some(5));
        for (state, symbol) in [("b", '+'), ("HALT", '+'), ("c", '+'), ("a", 'D')] {
            assert_eq!(line(state, symbol), None, "{state} {symbol}");
        }
    }

    #[test]
    fn lines_are_cut_at_their_comments() {
        let all = lines("a + → * S a   // one\n\n// two");
        let line = |number: usize, rule: &str, comment: &str| Line {
            number,
            rule: rule.into(),
            comment: comment.into(),
        };
        assert_eq!(all, [line(1, "a + → * S a", "// one"), line(2, "", ""), line(3, "", "// two")]);
        assert_eq!(lines(""), []);
    }
}
