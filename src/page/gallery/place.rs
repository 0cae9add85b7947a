//! The place in the gallery that a person leaves by a card, as text in the entry of the history that is left.
//!
//! # Why
//! A browser keeps how far a page was scrolled, but this page shows each view that opens from its top, and draws the
//! cards only then. An entry of the history has the place when a person goes back, after a reload as well. A gallery that
//! is opened anew has an entry of its own, without a place.

use super::Filter;

/// Where the gallery was left by a card.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// How far the page was scrolled, in pixels of the style sheet.
    pub scroll: f64,
    /// The link of the card.
    pub link: String,
    /// Which cards were wanted.
    pub filter: Filter,
}

impl Place {
    /// A line for each part. The words are last, since anything may be typed there.
    pub fn written(&self) -> String {
        let Filter { words, topic, time } = &self.filter;
        format!("{}\n{}\n{topic}\n{time}\n{words}", self.scroll, self.link)
    }

    /// The place that [`Place::written`] has written, if `filter` still wants the same cards.
    pub fn read(text: &str, filter: &Filter) -> Option<Place> {
        let mut lines = text.splitn(5, '\n');
        let scroll = lines.next()?.parse().ok()?;
        let [link, topic, time, words] =
            [lines.next()?, lines.next()?, lines.next()?, lines.next()?].map(String::from);
        let place = Place { scroll, link, filter: Filter { words, topic, time } };
        (place.filter == *filter).then_some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_read_as_written_and_only_for_the_same_cards() {
        let all = Filter::default();
        let some = Filter { words: "two\nlines".into(), topic: "lab.markov".into(), time: "seconds".into() };
        for filter in [&all, &some] {
            let link = "#v1/groups?speed=60".to_string();
            let place = Place { scroll: 9000.5, link, filter: filter.clone() };
            assert_eq!(Place::read(&place.written(), filter), Some(place.clone()));
            let other = Filter { time: "minute".into(), ..filter.clone() };
            assert_eq!(Place::read(&place.written(), &other), None);
        }
        // Another program may have written the entry.
        for text in ["", "9000", "far\n#v1/markov\n\n\n", "9000\n#v1/markov\n\n"] {
            assert_eq!(Place::read(text, &all), None, "{text}");
        }
    }
}
