//! The glossary: words that a reader may not know, what they mean, and where they stand in a text.
//!
//! # Why
//! Stories, claims, and the help of charts and settings are explained by the same words everywhere, so a text says
//! nothing of the glossary: it is searched for terms where it is shown. It is the second program that does so.

mod terms;

use std::cell::OnceCell;
use std::ops::Range;

use vivarium_core::language::translated;
use vivarium_core::sorting::sort_by_cached_key;

pub use terms::TERMS;

/// A term with its explanation.
pub struct Term {
    /// Its spellings, with a `|` between two of them; the first one is its name. A translation may have more or fewer.
    pub words: &'static str,
    /// What it means, in at most 200 characters of plain text.
    pub means: &'static str,
}

/// Most terms that are marked in one text.
pub const MOST: usize = 4;

/// A part of a text that is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece<'text> {
    /// Text as it is.
    Plain(&'text str),
    /// Text that is stressed.
    Stressed(&'text str),
    /// A term, and its place in [`TERMS`].
    Term(&'text str, usize),
}

/// A text in which every second part between stars is stressed, and no term is marked.
pub fn stressed(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let piece = |(at, part)| if at % 2 == 1 { Piece::Stressed(part) } else { Piece::Plain(part) };
    text.split('*').enumerate().map(piece)
}

/// Marks terms in texts that are read one after the other, each term where it first occurs.
#[derive(Default)]
pub struct Marks {
    seen: Vec<usize>,
}

impl Marks {
    /// A text in pieces; together they are the text.
    pub fn plain<'text>(&mut self, text: &'text str) -> Vec<Piece<'text>> {
        let mut pieces = vec![];
        self.cut(text, &mut MOST.clone(), &mut pieces);
        pieces
    }

    /// A text in pieces, of which every second part between stars is stressed. A term that is stressed is explained
    /// there, so it is not marked.
    pub fn stressed<'text>(&mut self, text: &'text str) -> Vec<Piece<'text>> {
        for piece in stressed(text) {
            if let Piece::Stressed(part) = piece {
                self.seen.extend(terms_in(part).into_iter().map(|(_, term)| term));
            }
        }
        let (mut pieces, mut left) = (vec![], MOST);
        for piece in stressed(text) {
            match piece {
                Piece::Plain(part) => self.cut(part, &mut left, &mut pieces),
                whole => pieces.push(whole),
            }
        }
        pieces
    }

    fn cut<'text>(&mut self, text: &'text str, left: &mut usize, pieces: &mut Vec<Piece<'text>>) {
        let mut from = 0;
        for (place, term) in terms_in(text) {
            if *left == 0 || self.seen.contains(&term) {
                continue;
            }
            self.seen.push(term);
            *left -= 1;
            if from < place.start {
                pieces.push(Piece::Plain(&text[from..place.start]));
            }
            from = place.end;
            pieces.push(Piece::Term(&text[place], term));
        }
        if from < text.len() {
            pieces.push(Piece::Plain(&text[from..]));
        }
    }
}

/// All terms by their names, in alphabetical order, each with what it means.
pub fn sorted() -> Vec<(&'static str, &'static str)> {
    let name = |term: &Term| translated(term.words).split('|').next().unwrap_or_default();
    let mut all: Vec<_> = TERMS.iter().map(|term| (name(term), translated(term.means))).collect();
    sort_by_cached_key(&mut all, |(name, _)| name.to_lowercase());
    all
}

thread_local! {
    /// Every spelling in the reader's language, with the term's place.
    static SPELLINGS: OnceCell<Vec<(&'static str, usize)>> = const { OnceCell::new() };
}

/// The terms in a text, in their order: whole words, and of several that begin at one place the longest. What stands
/// between quotation marks is the name of something, and what stands between backticks is code.
pub fn terms_in(text: &str) -> Vec<(Range<usize>, usize)> {
    let spelled = || {
        let of = |(at, term): (usize, &Term)| translated(term.words).split('|').map(move |word| (word, at));
        TERMS.iter().enumerate().flat_map(of).filter(|(word, _)| !word.is_empty()).collect()
    };
    SPELLINGS.with(|spellings| {
        let spellings: &Vec<(&str, usize)> = spellings.get_or_init(spelled);
        let (mut found, mut end, mut before, mut closing) = (vec![], 0, ' ', None);
        for (at, letter) in text.char_indices() {
            let previous = std::mem::replace(&mut before, letter);
            if closing.is_none() {
                closing = closed_by(letter);
            } else if closing == Some(letter) {
                closing = None;
            }
            if at < end || closing.is_some() || joins(previous) || !letter.is_alphanumeric() {
                continue;
            }
            let here = spellings.iter().filter_map(|(word, term)| Some((length(&text[at..], word)?, *term)));
            if let Some((length, term)) = here.max() {
                end = at + length;
                found.push((at..end, term));
            }
        }
        found
    })
}

/// What ends the part of a text that a letter begins, if no term is marked in that part.
fn closed_by(letter: char) -> Option<char> {
    match letter {
        '“' => Some('”'),
        '„' => Some('“'),
        '«' => Some('»'),
        '`' => Some('`'),
        _ => None,
    }
}

/// Whether a letter beside a word makes it part of a longer word or of a formula.
fn joins(letter: char) -> bool {
    letter.is_alphanumeric() || "-_^=".contains(letter)
}

/// How many bytes of `text` are the whole word at its beginning, in small or capital letters.
fn length(text: &str, word: &str) -> Option<usize> {
    let mut letters = text.char_indices();
    for wanted in word.chars() {
        let (_, letter) = letters.next()?;
        if letter != wanted && !letter.to_lowercase().eq(wanted.to_lowercase()) {
            return None;
        }
    }
    let length = letters.offset();
    (!letters.next().is_some_and(|(_, next)| joins(next))).then_some(length)
}
