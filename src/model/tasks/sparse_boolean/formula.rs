//! A Boolean function of a person's own: a formula over the relevant bits, or a truth table.
//!
//! ```text
//! x1 & (x2 | ~x3) ^ x4       not binds most, then and, exclusive or, or
//! x1 and not x2 or x3        the same in words
//! maj(x1, x2, x3)            more than half of an odd number
//! 01101001                   a row for each input: the first has all bits 0, the second has x3 = 1 alone, …
//! ```
//!
//! x1 is the relevant bit with the smallest position.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

use vivarium_core::settings::{Field, Value};

/// Most relevant bits.
pub const MOST_BITS: usize = 8;
/// Most characters of a formula, also as it is written in a link.
pub const MOST_FORMULA: usize = 600;
/// Most parentheses inside each other.
const MOST_DEPTH: usize = 40;

/// The text of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Formula(pub String);

impl Default for Formula {
    /// A parity of two bits that only shows where the third bit is 1.
    fn default() -> Self {
        Formula("(x1 ^ x2) & x3".into())
    }
}

impl Field for Formula {
    fn to_value(&self) -> Value {
        Value::Formula(self.0.clone())
    }

    fn take(&mut self, value: &Value) {
        if let Value::Formula(text) = value {
            self.0.clone_from(text);
        }
    }
}

/// What a text says that is no function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// The character, from 1; none where it is no character's.
    pub at: Option<usize>,
    /// What is wrong.
    pub why: String,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.at {
            Some(at) => f.write_str(&tr!("character {at}: {why}", at, why = self.why)),
            None => f.write_str(&self.why),
        }
    }
}

/// The values of a function of k bits, 2ᵏ of them; of the number of a value, bit k − i is x_i.
pub type Table = Rc<[bool]>;

/// What is known of the formula that was asked about last.
type Known = (String, Result<Table, Mistake>);

thread_local! {
    /// A sampler asks for every batch, and a page many times while it reads a link.
    static KNOWN: RefCell<Option<Known>> = const { RefCell::new(None) };
}

impl Formula {
    /// Its values.
    ///
    /// # Errors
    /// The first mistake.
    pub fn table(&self) -> Result<Table, Mistake> {
        KNOWN.with_borrow_mut(|known| match known {
            Some((text, found)) if *text == self.0 => found.clone(),
            _ => known.insert((self.0.clone(), read(&self.0).map(Rc::from))).1.clone(),
        })
    }
}

fn mistake<T>(at: usize, why: &str) -> Result<T, Mistake> {
    Err(Mistake { at: Some(at), why: why.into() })
}

fn no_place<T>(why: String) -> Result<T, Mistake> {
    Err(Mistake { at: None, why })
}

/// The values of a formula or a table that depends on all of its bits.
fn read(text: &str) -> Result<Vec<bool>, Mistake> {
    let plain: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let is_table = plain.len() > 1 && plain.bytes().all(|digit| digit == b'0' || digit == b'1');
    let values = match () {
        () if is_table => digits(&plain)?,
        () if plain.starts_with("0x") || plain.starts_with("0X") => {
            return no_place(
                tr!("a truth table in hexadecimal digits has 2, 4, 8, 16, 32 or 64 digits after 0x").into(),
            );
        }
        () => formula(text)?,
    };
    let bits = values.len().trailing_zeros() as usize;
    let matters = |bit: usize| {
        let mask = 1 << (bits - bit);
        (0..values.len()).any(|row| values[row] != values[row ^ mask])
    };
    match (1..=bits).find(|bit| !matters(*bit)) {
        Some(bit) => no_place(tr!(
            "the function must depend on every bit from x1 to x{bits}, but x{bit} has no effect",
            bits,
            bit
        )),
        None => Ok(values),
    }
}

fn digits(plain: &str) -> Result<Vec<bool>, Mistake> {
    let most = 1 << MOST_BITS;
    if !plain.len().is_power_of_two() || plain.len() > most {
        let found = plain.len();
        return no_place(tr!(
            "a truth table has 2, 4, 8, 16, … digits, at most {most}, but this one has {found} digits",
            most,
            found
        ));
    }
    Ok(plain.bytes().map(|digit| digit == b'1').collect())
}

/// A piece of a formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token {
    Variable(usize),
    Constant(bool),
    Not,
    And,
    Xor,
    Or,
    Open,
    Close,
    Comma,
    Majority,
}

/// The pieces with the character at which each begins, from 1.
fn tokens(text: &str) -> Result<Vec<(usize, Token)>, Mistake> {
    let characters: Vec<char> = text.chars().collect();
    let (mut found, mut at) = (vec![], 0);
    while let Some(first) = characters.get(at) {
        let begin = at;
        at += 1;
        let token = match first {
            c if c.is_whitespace() => continue,
            '~' | '!' | '¬' => Token::Not,
            '&' | '*' | '∧' | '·' => Token::And,
            '^' | '@' | '⊕' => Token::Xor,
            '|' | '+' | '∨' => Token::Or,
            '(' => Token::Open,
            ')' => Token::Close,
            ',' => Token::Comma,
            c if c.is_ascii_alphanumeric() => {
                while characters.get(at).is_some_and(char::is_ascii_alphanumeric) {
                    at += 1;
                }
                let word: String = characters[begin..at].iter().collect();
                word_token(&word.to_ascii_lowercase(), begin + 1)?
            }
            _ => return mistake(begin + 1, &tr!("“{first}” cannot be used in a formula", first)),
        };
        // As in C, && and || are what & and | are.
        let is_double = matches!(token, Token::And | Token::Or) && characters.get(at) == Some(first);
        at += usize::from(is_double && matches!(first, '&' | '|'));
        found.push((begin + 1, token));
    }
    Ok(found)
}

fn word_token(word: &str, at: usize) -> Result<Token, Mistake> {
    if let Some(number) =
        word.strip_prefix('x').filter(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    {
        return match number.parse() {
            Ok(bit @ 1..=MOST_BITS) => Ok(Token::Variable(bit)),
            _ => mistake(at, &tr!("the bits are called x1 to x{most}", most = MOST_BITS)),
        };
    }
    Ok(match word {
        "and" => Token::And,
        "or" => Token::Or,
        "xor" => Token::Xor,
        "not" => Token::Not,
        "maj" | "majority" => Token::Majority,
        "0" => Token::Constant(false),
        "1" => Token::Constant(true),
        _ => {
            let word: String = word.chars().take(20).collect();
            return mistake(
                at,
                &tr!("“{word}” is neither a bit such as x1 nor one of and, or, not, xor and maj", word),
            );
        }
    })
}

fn formula(text: &str) -> Result<Vec<bool>, Mistake> {
    let tokens = tokens(text)?;
    let bit = |(_, token): &(usize, Token)| if let Token::Variable(bit) = token { Some(*bit) } else { None };
    let Some(bits) = tokens.iter().filter_map(bit).max() else {
        return no_place(
            tr!("the formula has no bit; a formula such as (x1 ^ x2) & x3 has three bits").into(),
        );
    };
    let mut parser = Parser { tokens: &tokens, next: 0, bits, end: text.chars().count() + 1, depth: 0 };
    let values = parser.values(0)?;
    match parser.peek() {
        None => Ok(values),
        Some(Token::Close) => {
            mistake(parser.place(), tr!("this closing parenthesis has no opening parenthesis"))
        }
        Some(_) => mistake(parser.place(), tr!("an operator such as & is missing before this part")),
    }
}

/// Operators by how loosely they bind.
const LEVELS: [Token; 3] = [Token::Or, Token::Xor, Token::And];

/// Reads a formula from left to right, with the values of each part.
struct Parser<'a> {
    tokens: &'a [(usize, Token)],
    next: usize,
    bits: usize,
    end: usize,
    depth: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<Token> {
        self.tokens.get(self.next).map(|(_, token)| *token)
    }

    /// Where the next piece begins.
    fn place(&self) -> usize {
        self.tokens.get(self.next).map_or(self.end, |(at, _)| *at)
    }

    fn take(&mut self, token: Token) -> bool {
        let is_it = self.peek() == Some(token);
        self.next += usize::from(is_it);
        is_it
    }

    fn values(&mut self, level: usize) -> Result<Vec<bool>, Mistake> {
        let Some(operator) = LEVELS.get(level) else { return self.part() };
        let mut left = self.values(level + 1)?;
        while self.take(*operator) {
            let right = self.values(level + 1)?;
            for (a, b) in left.iter_mut().zip(right) {
                *a = match operator {
                    Token::And => *a && b,
                    Token::Xor => *a != b,
                    _ => *a || b,
                };
            }
        }
        Ok(left)
    }

    /// A bit, a constant, or what stands in parentheses, with the signs before it.
    fn part(&mut self) -> Result<Vec<bool>, Mistake> {
        let mut is_negated = false;
        while self.take(Token::Not) {
            is_negated = !is_negated;
        }
        let rows = 0..1usize << self.bits;
        let (at, token) = (self.place(), self.peek());
        self.next += 1;
        let mut values: Vec<bool> = match token {
            Some(Token::Variable(bit)) => rows.map(|row| row >> (self.bits - bit) & 1 == 1).collect(),
            Some(Token::Constant(value)) => rows.map(|_| value).collect(),
            Some(Token::Open) => {
                let values = self.inner(at)?;
                self.close(at)?;
                values
            }
            Some(Token::Majority) => self.majority(at)?,
            Some(_) => {
                return mistake(
                    at,
                    tr!("a bit such as x1, an opening parenthesis or “not” is expected here"),
                );
            }
            None => {
                return mistake(
                    at,
                    tr!("the formula is not complete: a bit such as x1 is missing at its end"),
                );
            }
        };
        if is_negated {
            values.iter_mut().for_each(|value| *value = !*value);
        }
        Ok(values)
    }

    /// What stands in the parenthesis that begins at `at`.
    fn inner(&mut self, at: usize) -> Result<Vec<bool>, Mistake> {
        if self.depth == MOST_DEPTH {
            return mistake(at, &tr!("parentheses may be nested at most {most} deep", most = MOST_DEPTH));
        }
        self.depth += 1;
        let values = self.values(0);
        self.depth -= 1;
        values
    }

    fn close(&mut self, at: usize) -> Result<(), Mistake> {
        match (self.take(Token::Close), self.peek()) {
            (true, _) => Ok(()),
            (false, None) => mistake(at, tr!("this parenthesis is not closed")),
            (false, Some(_)) => mistake(
                self.place(),
                tr!("an operator such as &, or a closing parenthesis, is missing before this part"),
            ),
        }
    }

    fn majority(&mut self, at: usize) -> Result<Vec<bool>, Mistake> {
        let open = self.place();
        if !self.take(Token::Open) {
            return mistake(at, tr!("maj needs its arguments in parentheses, such as maj(x1, x2, x3)"));
        }
        let mut counts = vec![0usize; 1 << self.bits];
        let mut parts = 0;
        loop {
            let part = self.inner(open)?;
            counts.iter_mut().zip(part).for_each(|(count, is_one)| *count += usize::from(is_one));
            parts += 1;
            if !self.take(Token::Comma) {
                break;
            }
        }
        self.close(open)?;
        if parts % 2 == 0 {
            return mistake(
                at,
                &tr!(
                    "maj needs an odd number of arguments, so that there is no tie, but it has {parts}",
                    parts
                ),
            );
        }
        Ok(counts.into_iter().map(|count| 2 * count > parts).collect())
    }
}

#[cfg(test)]
mod tests;
