//! Markup as text, for what is made of many like pieces: stories, the gallery, and texts with terms of the glossary.

use vivarium_view::display::glossary::{Marks, Piece, stressed};

/// A text as markup, in which the terms of the glossary can be pressed.
pub fn explained(text: &str) -> String {
    let mut out = Html::default();
    out.pieces(Marks::default().plain(text));
    out.0
}

/// Markup that is being written.
#[derive(Default)]
pub struct Html(
    /// The markup so far.
    pub String,
);

impl Html {
    /// Markup as it is.
    pub fn raw(&mut self, markup: &str) {
        self.0.push_str(markup);
    }

    /// Markup and text by turns, markup first.
    pub fn mixed(&mut self, parts: &[&str]) {
        for (at, part) in parts.iter().enumerate() {
            if at % 2 == 0 { self.raw(part) } else { self.text(part) }
        }
    }

    /// Text, whatever is in it.
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

    /// A paragraph: every second part between stars is stressed, and terms of the glossary can be pressed.
    pub fn paragraph(&mut self, text: &str, marks: &mut Marks) {
        self.raw("<p>");
        self.pieces(marks.stressed(text));
        self.raw("</p>");
    }

    /// An element without attributes around a text with stress, as of a paragraph.
    pub fn within(&mut self, element: &str, text: &str) {
        for part in ["<", element, ">"] {
            self.raw(part);
        }
        self.pieces(stressed(text));
        for part in ["</", element, ">"] {
            self.raw(part);
        }
    }

    fn pieces<'text>(&mut self, pieces: impl IntoIterator<Item = Piece<'text>>) {
        for piece in pieces {
            match piece {
                Piece::Plain(text) => self.text(text),
                Piece::Stressed(text) => self.mixed(&["<em>", text, "</em>"]),
                // No button: lines could not end inside it, and could begin with the full stop behind it.
                Piece::Term(word, at) => {
                    self.raw("<span role=\"button\" tabindex=\"0\" class=\"term\" aria-expanded=\"false\" data-term=\"");
                    self.mixed(&["", &at.to_string(), "\">", word, "</span>"]);
                }
            }
        }
    }

    /// An option of a list, of which `chosen` is the value.
    pub fn option(&mut self, value: &str, word: &str, chosen: &str) {
        for part in ["<option value=\"", value, if value == chosen { "\" selected>" } else { "\">" }] {
            self.raw(part);
        }
        self.text(word);
        self.raw("</option>");
    }

    /// A button with its CSS class, test id, further attributes and text.
    pub fn button(&mut self, name: &str, class: &str, testid: &str, state: &str, word: &str) {
        for part in
            ["<button type=\"button\" class=\"", class, "\" data-testid=\"", testid, "\" data-press=\""]
        {
            self.raw(part);
        }
        for part in [name, "\" ", state, ">"] {
            self.raw(part);
        }
        self.text(word);
        self.raw("</button>");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_can_be_pressed_and_texts_stay_texts() {
        let html = explained("The <b> margin & the margin.");
        let (before, after) = html.split_once("<span").unwrap();
        assert_eq!(before, "The &lt;b> ");
        assert!(after.ends_with("\">margin</span> &amp; the margin."), "{html}");
        let mut out = Html::default();
        out.paragraph("*Yes.* A \"logit\" is no *margin*, a margin is.", &mut Marks::default());
        let html = out.0;
        assert!(html.starts_with("<p><em>Yes.</em> A &quot;<span ") && html.ends_with(", a margin is.</p>"));
        assert_eq!(html.matches("class=\"term\"").count(), 1, "{html}");
    }
}
