//! Values of JSON of which little is wanted: numbers and words are read, and all else is passed over.

use std::io::{self, Read};

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use super::ABOUT;
use vivarium_core::language::is_hidden;
use vivarium_model::permalink::MAX_LENGTH;

/// Longest text, in bytes.
pub(super) const MOST_TEXT: usize = 1 << 20;

/// Longest text that is shown of where a run was trained.
const MOST_WORD: usize = 300;

/// Largest whole number: what a browser's numbers hold exactly.
const MOST_WHOLE: u64 = 1 << 53;

/// Stops at a text that is too long to be one of a run's.
pub(super) struct Texts<R> {
    source: R,
    state: Place,
    length: usize,
}

impl<R> Texts<R> {
    pub(super) fn new(source: R) -> Self {
        Texts { source, state: Place::Outside, length: 0 }
    }
}

/// Where in the JSON a byte stands.
enum Place {
    Outside,
    Text,
    /// Behind a backslash.
    Escaped,
}

impl<R: Read> Read for Texts<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.source.read(buffer)?;
        for byte in &buffer[..count] {
            self.state = match (&self.state, byte) {
                (Place::Outside, b'"') => {
                    self.length = 0;
                    Place::Text
                }
                (Place::Outside, _) | (Place::Text, b'"') => Place::Outside,
                (Place::Text, b'\\') => Place::Escaped,
                (Place::Text | Place::Escaped, _) => Place::Text,
            };
            self.length += 1;
            if self.length > MOST_TEXT && !matches!(self.state, Place::Outside) {
                return Err(io::ErrorKind::InvalidData.into());
            }
        }
        Ok(count)
    }
}

/// Any value; of lists and objects nothing but that they are there.
#[derive(Debug, PartialEq)]
pub(super) enum Loose {
    Null,
    Whole(u64),
    Real(f64),
    Text(String),
    Other,
}

impl Loose {
    pub(super) fn whole(self) -> Option<u64> {
        match self {
            Loose::Whole(value) if value <= MOST_WHOLE => Some(value),
            _ => None,
        }
    }

    pub(super) fn text(self) -> Option<String> {
        match self {
            Loose::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// Reads a [`Loose`] value. What is inside of lists and objects is passed over; it goes no deeper than the parser allows.
#[derive(Clone, Copy)]
pub(super) struct AnyValue;

impl<'de> DeserializeSeed<'de> for AnyValue {
    type Value = Loose;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Loose, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for AnyValue {
    type Value = Loose;

    fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Loose, E> {
        Ok(Loose::Other)
    }

    fn visit_u64<E>(self, value: u64) -> Result<Loose, E> {
        Ok(Loose::Whole(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Loose, E> {
        Ok(Loose::Real(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Loose, E> {
        Ok(Loose::Real(value))
    }

    fn visit_str<E>(self, text: &str) -> Result<Loose, E> {
        Ok(Loose::Text(text.into()))
    }

    fn visit_unit<E>(self) -> Result<Loose, E> {
        Ok(Loose::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Loose, A::Error> {
        while list.next_element_seed(AnyValue)?.is_some() {}
        Ok(Loose::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Loose, A::Error> {
        while object.next_key_seed(Key(&[]))?.is_some() {
            object.next_value_seed(AnyValue)?;
        }
        Ok(Loose::Other)
    }
}

/// Reads a key: its place among these names, if it is one of them.
pub(super) struct Key<'a>(pub(super) &'a [&'a str]);

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_str(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
        Ok(self.0.iter().position(|known| *known == key))
    }
}

/// As much of a text as is shown, which is all that anybody needs of it.
pub(super) fn shortened(text: &str) -> String {
    text.chars().filter(|c| !c.is_control() && !is_hidden(*c)).take(MOST_WORD).collect()
}

/// What reads an object into `$name`, and passes over everything that is no object.
macro_rules! reads_object {
    ($name:ident, $object:ident, |$this:ident| $body:block) => {
        impl<'de> DeserializeSeed<'de> for $name<'_> {
            type Value = ();

            fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
                from.deserialize_any(self)
            }
        }

        impl<'de> Visitor<'de> for $name<'_> {
            type Value = ();

            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str("a value")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut $object: A) -> Result<(), A::Error> {
                let $this = self;
                $body
                Ok(())
            }

            fn visit_bool<E>(self, _: bool) -> Result<(), E> {
                Ok(())
            }

            fn visit_u64<E>(self, _: u64) -> Result<(), E> {
                Ok(())
            }

            fn visit_i64<E>(self, _: i64) -> Result<(), E> {
                Ok(())
            }

            fn visit_f64<E>(self, _: f64) -> Result<(), E> {
                Ok(())
            }

            fn visit_str<E>(self, _: &str) -> Result<(), E> {
                Ok(())
            }

            fn visit_unit<E>(self) -> Result<(), E> {
                Ok(())
            }

            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<(), A::Error> {
                AnyValue.visit_seq(list).map(drop)
            }
        }
    };
}

/// Where the run was trained: whatever is no text there is left out.
pub(super) struct About<'a> {
    pub(super) words: &'a mut [String; ABOUT.len()],
}

reads_object!(About, object, |this| {
    while let Some(key) = object.next_key_seed(Key(&ABOUT))? {
        let text = object.next_value_seed(AnyValue)?.text().unwrap_or_default();
        if let Some(word) = key.and_then(|key| this.words.get_mut(key)) {
            *word = shortened(&text);
        }
    }
});

/// Most settings that are kept to be compared with the link: several times as many as a run has.
const MOST_SETTINGS: usize = 256;

/// The settings that stand beside the link, each as its key and its text: whatever is no text there, or is longer than
/// any link, is left out.
pub(super) struct Listed<'a> {
    pub(super) settings: &'a mut Vec<(String, String)>,
}

reads_object!(Listed, object, |this| {
    while let Some(key) = object.next_key::<String>()? {
        let text = object.next_value_seed(AnyValue)?.text();
        let text = text.filter(|text| key.len() + text.len() <= MAX_LENGTH);
        if let Some(text) = text.filter(|_| this.settings.len() < MOST_SETTINGS) {
            this.settings.push((key, text));
        }
    }
});
