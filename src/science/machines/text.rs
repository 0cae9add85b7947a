//! Parsing the text of a machine, in the notation of this page or in those of two widely used simulators.
//!
//! ```text
//! this page                       state read → write move state       `->` and `→` are the same; newline or `;` separates
//! morphett.info                   state read write move state         `;` begins a comment
//! turingmachinesimulator.com      state,read                          two lines a rule, after `init:` and `accept:`
//!                                 state,write,move
//! ```
//!
//! In every notation `_` is the blank, and a move is one of `L l <`, `R r >` and `S s - *`. `*` as the state or the symbol read
//! matches every state or symbol without its own rule; `*` as the symbol written or the next state means no change. `//` begins
//! a comment. A line `start: name` or `init: name` names the start state, and a line `accept: name name` names accepting
//! states. Without such a line the start state is that of the first rule; in the second notation it is `0` if that state
//! exists.
//!
//! # Why
//! The notation is detected from the text: only the first has arrows, and only the third has commas. So the user can paste a
//! text without choosing a notation.

use std::cmp::Reverse;

use super::error::MachineError;
use super::limits::{MAX_MACHINE_TEXT_BYTES, MAX_RULES, MAX_STATE_NAME_LENGTH, MAX_STATES, MAX_SYMBOLS};
use super::machine::{BLANK, HeadMove, Machine, TransitionRule, Verdict};

/// Notation in which the rules in the text of a machine are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notation {
    /// `state read → write move state`.
    Arrows,
    /// `state read write move state`, as on morphett.info.
    Words,
    /// `state,read` and `state,write,move`, as on turingmachinesimulator.com.
    Commas,
}

impl Notation {
    /// Detects in which notation the text of a machine is written.
    pub fn detect(text: &str) -> Notation {
        // Only the part before the first `;` counts, because a comment may follow.
        let first = |line| without_comment(line).split(';').find(|piece| split_directive(piece).is_none());
        let firsts = || text.lines().filter_map(first);
        if firsts().any(|line| line.contains('→') || line.contains("->")) {
            Notation::Arrows
        } else if firsts().any(|line| line.contains(',') && split_words(line).len() < 5) {
            Notation::Commas
        } else {
            Notation::Words
        }
    }

    /// Name of the notation that the page shows.
    pub fn name(self) -> &'static str {
        match self {
            Notation::Arrows => tr!("Rules with an arrow"),
            Notation::Words => tr!("Five words per line (morphett.info)"),
            Notation::Commas => tr!("Two lines per rule (turingmachinesimulator.com)"),
        }
    }

    /// Pattern of a rule in this notation, for error messages.
    pub fn rule_form(self) -> &'static str {
        match self {
            Notation::Arrows => tr!("state, symbol read → symbol to write, move, next state"),
            Notation::Words => {
                tr!("five words: current state, symbol read, symbol written, move, next state")
            }
            Notation::Commas => {
                tr!("two lines: “state,symbol read” and below this line “next state,symbol to write,move”")
            }
        }
    }
}

/// A parsed rule of a machine's text, with its line number; `None` in a field stands for the wildcard `*`.
struct ParsedRule {
    /// Number of the rule's line in the text, from 1.
    number: usize,
    /// Name of the current state; `None` for `*`, any state.
    state: Option<String>,
    /// Symbol that the rule reads; `None` for `*`, any symbol.
    read: Option<char>,
    /// Symbol that the rule writes; `None` for `*`, the symbol read.
    write: Option<char>,
    /// Direction in which the rule moves the head after writing.
    step: HeadMove,
    /// Name of the next state; `None` for `*`, the current state.
    next: Option<String>,
}

impl ParsedRule {
    /// Parses the five words of a rule (state, symbol read, symbol written, move, next state); `number` is its line
    /// number, from 1.
    fn new(number: usize, [state, read, write, step, next]: [&str; 5]) -> Result<ParsedRule, MachineError> {
        Ok(ParsedRule {
            number,
            state: parse_state(number, state)?,
            read: parse_symbol(number, read)?,
            write: parse_symbol(number, write)?,
            step: parse_move(number, step)?,
            next: parse_state(number, next)?,
        })
    }

    /// Rank of a rule by its wildcards: 0 without, 1 with `*` as symbol read, 2 as state, 3 as both. Rules with a
    /// lower rank take precedence.
    fn wildcard_rank(&self) -> u8 {
        2 * u8::from(self.state.is_none()) + u8::from(self.read.is_none())
    }
}

/// The rules and directives of a machine's text, parsed but not yet checked together.
#[derive(Default)]
struct ParsedText {
    /// The parsed rules in the order of the text.
    lines: Vec<ParsedRule>,
    /// Name of the start state, if a line `start: …` or `init: …` names it.
    start: Option<String>,
    /// Accepting states that lines `accept: …` name, as pairs (line number, name).
    accepting: Vec<(usize, String)>,
}

impl Machine {
    /// Parses the text of a machine in one of the [notations](Notation).
    ///
    /// # Errors
    /// The first error of the text.
    pub fn parse(text: &str) -> Result<Machine, MachineError> {
        if text.len() > MAX_MACHINE_TEXT_BYTES {
            return Err(MachineError::TextTooLong);
        }
        let notation = Notation::detect(text);
        ParsedText::parse(text, notation)?.build(notation)
    }
}

/// A line of a machine's text without its comment, which begins with `//`.
fn without_comment(line: &str) -> &str {
    line.split("//").next().unwrap_or_default()
}

/// Splits a line of a machine's text into its words at white space.
fn split_words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

/// Splits a line such as `accept: name` into the keyword and the rest; `None` for other lines.
fn split_directive(line: &str) -> Option<(&str, &str)> {
    let (word, rest) = line.trim().split_once(':')?;
    ["name", "init", "start", "accept"].contains(&word).then_some((word, rest.trim()))
}

/// Parses the name of a state; `None` for the wildcard `*`. `line` is the line number, from 1, that an error
/// reports.
fn parse_state(line: usize, word: &str) -> Result<Option<String>, MachineError> {
    let word = word.trim();
    if word == "*" {
        return Ok(None);
    }
    if word.chars().count() > MAX_STATE_NAME_LENGTH {
        return Err(MachineError::StateNameTooLong { line });
    }
    let reserved = [";", ":", ",", "*", "→", "->", "//"].iter().any(|mark| word.contains(mark));
    if word.is_empty() || reserved || word.contains(char::is_whitespace) {
        return Err(MachineError::InvalidStateName { line, found: word.into() });
    }
    Ok(Some(word.into()))
}

/// Parses a symbol; `None` for the wildcard `*`. `line` is the line number, from 1, that an error reports.
fn parse_symbol(line: usize, word: &str) -> Result<Option<char>, MachineError> {
    let mut characters = word.trim().chars();
    match (characters.next(), characters.next()) {
        (Some('*'), None) => Ok(None),
        (Some(found @ (';' | '→')), None) => Err(MachineError::InvalidSymbol { line, found }),
        (Some(one), None) => Ok(Some(one)),
        // In the third notation an empty part is the blank.
        (None, _) => Ok(Some(BLANK)),
        _ => Err(MachineError::SymbolTooLong {
            line,
            found: word.chars().take(MAX_STATE_NAME_LENGTH).collect(),
        }),
    }
}

/// Parses the move of the head. `line` is the line number, from 1, that an error reports.
fn parse_move(line: usize, word: &str) -> Result<HeadMove, MachineError> {
    match word.trim().to_lowercase().as_str() {
        "l" | "<" | "left" => Ok(HeadMove::Left),
        "r" | ">" | "right" => Ok(HeadMove::Right),
        "s" | "n" | "-" | "*" | "stay" => Ok(HeadMove::Stay),
        _ => Err(MachineError::UnknownMove {
            line,
            found: word.trim().chars().take(MAX_STATE_NAME_LENGTH).collect(),
        }),
    }
}

impl ParsedText {
    /// Parses all lines of a text in the given notation.
    fn parse(text: &str, notation: Notation) -> Result<ParsedText, MachineError> {
        let mut source = ParsedText::default();
        // First line of a rule that has two lines.
        let mut half: Option<(usize, [&str; 2])> = None;
        let one_line = !text.trim().contains('\n');
        for (at, line) in text.lines().enumerate() {
            let line = without_comment(line);
            // A `;` begins a comment in the second notation and has no meaning in the third.
            let pieces: Vec<&str> = match notation {
                Notation::Words if !one_line => line.split(';').take(1).collect(),
                Notation::Commas if !one_line => vec![line],
                _ => line.split(';').collect(),
            };
            for (piece_at, piece) in pieces.into_iter().enumerate() {
                let number = if one_line { piece_at } else { at } + 1;
                if piece.trim().is_empty() {
                    continue;
                }
                if let Some((word, rest)) = split_directive(piece) {
                    source.apply_directive(number, word, rest)?;
                } else if notation != Notation::Commas {
                    source.add_rule(ParsedRule::new(number, split_rule(number, piece, notation)?)?)?;
                } else if let Some((first, [state, read])) = half.take() {
                    let [next, write, step] = split_commas(number, piece)?;
                    source.add_rule(ParsedRule::new(first, [state, read, write, step, next])?)?;
                } else {
                    half = Some((number, split_commas(number, piece)?));
                }
            }
        }
        match half {
            Some((line, _)) => Err(MachineError::IncompleteRule { line }),
            None if source.lines.is_empty() => Err(MachineError::Empty),
            None => Ok(source),
        }
    }

    /// Appends a rule; an error if there is a rule for the same state and symbol, or too many rules.
    fn add_rule(&mut self, line: ParsedRule) -> Result<(), MachineError> {
        if self.lines.len() == MAX_RULES {
            return Err(MachineError::TooManyRules { line: line.number });
        }
        let same = |old: &&ParsedRule| old.state == line.state && old.read == line.read;
        if let Some(old) = self.lines.iter().find(same) {
            return Err(MachineError::DuplicateRule {
                line: line.number,
                first: old.number,
                state: line.state.unwrap_or_else(|| "*".into()),
                symbol: line.read.unwrap_or('*'),
            });
        }
        self.lines.push(line);
        Ok(())
    }

    /// Applies a line `accept: …`, `start: …` or `init: …`: `number` is its line number, `word` the keyword before
    /// the colon and `rest` the text after it.
    fn apply_directive(&mut self, number: usize, word: &str, rest: &str) -> Result<(), MachineError> {
        match word {
            "accept" => {
                let names = rest.split([',', ' ', '\t']).filter(|word| !word.is_empty());
                for word in names {
                    let known = parse_state(number, word)?;
                    self.accepting.extend(known.map(|name| (number, name)));
                }
            }
            "init" | "start" => self.start = parse_state(number, rest)?,
            _ => {}
        }
        Ok(())
    }

    /// Builds the machine from the parsed rules and directives; an error if they contradict each other. `notation`
    /// is the notation in which the text is written.
    fn build(self, notation: Notation) -> Result<Machine, MachineError> {
        let ParsedText { mut lines, start, accepting } = self;
        let accepts = |state: &str| accepting.iter().any(|(_, name)| name == state);
        let ends =
            |state: &str| state.starts_with("halt") || Verdict::from_state_name(state) != Verdict::Halts;
        // In these notations such a state halts, even if it has rules.
        lines.retain(|line| match (notation, line.state.as_deref()) {
            (Notation::Words, Some(state)) => !state.starts_with("halt"),
            (Notation::Commas, Some(state)) => !accepts(state),
            _ => true,
        });
        let (states, symbols) = collect_names(&lines)?;
        let from = lines.iter().filter_map(|line| line.state.clone());
        let zero = || from.clone().find(|state| notation == Notation::Words && state == "0");
        let first = || from.clone().next();
        let start = start.or_else(zero).or_else(first).unwrap_or_else(|| "*".into());
        let unknown = accepting.iter().find(|(_, name)| !states.contains(name));
        if let Some((line, state)) = unknown {
            return Err(MachineError::UnknownAcceptingState { line: *line, state: state.clone() });
        }
        // Rules with fewer wildcards are applied later and overwrite the others.
        lines.sort_by_key(|line| Reverse(line.wildcard_rank()));
        let takes_wildcards: Vec<bool> = states.iter().map(|state| !ends(state) && !accepts(state)).collect();
        let full = build_table(&lines, &states, &takes_wildcards, &symbols);
        // A symbol that occurs only in overwritten rules is not a symbol of the machine.
        let is_read = |at: usize| full.iter().any(|row| row[at].is_some());
        let is_written = |one: char| full.iter().flatten().flatten().any(|(write, ..)| *write == one);
        let used =
            symbols.iter().enumerate().filter(|(at, one)| *at == 0 || is_read(*at) || is_written(**one));
        let symbols: Vec<char> = used.map(|(_, one)| *one).collect();
        let table = build_table(&lines, &states, &takes_wildcards, &symbols);
        let acts = |state: usize| table[state].iter().any(Option::is_some);
        // Order of the states: the start state, other states with rules, then states without rules in the order of their first
        // use.
        let Some(first) = states.iter().position(|state| *state == start).filter(|state| acts(*state)) else {
            return Err(MachineError::StartWithoutRule { state: start });
        };
        let mut order = vec![first];
        order.extend((0..states.len()).filter(|state| *state != first && acts(*state)));
        for state in order.clone() {
            for (.., next) in table[state].iter().flatten() {
                let next = states.iter().position(|state| state == next);
                order.extend(next.filter(|next| !order.contains(next)));
            }
        }
        let place = |name: &str| order.iter().position(|state| states[*state] == name).unwrap_or(0);
        let number = |one: char| symbols.iter().position(|symbol| *symbol == one).unwrap_or(0);
        let rule = |(write, step, next): (char, HeadMove, &str)| TransitionRule {
            write: number(write),
            step,
            next: place(next),
        };
        let rules = order.iter().flat_map(|state| table[*state].iter().map(|cell| cell.map(rule))).collect();
        let verdict =
            |name: &str| if accepts(name) { Verdict::Accepts } else { Verdict::from_state_name(name) };
        Ok(Machine {
            verdicts: order.iter().map(|state| verdict(&states[*state])).collect(),
            states: order.iter().map(|state| states[*state].clone()).collect(),
            symbols,
            rules,
        })
    }
}

/// Action for one state and symbol: symbol written, move of the head, and next state; `None` without a rule.
type TableEntry<'a> = Option<(char, HeadMove, &'a str)>;

/// The table of actions, `[states][symbols]`, that the rules `lines` give; later rules overwrite earlier ones.
/// `takes_wildcards` tells for each state, `[states]`, whether rules with the state `*` apply to it.
fn build_table<'a>(
    lines: &'a [ParsedRule],
    states: &'a [String],
    takes_wildcards: &[bool],
    symbols: &[char],
) -> Vec<Vec<TableEntry<'a>>> {
    let mut table: Vec<Vec<TableEntry>> = vec![vec![None; symbols.len()]; states.len()];
    for line in lines {
        for ((state, wild), row) in states.iter().zip(takes_wildcards).zip(&mut table) {
            let fits = line.state.as_ref().map_or(*wild, |name| name == state);
            for (symbol, cell) in symbols.iter().zip(row) {
                if fits && line.read.is_none_or(|read| read == *symbol) {
                    let next = line.next.as_deref().unwrap_or(state);
                    *cell = Some((line.write.unwrap_or(*symbol), line.step, next));
                }
            }
        }
    }
    table
}

/// Collects the names of all states in the rules, those with rules first, and all symbols, the blank first.
fn collect_names(lines: &[ParsedRule]) -> Result<(Vec<String>, Vec<char>), MachineError> {
    let mut states: Vec<String> = Vec::new();
    let from = lines.iter().map(|line| (line.number, &line.state));
    for (line, state) in from.chain(lines.iter().map(|line| (line.number, &line.next))) {
        if let Some(state) = state.as_ref().filter(|state| !states.contains(state)) {
            states.push(state.clone());
            if states.len() > MAX_STATES {
                return Err(MachineError::TooManyStates { line });
            }
        }
    }
    let mut symbols = vec![BLANK];
    for line in lines {
        for symbol in [line.read, line.write].into_iter().flatten() {
            if !symbols.contains(&symbol) {
                symbols.push(symbol);
            }
            if symbols.len() > MAX_SYMBOLS {
                return Err(MachineError::TooManySymbols { line: line.number });
            }
        }
    }
    symbols[1..].sort_unstable();
    Ok((states, symbols))
}

/// Splits a line into the five words of a rule: state, symbol read, symbol written, move and next state.
fn split_rule(line: usize, text: &str, notation: Notation) -> Result<[&str; 5], MachineError> {
    let expected =
        || MachineError::InvalidRule { line, expected: notation.rule_form(), found: truncate(text) };
    let found: Vec<&str> = if notation == Notation::Arrows {
        let arrow = if text.contains('→') { "→" } else { "->" };
        let (left, right) = text.split_once(arrow).ok_or_else(expected)?;
        let (left, right) = (split_words(left), split_words(right));
        if left.len() != 2 {
            return Err(expected());
        }
        [left, right].concat()
    } else {
        let mut found = split_words(text);
        // A `!` at the end is a break point of morphett.info.
        if found.len() == 6 && found[5] == "!" {
            found.pop();
        }
        found
    };
    found.try_into().map_err(|_| expected())
}

/// Splits a line at commas into exactly N parts; an error, with the line number `line`, if there are more or fewer.
fn split_commas<const N: usize>(line: usize, text: &str) -> Result<[&str; N], MachineError> {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let expected =
        || MachineError::InvalidRule { line, expected: Notation::Commas.rule_form(), found: truncate(text) };
    parts.try_into().map_err(|_| expected())
}

/// The beginning of `text`, short enough for an error message.
fn truncate(text: &str) -> String {
    text.trim().chars().take(2 * MAX_STATE_NAME_LENGTH).collect()
}
