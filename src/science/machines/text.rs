//! Texts of machines: the notation of this page, and the forms of two simulators that people use.
//!
//! ```text
//! this page                       state read → write move state       `->` and `→` are the same; newline or `;` separates
//! morphett.info                   state read write move state         `;` begins a comment
//! turingmachinesimulator.com      state,read                          two lines a rule, after `init:` and `accept:`
//!                                 state,write,move
//! ```
//!
//! In every notation `_` is the blank, and a move is one of `L l <`, `R r >` and `S s - *`. `*` as the state or the symbol that
//! is read means every one without a rule of its own, `*` as what follows means no change. `//` begins a comment. A line
//! `start: name` or `init: name` names the start state, a line `accept: name name` the accepting ones. Without such a line the
//! start state is that of the first rule, in the second notation `0` where there is such a state.
//!
//! # Why
//! A text says by itself which notation it has: an arrow is only in the first, commas are only in the third. Nobody has to
//! choose a notation before pasting.

use std::cmp::Reverse;

use super::limits::{MOST_LETTERS, MOST_RULES, MOST_STATES, MOST_SYMBOLS, MOST_TEXT};
use super::machine::{BLANK, Machine, Move, Rule, Verdict};
use super::mistake::Mistake;

/// A notation of text.
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
    /// The notation that a text has.
    pub fn of(text: &str) -> Notation {
        // What stands before the first `;`: behind it may be a comment with anything in it.
        let first = |line| without_comment(line).split(';').find(|piece| directive(piece).is_none());
        let firsts = || text.lines().filter_map(first);
        if firsts().any(|line| line.contains('→') || line.contains("->")) {
            Notation::Arrows
        } else if firsts().any(|line| line.contains(',') && words(line).len() < 5) {
            Notation::Commas
        } else {
            Notation::Words
        }
    }

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Notation::Arrows => tr!("Rules with an arrow"),
            Notation::Words => tr!("Five words per line (morphett.info)"),
            Notation::Commas => tr!("Two lines per rule (turingmachinesimulator.com)"),
        }
    }

    /// What a rule looks like.
    pub fn example(self) -> &'static str {
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

/// A rule as it stands in the text; none is `*`.
struct Line {
    number: usize,
    state: Option<String>,
    read: Option<char>,
    write: Option<char>,
    step: Move,
    next: Option<String>,
}

impl Line {
    /// The rule of these five words.
    fn new(number: usize, [state, read, write, step, next]: [&str; 5]) -> Result<Line, Mistake> {
        Ok(Line {
            number,
            state: name(number, state)?,
            read: symbol(number, read)?,
            write: symbol(number, write)?,
            step: direction(number, step)?,
            next: name(number, next)?,
        })
    }

    /// How much it leaves open; rules that leave less open come first.
    fn open(&self) -> u8 {
        2 * u8::from(self.state.is_none()) + u8::from(self.read.is_none())
    }
}

/// All that a text says.
#[derive(Default)]
struct Source {
    lines: Vec<Line>,
    start: Option<String>,
    accepting: Vec<(usize, String)>,
}

impl Machine {
    /// The machine that a text describes, in one of the [notations](Notation).
    pub fn parse(text: &str) -> Result<Machine, Mistake> {
        if text.len() > MOST_TEXT {
            return Err(Mistake::LongText);
        }
        let notation = Notation::of(text);
        Source::read(text, notation)?.build(notation)
    }
}

fn without_comment(line: &str) -> &str {
    line.split("//").next().unwrap_or_default()
}

fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

/// "accept" and the rest of the line, where a line begins with such a word.
fn directive(line: &str) -> Option<(&str, &str)> {
    let (word, rest) = line.trim().split_once(':')?;
    ["name", "init", "start", "accept"].contains(&word).then_some((word, rest.trim()))
}

fn name(line: usize, word: &str) -> Result<Option<String>, Mistake> {
    let word = word.trim();
    if word == "*" {
        return Ok(None);
    }
    if word.chars().count() > MOST_LETTERS {
        return Err(Mistake::LongName { line });
    }
    let reserved = [";", ":", ",", "*", "→", "->", "//"].iter().any(|mark| word.contains(mark));
    if word.is_empty() || reserved || word.contains(char::is_whitespace) {
        return Err(Mistake::Name { line, found: word.into() });
    }
    Ok(Some(word.into()))
}

fn symbol(line: usize, word: &str) -> Result<Option<char>, Mistake> {
    let mut characters = word.trim().chars();
    match (characters.next(), characters.next()) {
        (Some('*'), None) => Ok(None),
        (Some(found @ (';' | '→')), None) => Err(Mistake::Symbol { line, found }),
        (Some(one), None) => Ok(Some(one)),
        // The third notation may leave the blank out.
        (None, _) => Ok(Some(BLANK)),
        _ => Err(Mistake::LongSymbol { line, found: word.chars().take(MOST_LETTERS).collect() }),
    }
}

fn direction(line: usize, word: &str) -> Result<Move, Mistake> {
    match word.trim().to_lowercase().as_str() {
        "l" | "<" | "left" => Ok(Move::Left),
        "r" | ">" | "right" => Ok(Move::Right),
        "s" | "n" | "-" | "*" | "stay" => Ok(Move::Stay),
        _ => Err(Mistake::Direction { line, found: word.trim().chars().take(MOST_LETTERS).collect() }),
    }
}

impl Source {
    fn read(text: &str, notation: Notation) -> Result<Source, Mistake> {
        let mut source = Source::default();
        // The first line of a rule in two lines.
        let mut half: Option<(usize, [&str; 2])> = None;
        let one_line = !text.trim().contains('\n');
        for (at, line) in text.lines().enumerate() {
            let line = without_comment(line);
            // In the second notation a comment begins there, in the third nothing does.
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
                if let Some((word, rest)) = directive(piece) {
                    source.direct(number, word, rest)?;
                } else if notation != Notation::Commas {
                    source.push(Line::new(number, five(number, piece, notation)?)?)?;
                } else if let Some((first, [state, read])) = half.take() {
                    let [next, write, step] = commas(number, piece)?;
                    source.push(Line::new(first, [state, read, write, step, next])?)?;
                } else {
                    half = Some((number, commas(number, piece)?));
                }
            }
        }
        match half {
            Some((line, _)) => Err(Mistake::HalfARule { line }),
            None if source.lines.is_empty() => Err(Mistake::Empty),
            None => Ok(source),
        }
    }

    fn push(&mut self, line: Line) -> Result<(), Mistake> {
        if self.lines.len() == MOST_RULES {
            return Err(Mistake::Rules { line: line.number });
        }
        let same = |old: &&Line| old.state == line.state && old.read == line.read;
        if let Some(old) = self.lines.iter().find(same) {
            return Err(Mistake::TwoRules {
                line: line.number,
                first: old.number,
                state: line.state.unwrap_or_else(|| "*".into()),
                symbol: line.read.unwrap_or('*'),
            });
        }
        self.lines.push(line);
        Ok(())
    }

    fn direct(&mut self, number: usize, word: &str, rest: &str) -> Result<(), Mistake> {
        match word {
            "accept" => {
                let names = rest.split([',', ' ', '\t']).filter(|word| !word.is_empty());
                for word in names {
                    let known = name(number, word)?;
                    self.accepting.extend(known.map(|name| (number, name)));
                }
            }
            "init" | "start" => self.start = name(number, rest)?,
            _ => {}
        }
        Ok(())
    }

    fn build(self, notation: Notation) -> Result<Machine, Mistake> {
        let Source { mut lines, start, accepting } = self;
        let accepts = |state: &str| accepting.iter().any(|(_, name)| name == state);
        let ends = |state: &str| state.starts_with("halt") || Verdict::of(state) != Verdict::Halts;
        // There a state with such a name ends the run, whatever rules it has.
        lines.retain(|line| match (notation, line.state.as_deref()) {
            (Notation::Words, Some(state)) => !state.starts_with("halt"),
            (Notation::Commas, Some(state)) => !accepts(state),
            _ => true,
        });
        let (states, symbols) = names(&lines)?;
        let from = lines.iter().filter_map(|line| line.state.clone());
        let zero = || from.clone().find(|state| notation == Notation::Words && state == "0");
        let first = || from.clone().next();
        let start = start.or_else(zero).or_else(first).unwrap_or_else(|| "*".into());
        let unknown = accepting.iter().find(|(_, name)| !states.contains(name));
        if let Some((line, state)) = unknown {
            return Err(Mistake::Accepting { line: *line, state: state.clone() });
        }
        // Rules that leave less open are written later, over the others.
        lines.sort_by_key(|line| Reverse(line.open()));
        let takes_wildcards: Vec<bool> = states.iter().map(|state| !ends(state) && !accepts(state)).collect();
        let full = table(&lines, &states, &takes_wildcards, &symbols);
        // A symbol of a rule that others replace everywhere is no symbol of the machine.
        let is_read = |at: usize| full.iter().any(|row| row[at].is_some());
        let is_written = |one: char| full.iter().flatten().flatten().any(|(write, ..)| *write == one);
        let used =
            symbols.iter().enumerate().filter(|(at, one)| *at == 0 || is_read(*at) || is_written(**one));
        let symbols: Vec<char> = used.map(|(_, one)| *one).collect();
        let table = table(&lines, &states, &takes_wildcards, &symbols);
        let acts = |state: usize| table[state].iter().any(Option::is_some);
        // The start state, others with rules, and then those without, in the order in which rules lead to them.
        let Some(first) = states.iter().position(|state| *state == start).filter(|state| acts(*state)) else {
            return Err(Mistake::Start { state: start });
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
        let rule =
            |(write, step, next): (char, Move, &str)| Rule { write: number(write), step, next: place(next) };
        let rules = order.iter().flat_map(|state| table[*state].iter().map(|cell| cell.map(rule))).collect();
        let verdict = |name: &str| if accepts(name) { Verdict::Accepts } else { Verdict::of(name) };
        Ok(Machine {
            verdicts: order.iter().map(|state| verdict(&states[*state])).collect(),
            states: order.iter().map(|state| states[*state].clone()).collect(),
            symbols,
            rules,
        })
    }
}

/// What a state does with a symbol: what it writes, where the head goes, and the next state.
type Cell<'a> = Option<(char, Move, &'a str)>;

/// The table of these rules, state by state, in each symbol by symbol; later rules replace earlier ones.
fn table<'a>(
    lines: &'a [Line],
    states: &'a [String],
    takes_wildcards: &[bool],
    symbols: &[char],
) -> Vec<Vec<Cell<'a>>> {
    let mut table: Vec<Vec<Cell>> = vec![vec![None; symbols.len()]; states.len()];
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

/// Names of all states, those with rules first, and of all symbols, the blank first.
fn names(lines: &[Line]) -> Result<(Vec<String>, Vec<char>), Mistake> {
    let mut states: Vec<String> = Vec::new();
    let from = lines.iter().map(|line| (line.number, &line.state));
    for (line, state) in from.chain(lines.iter().map(|line| (line.number, &line.next))) {
        if let Some(state) = state.as_ref().filter(|state| !states.contains(state)) {
            states.push(state.clone());
            if states.len() > MOST_STATES {
                return Err(Mistake::States { line });
            }
        }
    }
    let mut symbols = vec![BLANK];
    for line in lines {
        for symbol in [line.read, line.write].into_iter().flatten() {
            if !symbols.contains(&symbol) {
                symbols.push(symbol);
            }
            if symbols.len() > MOST_SYMBOLS {
                return Err(Mistake::Symbols { line: line.number });
            }
        }
    }
    symbols[1..].sort_unstable();
    Ok((states, symbols))
}

/// The five words of a rule.
fn five(line: usize, text: &str, notation: Notation) -> Result<[&str; 5], Mistake> {
    let expected = || Mistake::NotARule { line, expected: notation.example(), found: cut(text) };
    let found: Vec<&str> = if notation == Notation::Arrows {
        let arrow = if text.contains('→') { "→" } else { "->" };
        let (left, right) = text.split_once(arrow).ok_or_else(expected)?;
        let (left, right) = (words(left), words(right));
        if left.len() != 2 {
            return Err(expected());
        }
        [left, right].concat()
    } else {
        let mut found = words(text);
        // A break point.
        if found.len() == 6 && found[5] == "!" {
            found.pop();
        }
        found
    };
    found.try_into().map_err(|_| expected())
}

/// As many parts as are wanted, between commas.
fn commas<const N: usize>(line: usize, text: &str) -> Result<[&str; N], Mistake> {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let expected = || Mistake::NotARule { line, expected: Notation::Commas.example(), found: cut(text) };
    parts.try_into().map_err(|_| expected())
}

fn cut(text: &str) -> String {
    text.trim().chars().take(2 * MOST_LETTERS).collect()
}
