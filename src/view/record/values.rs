//! Tolerant JSON values: numbers and texts are read, everything else is skipped.

use std::io::{self, Read};

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use super::ENVIRONMENT_KEYS;
use vivarium_core::language::is_hidden;
use vivarium_model::permalink::MAX_LINK_LENGTH;

/// Longest string in bytes that a JSON file may contain; a file with a longer one is rejected.
pub(super) const MAX_TEXT_BYTES: usize = 1 << 20;

/// Largest number of characters kept of a text of a file that is only displayed.
const MAX_SHOWN_CHARS: usize = 300;

/// Largest whole number accepted in a JSON file: up to it a JavaScript number holds every integer exactly.
const MAX_WHOLE_NUMBER: u64 = 1 << 53;

/// Reader that passes JSON through unchanged and fails at a string longer than [`MAX_TEXT_BYTES`].
pub(super) struct TextLimiter<R> {
    /// Reader that delivers the JSON text whose strings are checked.
    source: R,
    /// Position of the current byte in the JSON text: inside a string, after a backslash, or outside.
    state: JsonPosition,
    /// Number of bytes of the current JSON string that have been read.
    length: usize,
}

impl<R> TextLimiter<R> {
    /// Wraps `source` in a reader that limits the length of JSON strings.
    pub(super) fn new(source: R) -> Self {
        TextLimiter { source, state: JsonPosition::Outside, length: 0 }
    }
}

/// Position of a byte in JSON text: inside a string, after a backslash in it, or outside of strings.
enum JsonPosition {
    Outside,
    Text,
    /// After a backslash in a text.
    Escaped,
}

impl<R: Read> Read for TextLimiter<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.source.read(buffer)?;
        for byte in &buffer[..count] {
            self.state = match (&self.state, byte) {
                (JsonPosition::Outside, b'"') => {
                    self.length = 0;
                    JsonPosition::Text
                }
                (JsonPosition::Outside, _) | (JsonPosition::Text, b'"') => JsonPosition::Outside,
                (JsonPosition::Text, b'\\') => JsonPosition::Escaped,
                (JsonPosition::Text | JsonPosition::Escaped, _) => JsonPosition::Text,
            };
            self.length += 1;
            if self.length > MAX_TEXT_BYTES && !matches!(self.state, JsonPosition::Outside) {
                return Err(io::ErrorKind::InvalidData.into());
            }
        }
        Ok(count)
    }
}

/// Any JSON value, without the contents of lists and objects.
#[derive(Debug, PartialEq)]
pub(super) enum LooseValue {
    Null,
    Whole(u64),
    Real(f64),
    Text(String),
    Other,
}

impl LooseValue {
    /// Returns the value as a whole number; `None` if it is none or exceeds [`MAX_WHOLE_NUMBER`].
    pub(super) fn into_whole(self) -> Option<u64> {
        match self {
            LooseValue::Whole(value) if value <= MAX_WHOLE_NUMBER => Some(value),
            _ => None,
        }
    }

    /// Returns the value as a text; `None` if it is none.
    pub(super) fn into_text(self) -> Option<String> {
        match self {
            LooseValue::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// Deserializer seed that reads any JSON value as a [`LooseValue`]; skips the contents of lists and objects.
#[derive(Clone, Copy)]
pub(super) struct LooseValueSeed;

impl<'de> DeserializeSeed<'de> for LooseValueSeed {
    type Value = LooseValue;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<LooseValue, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for LooseValueSeed {
    type Value = LooseValue;

    fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<LooseValue, E> {
        Ok(LooseValue::Other)
    }

    fn visit_u64<E>(self, value: u64) -> Result<LooseValue, E> {
        Ok(LooseValue::Whole(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<LooseValue, E> {
        Ok(LooseValue::Real(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<LooseValue, E> {
        Ok(LooseValue::Real(value))
    }

    fn visit_str<E>(self, text: &str) -> Result<LooseValue, E> {
        Ok(LooseValue::Text(text.into()))
    }

    fn visit_unit<E>(self) -> Result<LooseValue, E> {
        Ok(LooseValue::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<LooseValue, A::Error> {
        while list.next_element_seed(LooseValueSeed)?.is_some() {}
        Ok(LooseValue::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<LooseValue, A::Error> {
        while object.next_key_seed(KeySeed(&[]))?.is_some() {
            object.next_value_seed(LooseValueSeed)?;
        }
        Ok(LooseValue::Other)
    }
}

/// Deserializer seed of an object's key: returns its index (from 0) in the given list of names, or `None` for another
/// key.
pub(super) struct KeySeed<'a>(pub(super) &'a [&'a str]);

impl<'de> DeserializeSeed<'de> for KeySeed<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_str(self)
    }
}

impl Visitor<'_> for KeySeed<'_> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
        Ok(self.0.iter().position(|known| *known == key))
    }
}

/// Cuts a text to [`MAX_SHOWN_CHARS`] characters for display and removes control and invisible characters.
pub(super) fn shorten(text: &str) -> String {
    text.chars().filter(|c| !c.is_control() && !is_hidden(*c)).take(MAX_SHOWN_CHARS).collect()
}

/// Implements a JSON reader for objects that fills `$name` and ignores values of other types.
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
                LooseValueSeed.visit_seq(list).map(drop)
            }
        }
    };
}

/// Reads the object "environment" of a run's JSON file; ignores values that are no text.
pub(super) struct EnvironmentReader<'a> {
    /// Values in the order of [`ENVIRONMENT_KEYS`].
    pub(super) values: &'a mut [String; ENVIRONMENT_KEYS.len()],
}

reads_object!(EnvironmentReader, object, |this| {
    while let Some(key) = object.next_key_seed(KeySeed(&ENVIRONMENT_KEYS))? {
        let text = object.next_value_seed(LooseValueSeed)?.into_text().unwrap_or_default();
        if let Some(word) = key.and_then(|key| this.values.get_mut(key)) {
            *word = shorten(&text);
        }
    }
});

/// Largest number of settings that are kept from the object "settings" of a run's JSON file, several times as many as a
/// run has; further ones are ignored.
const MAX_SETTINGS: usize = 256;

/// Reads the object "settings" of a run's JSON file as (key, value); ignores values that are no text or longer than any
/// link.
pub(super) struct SettingsReader<'a> {
    /// Settings of the file read so far, as (key, value as in a link).
    pub(super) settings: &'a mut Vec<(String, String)>,
}

reads_object!(SettingsReader, object, |this| {
    while let Some(key) = object.next_key::<String>()? {
        let text = object.next_value_seed(LooseValueSeed)?.into_text();
        let text = text.filter(|text| key.len() + text.len() <= MAX_LINK_LENGTH);
        if let Some(text) = text.filter(|_| this.settings.len() < MAX_SETTINGS) {
            this.settings.push((key, text));
        }
    }
});
