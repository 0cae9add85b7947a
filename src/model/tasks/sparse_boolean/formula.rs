//! Boolean functions that the user enters: a formula of the relevant bits, or a truth table.
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

/// Largest number of relevant bits that a formula may use.
pub const MAX_RELEVANT_BITS: usize = 8;
/// Largest number of characters of a formula, also in its encoding in a link.
pub const MAX_FORMULA_CHARACTERS: usize = 600;
/// Largest depth of nested parentheses in a formula; a deeper one is a syntax error.
const MAX_DEPTH: usize = 40;

/// Text of a Boolean formula or truth table, as the user has entered it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Formula(pub String);

impl Default for Formula {
    /// A parity of two bits that has an effect only if the third bit is 1.
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

/// Syntax error in a Boolean formula or truth table: a message, and where known a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormulaError {
    /// Position of the wrong character in the text, counted in characters from 1; None if the error is not about one
    /// character.
    pub position: Option<usize>,
    /// Description of the error for the user, without its position.
    pub message: String,
}

impl fmt::Display for FormulaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.position {
            Some(at) => f.write_str(&tr!("character {at}: {why}", at, why = self.message)),
            None => f.write_str(&self.message),
        }
    }
}

/// Truth table of a function of k bits, with 2ᵏ entries: in the index of an entry, bit k − i (bit 0 is the lowest) is
/// x_i, i from 1 to k.
pub type TruthTable = Rc<[bool]>;

/// Text of the last parsed formula, with its truth table or error.
type CachedTable = (String, Result<TruthTable, FormulaError>);

thread_local! {
    /// Truth table of the last parsed formula: sampling needs it for every batch, and the page many times while it
    /// reads a link.
    static LAST_TABLE: RefCell<Option<CachedTable>> = const { RefCell::new(None) };
}

impl Formula {
    /// Parses the formula into its truth table.
    ///
    /// # Errors
    /// The first syntax error.
    pub fn truth_table(&self) -> Result<TruthTable, FormulaError> {
        LAST_TABLE.with_borrow_mut(|known| match known {
            Some((text, found)) if *text == self.0 => found.clone(),
            _ => known.insert((self.0.clone(), parse_text(&self.0).map(Rc::from))).1.clone(),
        })
    }
}

/// Syntax error with the message `why` at character number `at` of the formula, counted from 1.
fn error_at<T>(at: usize, why: &str) -> Result<T, FormulaError> {
    Err(FormulaError { position: Some(at), message: why.into() })
}

/// Error with this message that is not about one character of the formula.
fn error_without_position<T>(why: String) -> Result<T, FormulaError> {
    Err(FormulaError { position: None, message: why })
}

/// Parses a formula or truth table, and checks that it depends on all of its bits.
fn parse_text(text: &str) -> Result<Vec<bool>, FormulaError> {
    let plain: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let is_table = plain.len() > 1 && plain.bytes().all(|digit| digit == b'0' || digit == b'1');
    let values = match () {
        () if is_table => parse_digits(&plain)?,
        () if plain.starts_with("0x") || plain.starts_with("0X") => {
            return error_without_position(
                tr!("a truth table in hexadecimal digits has 2, 4, 8, 16, 32 or 64 digits after 0x").into(),
            );
        }
        () => parse_formula(text)?,
    };
    let bits = values.len().trailing_zeros() as usize;
    let matters = |bit: usize| {
        let mask = 1 << (bits - bit);
        (0..values.len()).any(|row| values[row] != values[row ^ mask])
    };
    match (1..=bits).find(|bit| !matters(*bit)) {
        Some(bit) => error_without_position(tr!(
            "the function must depend on every bit from x1 to x{bits}, but x{bit} has no effect",
            bits,
            bit
        )),
        None => Ok(values),
    }
}

/// Parses a truth table written as 2ᵏ digits 0 and 1, without spaces.
fn parse_digits(plain: &str) -> Result<Vec<bool>, FormulaError> {
    let most = 1 << MAX_RELEVANT_BITS;
    if !plain.len().is_power_of_two() || plain.len() > most {
        let found = plain.len();
        return error_without_position(tr!(
            "a truth table has 2, 4, 8, 16, … digits, at most {most}, but this one has {found} digits",
            most,
            found
        ));
    }
    Ok(plain.bytes().map(|digit| digit == b'1').collect())
}

/// Smallest part of a Boolean formula: a bit, a constant, an operator, a parenthesis or a comma.
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

/// Splits a formula into tokens, each with the position of its first character, counted in characters from 1.
fn tokenize(text: &str) -> Result<Vec<(usize, Token)>, FormulaError> {
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
                parse_word(&word.to_ascii_lowercase(), begin + 1)?
            }
            _ => return error_at(begin + 1, &tr!("“{first}” cannot be used in a formula", first)),
        };
        // As in C, && and || are what & and | are.
        let is_double = matches!(token, Token::And | Token::Or) && characters.get(at) == Some(first);
        at += usize::from(is_double && matches!(first, '&' | '|'));
        found.push((begin + 1, token));
    }
    Ok(found)
}

/// Parses the word at character `at` (from 1) of a formula: a bit such as x1, an operator, or a constant.
fn parse_word(word: &str, at: usize) -> Result<Token, FormulaError> {
    if let Some(number) =
        word.strip_prefix('x').filter(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    {
        return match number.parse() {
            Ok(bit @ 1..=MAX_RELEVANT_BITS) => Ok(Token::Variable(bit)),
            _ => error_at(at, &tr!("the bits are called x1 to x{most}", most = MAX_RELEVANT_BITS)),
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
            return error_at(
                at,
                &tr!("“{word}” is neither a bit such as x1 nor one of and, or, not, xor and maj", word),
            );
        }
    })
}

/// Parses a formula into the values of its truth table.
fn parse_formula(text: &str) -> Result<Vec<bool>, FormulaError> {
    let tokens = tokenize(text)?;
    let bit = |(_, token): &(usize, Token)| if let Token::Variable(bit) = token { Some(*bit) } else { None };
    let Some(bits) = tokens.iter().filter_map(bit).max() else {
        return error_without_position(
            tr!("the formula has no bit; a formula such as (x1 ^ x2) & x3 has three bits").into(),
        );
    };
    let mut parser = Parser { tokens: &tokens, next: 0, bits, end: text.chars().count() + 1, depth: 0 };
    let values = parser.parse_level(0)?;
    match parser.peek() {
        None => Ok(values),
        Some(Token::Close) => {
            error_at(parser.position(), tr!("this closing parenthesis has no opening parenthesis"))
        }
        Some(_) => error_at(parser.position(), tr!("an operator such as & is missing before this part")),
    }
}

/// Binary operators, from the one that binds loosest to the one that binds tightest.
const PRECEDENCE: [Token; 3] = [Token::Or, Token::Xor, Token::And];

/// Recursive descent parser that computes the truth table of each part of a formula.
struct Parser<'a> {
    /// Tokens of the formula, each with the position of its first character, from 1.
    tokens: &'a [(usize, Token)],
    /// Index, from 0, in `tokens` of the next token to parse.
    next: usize,
    /// Number of bits of the function that the formula defines.
    bits: usize,
    /// Position, from 1, after the last character of the formula, for errors at its end.
    end: usize,
    /// Number of parentheses that are open at the next token.
    depth: usize,
}

impl Parser<'_> {
    /// Next token of the formula, without consuming it; None at the end.
    fn peek(&self) -> Option<Token> {
        self.tokens.get(self.next).map(|(_, token)| *token)
    }

    /// Position of the next token's first character, from 1; at the end of the formula, the position after it.
    fn position(&self) -> usize {
        self.tokens.get(self.next).map_or(self.end, |(at, _)| *at)
    }

    /// Consumes the next token if it is `token`; returns whether it was.
    fn consume(&mut self, token: Token) -> bool {
        let is_it = self.peek() == Some(token);
        self.next += usize::from(is_it);
        is_it
    }

    /// Parses operands joined by operators that bind at least as tightly as number `level` (from 0) of [`PRECEDENCE`];
    /// returns the truth table.
    fn parse_level(&mut self, level: usize) -> Result<Vec<bool>, FormulaError> {
        let Some(operator) = PRECEDENCE.get(level) else { return self.parse_operand() };
        let mut left = self.parse_level(level + 1)?;
        while self.consume(*operator) {
            let right = self.parse_level(level + 1)?;
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

    /// Parses a bit, a constant, a parenthesis or a majority, with any negations before it; returns the truth table.
    fn parse_operand(&mut self) -> Result<Vec<bool>, FormulaError> {
        let mut is_negated = false;
        while self.consume(Token::Not) {
            is_negated = !is_negated;
        }
        let rows = 0..1usize << self.bits;
        let (at, token) = (self.position(), self.peek());
        self.next += 1;
        let mut values: Vec<bool> = match token {
            Some(Token::Variable(bit)) => rows.map(|row| row >> (self.bits - bit) & 1 == 1).collect(),
            Some(Token::Constant(value)) => rows.map(|_| value).collect(),
            Some(Token::Open) => {
                let values = self.parse_parenthesis(at)?;
                self.expect_close(at)?;
                values
            }
            Some(Token::Majority) => self.parse_majority(at)?,
            Some(_) => {
                return error_at(
                    at,
                    tr!("a bit such as x1, an opening parenthesis or “not” is expected here"),
                );
            }
            None => {
                return error_at(
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

    /// Parses the content and the end of a parenthesis that opens at character `at` (from 1).
    fn parse_parenthesis(&mut self, at: usize) -> Result<Vec<bool>, FormulaError> {
        if self.depth == MAX_DEPTH {
            return error_at(at, &tr!("parentheses may be nested at most {most} deep", most = MAX_DEPTH));
        }
        self.depth += 1;
        let values = self.parse_level(0);
        self.depth -= 1;
        values
    }

    /// Consumes the closing parenthesis of the one that opens at character `at` (from 1), or returns an error.
    fn expect_close(&mut self, at: usize) -> Result<(), FormulaError> {
        match (self.consume(Token::Close), self.peek()) {
            (true, _) => Ok(()),
            (false, None) => error_at(at, tr!("this parenthesis is not closed")),
            (false, Some(_)) => error_at(
                self.position(),
                tr!("an operator such as &, or a closing parenthesis, is missing before this part"),
            ),
        }
    }

    /// Parses the arguments of the function `maj`, whose name is at character `at` (from 1); returns the truth table.
    fn parse_majority(&mut self, at: usize) -> Result<Vec<bool>, FormulaError> {
        let open = self.position();
        if !self.consume(Token::Open) {
            return error_at(at, tr!("maj needs its arguments in parentheses, such as maj(x1, x2, x3)"));
        }
        let mut counts = vec![0usize; 1 << self.bits];
        let mut parts = 0;
        loop {
            let part = self.parse_parenthesis(open)?;
            counts.iter_mut().zip(part).for_each(|(count, is_one)| *count += usize::from(is_one));
            parts += 1;
            if !self.consume(Token::Comma) {
                break;
            }
        }
        self.expect_close(open)?;
        if parts % 2 == 0 {
            return error_at(
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
