//! The glossary: terms, their definitions, and a search for terms in a text.
//!
//! # Why
//! Stories, claims, and the help of charts and settings are explained by the same words everywhere, so a text says
//! nothing of the glossary: it is searched for terms where it is shown. This is done in the page's second WebAssembly
//! file.

mod terms;

use std::cell::OnceCell;
use std::ops::Range;

use vivarium_core::language::translated;
use vivarium_core::sorting::sort_by_cached_key;

pub use terms::TERMS;

/// A glossary term with its spellings and definition.
pub struct GlossaryTerm {
    /// Spellings of the term, separated by `|`; the first is the name of the term. A translation may have more or fewer
    /// spellings.
    pub spellings: &'static str,
    /// Definition of the term, in at most 200 characters of plain text.
    pub definition: &'static str,
}

/// Largest number of glossary terms that are marked in one text; further terms stay plain text.
pub const MAX_MARKED_TERMS: usize = 4;

/// One piece of a text, as the page displays it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextPiece<'text> {
    /// Text without emphasis.
    Text(&'text str),
    /// Emphasised text.
    Emphasized(&'text str),
    /// Occurrence of a term, with the term's index in [`TERMS`].
    Term(&'text str, usize),
}

/// Splits a text at stars into plain and emphasised pieces, without marking terms.
pub fn split_emphasis(text: &str) -> impl Iterator<Item = TextPiece<'_>> {
    let piece = |(at, part)| if at % 2 == 1 { TextPiece::Emphasized(part) } else { TextPiece::Text(part) };
    text.split('*').enumerate().map(piece)
}

/// Marks glossary terms in a sequence of texts, each term only at its first occurrence.
#[derive(Default)]
pub struct TermMarker {
    /// Indices, from 0, in [`TERMS`] of the terms that have been marked in the texts so far.
    marked_terms: Vec<usize>,
}

impl TermMarker {
    /// Splits a text into plain pieces and glossary terms; the pieces, joined, are the text.
    pub fn mark_plain_text<'text>(&mut self, text: &'text str) -> Vec<TextPiece<'text>> {
        let mut pieces = vec![];
        self.push_pieces(text, &mut MAX_MARKED_TERMS.clone(), &mut pieces);
        pieces
    }

    /// Splits a text with emphasis between stars into plain, emphasised and term pieces. A term that occurs in an
    /// emphasised piece is not marked elsewhere in the text.
    pub fn mark_emphasized_text<'text>(&mut self, text: &'text str) -> Vec<TextPiece<'text>> {
        for piece in split_emphasis(text) {
            if let TextPiece::Emphasized(part) = piece {
                self.marked_terms.extend(find_terms(part).into_iter().map(|(_, term)| term));
            }
        }
        let (mut pieces, mut left) = (vec![], MAX_MARKED_TERMS);
        for piece in split_emphasis(text) {
            match piece {
                TextPiece::Text(part) => self.push_pieces(part, &mut left, &mut pieces),
                whole => pieces.push(whole),
            }
        }
        pieces
    }

    /// Appends the pieces of a text without emphasis to `pieces`; `left` is the number of terms that may still be
    /// marked, and is reduced.
    fn push_pieces<'text>(&mut self, text: &'text str, left: &mut usize, pieces: &mut Vec<TextPiece<'text>>) {
        let mut from = 0;
        for (place, term) in find_terms(text) {
            if *left == 0 || self.marked_terms.contains(&term) {
                continue;
            }
            self.marked_terms.push(term);
            *left -= 1;
            if from < place.start {
                pieces.push(TextPiece::Text(&text[from..place.start]));
            }
            from = place.end;
            pieces.push(TextPiece::Term(&text[place], term));
        }
        if from < text.len() {
            pieces.push(TextPiece::Text(&text[from..]));
        }
    }
}

/// Names and definitions of all terms, sorted alphabetically by name.
pub fn sorted_terms() -> Vec<(&'static str, &'static str)> {
    let name = |term: &GlossaryTerm| translated(term.spellings).split('|').next().unwrap_or_default();
    let mut all: Vec<_> = TERMS.iter().map(|term| (name(term), translated(term.definition))).collect();
    sort_by_cached_key(&mut all, |(name, _)| name.to_lowercase());
    all
}

thread_local! {
    /// Every spelling in the reader's language, with the index of its term in [`TERMS`].
    static SPELLINGS: OnceCell<Vec<(&'static str, usize)>> = const { OnceCell::new() };
}

/// Finds glossary terms in a text, in order, each as (byte range, index in [`TERMS`]): whole words only, the longest
/// where several begin at one position. Text between quotation marks or backticks is skipped.
pub fn find_terms(text: &str) -> Vec<(Range<usize>, usize)> {
    let spelled = || {
        let of = |(at, term): (usize, &GlossaryTerm)| {
            translated(term.spellings).split('|').map(move |word| (word, at))
        };
        TERMS.iter().enumerate().flat_map(of).filter(|(word, _)| !word.is_empty()).collect()
    };
    SPELLINGS.with(|spellings| {
        let spellings: &Vec<(&str, usize)> = spellings.get_or_init(spelled);
        let (mut found, mut end, mut before, mut closing) = (vec![], 0, ' ', None);
        for (at, letter) in text.char_indices() {
            let previous = std::mem::replace(&mut before, letter);
            if closing.is_none() {
                closing = closing_delimiter(letter);
            } else if closing == Some(letter) {
                closing = None;
            }
            if at < end || closing.is_some() || is_word_part(previous) || !letter.is_alphanumeric() {
                continue;
            }
            let here =
                spellings.iter().filter_map(|(word, term)| Some((match_length(&text[at..], word)?, *term)));
            if let Some((length, term)) = here.max() {
                end = at + length;
                found.push((at..end, term));
            }
        }
        found
    })
}

/// Closing delimiter of a quotation or of code that begins with the character `letter`; `None` if that character opens
/// neither.
fn closing_delimiter(letter: char) -> Option<char> {
    match letter {
        '“' => Some('”'),
        '„' => Some('“'),
        '«' => Some('»'),
        '`' => Some('`'),
        _ => None,
    }
}

/// Whether the character `letter` before or after a word makes the word part of a longer word or of a formula.
fn is_word_part(letter: char) -> bool {
    letter.is_alphanumeric() || "-_^=".contains(letter)
}

/// Length in bytes of the whole word `word` at the beginning of `text`, ignoring case; `None` if the text begins
/// differently.
fn match_length(text: &str, word: &str) -> Option<usize> {
    let mut letters = text.char_indices();
    for wanted in word.chars() {
        let (_, letter) = letters.next()?;
        if letter != wanted && !letter.to_lowercase().eq(wanted.to_lowercase()) {
            return None;
        }
    }
    let length = letters.offset();
    (!letters.next().is_some_and(|(_, next)| is_word_part(next))).then_some(length)
}
