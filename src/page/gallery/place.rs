//! The position in the gallery at which a card was opened, stored in the history of the browser.
//!
//! # Why
//! A browser restores the scroll position, but this page opens every view at its top, and creates the cards only then.
//! An entry of the history stores the position for the way back, also after a reload. A gallery that is opened anew has
//! a new entry without a position.

use super::CardFilter;
use super::tiles::LINK_PREFIX;

/// Where the user left the gallery when a card was opened, so that Back returns there.
#[derive(Debug, Clone, PartialEq)]
pub struct GalleryPosition {
    /// How far the gallery was scrolled from its top, in CSS pixels.
    pub scroll: f64,
    /// Link of the card that was opened, or DOM id of the link of the tile.
    pub link: String,
    /// Filter of the gallery when the card was opened.
    pub filter: CardFilter,
}

impl GalleryPosition {
    /// CSS selector of the link that was opened. A tile and a card may have the same address.
    pub fn selector(&self) -> String {
        let link = &self.link;
        match link.starts_with(LINK_PREFIX) {
            true => format!("#{link}"),
            false => format!(".gallery-card__name[href=\"{link}\"]"),
        }
    }

    /// Encodes the position as lines of text; the words of the filter are the last line because they may contain any
    /// character.
    pub fn encode(&self) -> String {
        let CardFilter { words, topic, time } = &self.filter;
        format!("{}\n{}\n{topic}\n{time}\n{words}", self.scroll, self.link)
    }

    /// Decodes a position in the gallery; None if the text is not one or was stored with another filter.
    pub fn decode(text: &str, filter: &CardFilter) -> Option<GalleryPosition> {
        let mut lines = text.splitn(5, '\n');
        let scroll = lines.next()?.parse().ok()?;
        let [link, topic, time, words] =
            [lines.next()?, lines.next()?, lines.next()?, lines.next()?].map(String::from);
        let place = GalleryPosition { scroll, link, filter: CardFilter { words, topic, time } };
        (place.filter == *filter).then_some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tile_and_a_card_with_one_address_have_different_selectors() {
        let selector = |link: &str| {
            GalleryPosition { scroll: 0.0, link: link.into(), filter: CardFilter::default() }.selector()
        };
        assert_eq!(selector("#v1/markov"), ".gallery-card__name[href=\"#v1/markov\"]");
        assert_eq!(selector("tile-markov"), "#tile-markov");
    }

    #[test]
    fn a_place_is_read_as_written_and_only_for_the_same_cards() {
        let all = CardFilter::default();
        let some =
            CardFilter { words: "two\nlines".into(), topic: "lab.markov".into(), time: "seconds".into() };
        for filter in [&all, &some] {
            let link = "#v1/groups?speed=60".to_string();
            let place = GalleryPosition { scroll: 9000.5, link, filter: filter.clone() };
            assert_eq!(GalleryPosition::decode(&place.encode(), filter), Some(place.clone()));
            let other = CardFilter { time: "minute".into(), ..filter.clone() };
            assert_eq!(GalleryPosition::decode(&place.encode(), &other), None);
        }
        // Another program may have written the entry.
        for text in ["", "9000", "far\n#v1/markov\n\n\n", "9000\n#v1/markov\n\n"] {
            assert_eq!(GalleryPosition::decode(text, &all), None, "{text}");
        }
    }
}
