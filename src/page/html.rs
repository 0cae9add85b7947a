//! HTML as a string, for views with many similar parts: stories, the gallery, and texts with terms of the glossary.
//!
//! # Why
//! Views are Leptos components in general. These are strings, here and in other files:
//! - Gallery, bench, stories and their lists, forms of sweeps and for teachers, and the map of a sweep are written as a
//!   whole. A view for each field and cell of a sweep made what every visitor downloads a quarter larger.
//! - Legends and crosshairs are replaced as a whole at each drawing and movement of the pointer.
//! - Texts with terms of the glossary come from the second WebAssembly module as one value.
//! - The handout and the page for teachers, with their QR codes, are printed in place of the components.
//! - The frame that a teacher copies and a notebook shows, and the files of the command line, are for other programs.
//!
//! Tests read these strings natively; one checks that no translation becomes an element.

use vivarium_view::display::glossary::{TermMarker, TextPiece, split_emphasis};

/// Converts a plain text to escaped HTML in which the terms of the glossary are buttons that show their explanation.
pub fn glossary_html(text: &str) -> String {
    let mut out = Html::default();
    out.glossary_pieces(TermMarker::default().mark_plain_text(text));
    out.0
}

/// A string of HTML under construction.
#[derive(Default)]
pub struct Html(
    /// The markup so far.
    pub String,
);

impl Html {
    /// Appends HTML unchanged.
    pub fn raw(&mut self, markup: &str) {
        self.0.push_str(markup);
    }

    /// Appends parts that are alternately HTML and plain text, HTML first; the text is escaped.
    pub fn alternate(&mut self, parts: &[&str]) {
        for (at, part) in parts.iter().enumerate() {
            if at % 2 == 0 { self.raw(part) } else { self.text(part) }
        }
    }

    /// Appends plain text, in which characters with a meaning in HTML are escaped.
    pub fn text(&mut self, text: &str) {
        for letter in text.chars() {
            match letter {
                '&' => self.raw("&amp;"),
                '<' => self.raw("&lt;"),
                '"' => self.raw("&quot;"),
                letter => self.0.push(letter),
            }
        }
    }

    /// Appends a `<p>`: text between stars is emphasised, and glossary terms that `marks` has not marked before are
    /// buttons.
    pub fn paragraph(&mut self, text: &str, marks: &mut TermMarker) {
        self.raw("<p>");
        self.glossary_pieces(marks.mark_emphasized_text(text));
        self.raw("</p>");
    }

    /// Appends an element, such as `h2`, without attributes around a text; text between stars is emphasised.
    pub fn element(&mut self, element: &str, text: &str) {
        for part in ["<", element, ">"] {
            self.raw(part);
        }
        self.glossary_pieces(split_emphasis(text));
        for part in ["</", element, ">"] {
            self.raw(part);
        }
    }

    /// Appends pieces of a text as HTML: plain, emphasised, or a glossary term as a button.
    fn glossary_pieces<'text>(&mut self, pieces: impl IntoIterator<Item = TextPiece<'text>>) {
        for piece in pieces {
            match piece {
                TextPiece::Text(text) => self.text(text),
                TextPiece::Emphasized(text) => self.alternate(&["<em>", text, "</em>"]),
                // No button: lines could not end inside it, and could begin with the full stop behind it.
                TextPiece::Term(word, at) => {
                    self.raw("<span role=\"button\" tabindex=\"0\" class=\"term\" aria-expanded=\"false\" data-term=\"");
                    self.alternate(&["", &at.to_string(), "\">", word, "</span>"]);
                }
            }
        }
    }

    /// Appends an `<option>` with this value and label, selected if `value` equals `chosen`.
    pub fn option(&mut self, value: &str, label: &str, chosen: &str) {
        for part in ["<option value=\"", value, if value == chosen { "\" selected>" } else { "\">" }] {
            self.raw(part);
        }
        self.text(label);
        self.raw("</option>");
    }

    /// Appends a `<button>`: `name` is its attribute `data-press`, `attributes` further attributes as HTML, `label` its
    /// text.
    pub fn button(&mut self, name: &str, class: &str, testid: &str, attributes: &str, label: &str) {
        for part in
            ["<button type=\"button\" class=\"", class, "\" data-testid=\"", testid, "\" data-press=\""]
        {
            self.raw(part);
        }
        for part in [name, "\" ", attributes, ">"] {
            self.raw(part);
        }
        self.text(label);
        self.raw("</button>");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_can_be_pressed_and_texts_stay_texts() {
        let html = glossary_html("The <b> margin & the margin.");
        let (before, after) = html.split_once("<span").unwrap();
        assert_eq!(before, "The &lt;b> ");
        assert!(after.ends_with("\">margin</span> &amp; the margin."), "{html}");
        let mut out = Html::default();
        out.paragraph("*Yes.* A \"logit\" is no *margin*, a margin is.", &mut TermMarker::default());
        let html = out.0;
        assert!(html.starts_with("<p><em>Yes.</em> A &quot;<span ") && html.ends_with(", a margin is.</p>"));
        assert_eq!(html.matches("class=\"term\"").count(), 1, "{html}");
    }
}
