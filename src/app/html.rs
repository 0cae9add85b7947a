//! Markup as text, for what is made of many like pieces: stories and the gallery.

/// Markup that is being written.
#[derive(Default)]
pub(super) struct Html(pub(super) String);

impl Html {
    /// Markup as it is.
    pub(super) fn raw(&mut self, markup: &str) {
        self.0.push_str(markup);
    }

    /// Markup and text by turns, markup first.
    pub(super) fn mixed(&mut self, parts: &[&str]) {
        for (at, part) in parts.iter().enumerate() {
            if at % 2 == 0 { self.raw(part) } else { self.text(part) }
        }
    }

    /// Text, whatever is in it.
    pub(super) fn text(&mut self, text: &str) {
        for letter in text.chars() {
            match letter {
                '&' => self.raw("&amp;"),
                '<' => self.raw("&lt;"),
                '"' => self.raw("&quot;"),
                letter => self.0.push(letter),
            }
        }
    }

    /// Every second part between stars is stressed.
    pub(super) fn paragraph(&mut self, text: &str) {
        self.raw("<p>");
        for (i, part) in text.split('*').enumerate() {
            if i > 0 {
                self.raw(if i % 2 == 1 { "<em>" } else { "</em>" });
            }
            self.text(part);
        }
        self.raw("</p>");
    }

    /// An option of a list, of which `chosen` is the value.
    pub(super) fn option(&mut self, value: &str, word: &str, chosen: &str) {
        for part in ["<option value=\"", value, if value == chosen { "\" selected>" } else { "\">" }] {
            self.raw(part);
        }
        self.text(word);
        self.raw("</option>");
    }

    pub(super) fn button(&mut self, name: &str, class: &str, testid: &str, state: &str, word: &str) {
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
