//! Settings: one declaration per adjustable value, used to show, parse and store it.
//!
//! # Why
//! A setting is needed in six places: the form, its tooltip, the permalink, the command line, the README and the range
//! check. [`settings!`](crate::settings!) states it once, and all six read the resulting table of [`SettingInfo`]s (the
//! way ripgrep's flags feed its parser, its help and its completions).

pub mod axes;
mod axis;
mod choices;
pub mod entry;
pub mod formula;
pub mod line;
mod parts;
mod problem;
pub mod square;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use axis::{MAX_AXIS_VALUES, Spacing, SweepAxis};
pub use choices::OptionEnum;
pub use parts::{concat_fields, concat_settings, count_settings, find_order, order_fields, order_settings};
pub use problem::InvalidSetting;

/// Largest number of entries of a setting whose range is a [`Range::List`] or a [`Range::Schedule`]; longer lists are
/// rejected.
pub const MAX_LIST_ENTRIES: usize = 64;

/// Kind and limits of the values that a setting accepts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Range {
    /// Whole numbers from the first to the second, both included.
    Int(u64, u64),
    /// Real numbers from the first to the second, both included.
    Real(f64, f64),
    /// One of a few named options.
    Choice(&'static [ChoiceOption]),
    /// A list of distinct whole numbers from the first to the second, both included; it may be empty.
    List(u64, u64),
    /// A list of whole numbers from the first to the second, in an order that matters and with repetitions: at least
    /// one entry, and at most as many as the third number.
    Sizes(u64, u64, usize),
    /// A list of whole numbers from the first to the second, in an order that matters and with repetitions: possibly
    /// empty, and at most as many entries as the third number.
    Numbers(u64, u64, usize),
    /// The entries, row by row, of a square table of whole numbers; the number is the largest number of rows.
    Table(usize),
    /// Changes of a real setting during a run: pairs (training step, value from this step on), ascending by step, with
    /// values from the first to the second number.
    Schedule(f64, f64),
    /// Points (x, y) with |x| and |y| at most the first number, in an order that matters: at most as many as the second
    /// number, or none.
    Points(f64, usize),
    /// Text; the number is the largest number of bytes that it may take in a link.
    Text(usize),
    /// A Boolean formula or truth table; the number is the largest number of bytes that it may take in a link.
    Formula(usize),
    /// Key of another setting with its values in a sweep, or no axis.
    Axis,
    /// Keys of several other settings with their values in a sweep, or no axes.
    Axes,
    /// One or more of a few named options, in the order of these options.
    Set(&'static [ChoiceOption]),
}

/// One of the named options of a setting whose range is a [`Range::Choice`] or a [`Range::Set`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChoiceOption {
    /// Name of the option in a permalink.
    pub slug: &'static str,
    /// Text of the option on the page.
    pub label: &'static str,
}

/// Declaration of a setting: key, label, help, unit and accepted values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SettingInfo {
    /// Permanent key in permalinks and on the command line.
    pub key: &'static str,
    /// Usual name of the quantity that is set, in sentence case.
    pub label: &'static str,
    /// Description of the setting in one sentence, used as rustdoc, tooltip and README text.
    pub help: &'static str,
    /// Unit of the setting's number, or "" for a pure number.
    pub unit: &'static str,
    /// Kind and limits of the values that the setting accepts.
    pub range: Range,
    /// Key of another setting, a choice, and those of its values for which this setting has an effect; `None` if this
    /// setting always has one.
    pub condition: Option<(&'static str, &'static [&'static str])>,
}

/// Value of a setting; its variant corresponds to the setting's [`Range`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Value {
    /// For [`Range::Int`].
    Int(u64),
    /// For [`Range::Real`].
    Real(f64),
    /// For [`Range::Choice`]: the option's slug.
    Choice(String),
    /// For [`Range::List`], [`Range::Sizes`], [`Range::Numbers`] and [`Range::Table`].
    List(Vec<u64>),
    /// For [`Range::Schedule`].
    Schedule(Vec<(u64, f64)>),
    /// For [`Range::Points`].
    Points(Vec<[f64; 2]>),
    /// For [`Range::Text`].
    Text(String),
    /// For [`Range::Formula`].
    Formula(String),
    /// For [`Range::Axis`].
    Axis(SweepAxis),
    /// For [`Range::Axes`].
    Axes(Vec<SweepAxis>),
    /// For [`Range::Set`]: the options' slugs.
    Set(Vec<String>),
}

impl fmt::Display for Value {
    /// The text that stands in a permalink; [`SettingInfo::parse`] reads it back unchanged.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Int(v) => write!(f, "{v}"),
            Value::Real(v) => write!(f, "{}", format_real(*v)),
            Value::Choice(v) => f.write_str(v),
            Value::List(v) => f.write_str(&v.iter().map(u64::to_string).collect::<Vec<_>>().join(".")),
            Value::Schedule(v) => f.write_str(
                &v.iter().map(|(s, x)| format!("{s}:{}", format_real(*x))).collect::<Vec<_>>().join("_"),
            ),
            Value::Points(v) => {
                let point = |[x, y]: &[f64; 2]| format!("{}:{}", format_real(*x), format_real(*y));
                f.write_str(&v.iter().map(point).collect::<Vec<_>>().join("_"))
            }
            Value::Text(v) => f.write_str(&line::encode(v)),
            Value::Formula(v) => f.write_str(&formula::encode(v)),
            Value::Axis(v) => write!(f, "{v}"),
            Value::Axes(v) => f.write_str(&axes::format_axes(v)),
            Value::Set(v) => f.write_str(&v.join(".")),
        }
    }
}

impl Value {
    /// Text for the field of a form, which [`SettingInfo::parse`] reads back: the text itself where it would be read
    /// back unchanged, otherwise the encoded form of a link.
    pub fn form_text(&self) -> String {
        match self {
            Value::Text(text) if line::decode(text) == *text => text.clone(),
            Value::Formula(text) if formula::decode(text) == *text => text.clone(),
            other => other.to_string(),
        }
    }
}

/// Shortest text that parses as the same number, with an exponent where that saves four characters.
pub fn format_real(v: f64) -> String {
    let plain = format!("{v}");
    let short = format!("{v:e}");
    if plain.len() > short.len() + 3 { short } else { plain }
}

impl SettingInfo {
    /// Parses a value of this setting.
    ///
    /// # Errors
    /// [`InvalidSetting`] with the key, the text, and a description of the accepted values.
    pub fn parse(&self, text: &str) -> Result<Value, InvalidSetting> {
        let bad = || InvalidSetting::new(self.key, text, self.describe_expected());
        let value = match self.range {
            Range::Int(..) => Value::Int(parse_whole_number(text).ok_or_else(bad)?),
            Range::Real(..) => Value::Real(text.parse().map_err(|_| bad())?),
            Range::Choice(_) => Value::Choice(text.to_string()),
            Range::List(..) | Range::Numbers(..) if text.is_empty() => Value::List(vec![]),
            Range::List(..) | Range::Sizes(..) | Range::Numbers(..) => Value::List(
                text.split(['.', ',', ' '])
                    .filter(|part| !part.is_empty())
                    .map(|part| part.parse().map_err(|_| bad()))
                    .collect::<Result<_, _>>()?,
            ),
            Range::Table(most) => Value::List(square::parse(text, most).ok_or_else(bad)?),
            Range::Axis => Value::Axis(SweepAxis::parse(text).ok_or_else(bad)?),
            Range::Axes => Value::Axes(axes::parse(text).ok_or_else(bad)?),
            Range::Schedule(..) if text.is_empty() => Value::Schedule(vec![]),
            Range::Schedule(..) => Value::Schedule(
                text.split('_')
                    .map(|pair| {
                        let (step, v) = pair.split_once(':').ok_or_else(bad)?;
                        Ok((step.parse().map_err(|_| bad())?, v.parse().map_err(|_| bad())?))
                    })
                    .collect::<Result<_, InvalidSetting>>()?,
            ),
            Range::Points(..) if text.is_empty() => Value::Points(vec![]),
            Range::Points(..) => Value::Points(
                text.split(['_', ' '])
                    .filter(|point| !point.is_empty())
                    .map(|point| {
                        let (x, y) = point.split_once(':').ok_or_else(bad)?;
                        Ok([x.parse().map_err(|_| bad())?, y.parse().map_err(|_| bad())?])
                    })
                    .collect::<Result<_, InvalidSetting>>()?,
            ),
            // Text that is too long is not decoded.
            Range::Text(most) if text.len() > most => return Err(bad()),
            Range::Text(_) => Value::Text(line::decode(text)),
            Range::Formula(most) if text.len() > most => return Err(bad()),
            Range::Formula(_) => Value::Formula(formula::decode(text)),
            Range::Set(options) => {
                let names: Vec<&str> = split_names(text).collect();
                let known = |name: &&str| options.iter().any(|o| o.slug == *name);
                if !names.iter().all(known) {
                    return Err(bad());
                }
                let kept = options.iter().filter(|o| names.contains(&o.slug));
                Value::Set(kept.map(|o| o.slug.to_string()).collect())
            }
        };
        self.check(&value)?;
        Ok(value)
    }

    /// Checks that `value` is of the right kind and in the range of this setting.
    ///
    /// # Errors
    /// As [`SettingInfo::parse`].
    pub fn check(&self, value: &Value) -> Result<(), InvalidSetting> {
        let fits = match (self.range, value) {
            (Range::Int(low, high), Value::Int(v)) => (low..=high).contains(v),
            (Range::Real(low, high), Value::Real(v)) => (low..=high).contains(v),
            (Range::Choice(options), Value::Choice(v)) => options.iter().any(|o| o.slug == v),
            (Range::List(low, high), Value::List(v)) => {
                v.len() <= MAX_LIST_ENTRIES
                    && v.iter().all(|i| (low..=high).contains(i))
                    && (1..v.len()).all(|i| !v[..i].contains(&v[i]))
            }
            (Range::Sizes(low, high, most), Value::List(v)) => {
                (1..=most).contains(&v.len()) && v.iter().all(|i| (low..=high).contains(i))
            }
            (Range::Numbers(low, high, most), Value::List(v)) => {
                v.len() <= most && v.iter().all(|i| (low..=high).contains(i))
            }
            (Range::Table(most), Value::List(v)) => square::is_valid(v, most),
            (Range::Schedule(low, high), Value::Schedule(v)) => {
                v.len() <= MAX_LIST_ENTRIES
                    && v.iter().all(|(_, x)| (low..=high).contains(x))
                    && v.windows(2).all(|w| w[0].0 < w[1].0)
            }
            (Range::Points(largest, most), Value::Points(v)) => {
                v.len() <= most && v.iter().flatten().all(|x| x.abs() <= largest)
            }
            (Range::Text(most), Value::Text(v)) => v.len() <= most && line::encode(v).len() <= most,
            (Range::Formula(most), Value::Formula(v)) => v.len() <= most && formula::encode(v).len() <= most,
            (Range::Axis, Value::Axis(v)) => v.is_valid(),
            (Range::Axes, Value::Axes(v)) => axes::are_valid(v),
            (Range::Set(options), Value::Set(v)) => {
                let place = |name: &String| options.iter().position(|o| o.slug == name);
                let places: Vec<_> = v.iter().map(place).collect();
                !v.is_empty() && places[0].is_some() && places.windows(2).all(|w| w[0] < w[1])
            }
            _ => false,
        };
        if fits {
            Ok(())
        } else {
            Err(InvalidSetting::new(self.key, &value.to_string(), self.describe_expected_instead(value)))
        }
    }

    /// Describes a valid value for the error about `value`: the largest number of entries if it has too many, otherwise
    /// the accepted values.
    fn describe_expected_instead(&self, value: &Value) -> String {
        let count = match (self.range, value) {
            (Range::List(..), Value::List(v)) => v.len(),
            (Range::Schedule(..), Value::Schedule(v)) => v.len(),
            _ => 0,
        };
        match count > MAX_LIST_ENTRIES {
            true => tr!("at most {most} entries, and there are {count}", most = MAX_LIST_ENTRIES, count),
            false => self.describe_expected(),
        }
    }

    /// Describes the accepted values in words: "a whole number from 1 to 8".
    pub fn describe_expected(&self) -> String {
        match self.range {
            Range::Int(low, high) => tr!("a whole number from {low} to {high}", low, high),
            Range::Real(low, high) => {
                tr!("a number from {low} to {high}", low = format_real(low), high = format_real(high))
            }
            Range::Choice(options) => {
                let slugs: Vec<_> = options.iter().map(|o| o.slug).collect();
                tr!("one of {slugs}", slugs = slugs.join(", "))
            }
            Range::List(low, high) => {
                tr!(
                    "different whole numbers from {low} to {high} separated by dots, or an empty value",
                    low,
                    high
                )
            }
            Range::Axis => {
                tr!(
                    "a setting's key and at most {most} values, like n:10_20_40 or n:lin:10..90:9, or an empty value",
                    most = MAX_AXIS_VALUES
                )
            }
            Range::Axes => tr!(
                "at most {most} settings separated by commas, each with a key and values, like n:10_20,k:2_3, and at most {values} values in all; or an empty value",
                most = axes::MAX_AXES,
                values = MAX_AXIS_VALUES
            ),
            Range::Sizes(low, high, most) => {
                tr!("one to {most} whole numbers from {low} to {high} separated by dots", most, low, high)
            }
            Range::Numbers(low, high, most) => {
                tr!(
                    "at most {most} whole numbers from {low} to {high} separated by dots, or an empty value",
                    most,
                    low,
                    high
                )
            }
            Range::Table(most) => {
                tr!(
                    "the entries of a square table of at most {most} rows, row by row, separated by dots or spaces",
                    most
                )
            }
            Range::Schedule(low, high) => tr!(
                "steps in increasing order, each with a value from {low} to {high}, like 500:0.1_900:0.02",
                low = format_real(low),
                high = format_real(high)
            ),
            Range::Points(largest, most) => tr!(
                "at most {most} points, each written x:y and separated by _, like -1:0.5_0.3:2, with numbers from -{largest} to {largest}; or an empty value",
                most,
                largest = format_real(largest)
            ),
            Range::Text(most) | Range::Formula(most) => {
                tr!(
                    "text of at most {most} characters, counted in the encoded form that a link contains",
                    most
                )
            }
            Range::Set(options) => {
                let slugs: Vec<_> = options.iter().map(|o| o.slug).collect();
                tr!("one or more of {slugs} separated by dots", slugs = slugs.join(", "))
            }
        }
    }
}

/// Splits the text of a [`Range::Set`] at dots, commas and spaces into the slugs of its options.
pub fn split_names(text: &str) -> impl Iterator<Item = &str> {
    text.split(['.', ',', ' ']).filter(|name| !name.is_empty())
}

/// Parses a whole number, also in the forms 1e5 and 100_000; `None` if the text is not one.
fn parse_whole_number(text: &str) -> Option<u64> {
    if let Ok(v) = text.replace('_', "").parse() {
        return Some(v);
    }
    let v: f64 = text.parse().ok()?;
    ((0.0..9e15).contains(&v) && v.fract() == 0.0).then_some(v as u64)
}

/// Struct of typed settings; implemented by [`settings!`](crate::settings!).
pub trait Settings: Default + Clone + PartialEq {
    /// Declarations of the settings, in the order of the form.
    const SETTINGS: &'static [SettingInfo];
    /// The struct's fields that hold the values of the settings, in the order of [`Settings::SETTINGS`].
    fn fields(&self) -> Vec<&dyn Field>;
    /// The struct's fields that hold the values of the settings, for changing them, in the order of
    /// [`Settings::SETTINGS`].
    fn fields_mut(&mut self) -> Vec<&mut dyn Field>;
    /// Value of the setting `key`; None if the struct has no such setting.
    fn value(&self, key: &str) -> Option<Value> {
        value_of_key(Self::SETTINGS, &self.fields(), key)
    }
    /// Sets the value of the setting `key`; `false` if the struct has no such setting.
    ///
    /// # Errors
    /// When the value is of the wrong kind or out of range; nothing is changed then.
    fn set(&mut self, key: &str, value: &Value) -> Result<bool, InvalidSetting> {
        set_by_key(Self::SETTINGS, &mut self.fields_mut(), key, value)
    }
}

/// Value of the setting `key`, where `fields` are the fields of `settings` in the same order; None if there is no such
/// setting.
pub fn value_of_key(settings: &[SettingInfo], fields: &[&dyn Field], key: &str) -> Option<Value> {
    let at = settings.iter().position(|setting| setting.key == key)?;
    Some(fields.get(at)?.to_value())
}

/// Sets the value of the setting `key`, where `fields` are the fields of `settings` in the same order; `false` if there
/// is no such setting.
///
/// # Errors
/// As [`Settings::set`].
pub fn set_by_key(
    settings: &[SettingInfo],
    fields: &mut [&mut dyn Field],
    key: &str,
    value: &Value,
) -> Result<bool, InvalidSetting> {
    let Some(at) = settings.iter().position(|setting| setting.key == key) else { return Ok(false) };
    settings[at].check(value)?;
    fields[at].take(value);
    Ok(true)
}

/// Conversion between the type of a struct's field and [`Value`].
///
/// # Why
/// Settings are read and written through this trait. Before, code was generated for reading and writing each field,
/// which was half of the page program's code for its 150 settings.
pub trait Field {
    /// Returns the value of the field as the value of a setting.
    fn to_value(&self) -> Value;
    /// Stores `value`, which the setting's declaration has already checked, in the field; does nothing if the value is
    /// of another kind.
    fn take(&mut self, value: &Value);
}

macro_rules! field {
    ($ty:ty, $variant:ident, $from:expr, $to:expr) => {
        impl Field for $ty {
            fn to_value(&self) -> Value {
                Value::$variant($to(self.clone()))
            }
            fn take(&mut self, value: &Value) {
                if let Value::$variant(v) = value {
                    *self = $from(v.clone());
                }
            }
        }
    };
}
field!(usize, Int, |v| v as usize, |v| v as u64);
field!(u64, Int, |v| v, |v| v);
field!(f64, Real, |v| v, |v| v);
field!(Vec<usize>, List, |v: Vec<u64>| v.iter().map(|i| *i as usize).collect(), |v: Vec<usize>| v
    .iter()
    .map(|i| *i as u64)
    .collect());
field!(Vec<(u64, f64)>, Schedule, |v| v, |v| v);
field!(Vec<[f64; 2]>, Points, |v| v, |v| v);
field!(String, Text, |v| v, |v| v);
field!(SweepAxis, Axis, |v| v, |v| v);
field!(Vec<SweepAxis>, Axes, |v| v, |v| v);

/// Index in `options` of the option that a [`Value::Choice`] names; None if it is not one of them.
pub fn option_index(options: &[ChoiceOption], value: &Value) -> Option<usize> {
    let Value::Choice(slug) = value else { return None };
    options.iter().position(|option| option.slug == slug)
}

/// Declares a struct whose fields are settings.
///
/// Each field states type, default, permalink key, label, range and, if it has one, its unit; `only when "key" =
/// "value" | "other"` names the values of another setting for which it has an effect. The doc comment's one sentence is
/// also the tooltip and the README text. Settings that several structs share are a struct of their own: `with field:
/// Type;` puts its settings at this place of the form.
///
/// `with parts { field: Type, … } in order KEYS` after the struct adds the settings of several structs; the list `KEYS`
/// gives the order of the settings by their keys, and settings that it lacks come last.
#[macro_export]
macro_rules! settings {
    ($(#[$meta:meta])* pub struct $name:ident {
        $(#[doc = $help:literal] $field:ident: $ty:ty = $default:expr, $key:literal, $label:literal, $range:expr $(, $unit:literal)? $(, only when $chooser:literal = $($chosen:literal)|+)?;)*
        $(
            with $group:ident: $of:ident;
            $(#[doc = $help2:literal] $field2:ident: $ty2:ty = $default2:expr, $key2:literal, $label2:literal, $range2:expr $(, $unit2:literal)?;)*
        )?
    }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq)]
        pub struct $name {
            $(#[doc = $help] pub $field: $ty,)*
            $(
                #[doc = concat!("[`", stringify!($of), "`].")]
                pub $group: $of,
                $(#[doc = $help2] pub $field2: $ty2,)*
            )?
        }
        impl Default for $name {
            /// The struct with every setting at its default value.
            fn default() -> Self {
                $name { $($field: $default,)* $($group: <$of>::default(), $($field2: $default2,)*)? }
            }
        }
        impl $crate::settings::Settings for $name {
            /// Declarations of the settings, in the order of the form.
            const SETTINGS: &'static [$crate::settings::SettingInfo] = {
                /// Declarations of the settings before the group of shared settings.
                const OWN: &[$crate::settings::SettingInfo] = &[$(
                    $crate::settings!(@info $key, $label, $help, $range, [$($unit)?], [$($chooser, [$($chosen),+])?])
                ),*];
                $crate::settings!(@settings OWN $(, $of, [$(
                    $crate::settings!(@info $key2, $label2, $help2, $range2, [$($unit2)?], [])
                ),*])?)
            };
            fn fields(&self) -> Vec<&dyn $crate::settings::Field> {
                $crate::settings!(
                    @fields vec![$(&self.$field),*] $(, $crate::settings::Settings::fields(&self.$group), vec![$(&self.$field2),*])?
                )
            }
            fn fields_mut(&mut self) -> Vec<&mut dyn $crate::settings::Field> {
                $crate::settings!(
                    @fields vec![$(&mut self.$field),*] $(, $crate::settings::Settings::fields_mut(&mut self.$group), vec![$(&mut self.$field2),*])?
                )
            }
        }
    };
    ($(#[$meta:meta])* pub struct $name:ident {
        $(#[doc = $help:literal] $field:ident: $ty:ty = $default:expr, $key:literal, $label:literal, $range:expr $(, $unit:literal)?;)*
    }
    with parts {
        $($(#[$part_meta:meta])* $part:ident: $of:ident,)+
    }
    in order $order:expr) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq)]
        pub struct $name {
            $(#[doc = $help] pub $field: $ty,)*
            $($(#[$part_meta])* pub $part: $of,)+
        }
        impl Default for $name {
            /// The struct with every setting at its default value.
            fn default() -> Self {
                $name { $($field: $default,)* $($part: <$of>::default(),)+ }
            }
        }
        impl $name {
            /// Declarations of the settings of the struct's own fields, and of those of each part.
            const PARTS: &'static [&'static [$crate::settings::SettingInfo]] = &[
                &[$($crate::settings!(@info $key, $label, $help, $range, [$($unit)?], [])),*],
                $(<$of as $crate::settings::Settings>::SETTINGS),+
            ];
            /// Number of settings, with those of the parts.
            const COUNT: usize = $crate::settings::count_settings(Self::PARTS);
            /// Order of the settings, as indices into the concatenated lists of `PARTS`.
            const ORDER: [usize; Self::COUNT] = $crate::settings::find_order(Self::PARTS, &$order);
        }
        impl $crate::settings::Settings for $name {
            /// Declarations of the settings, with those of the parts, in the order of links.
            const SETTINGS: &'static [$crate::settings::SettingInfo] = {
                /// Declarations of all settings, in the order of links.
                const ALL: [$crate::settings::SettingInfo; $name::COUNT] =
                    $crate::settings::order_settings($name::PARTS, &$name::ORDER);
                &ALL
            };
            fn fields(&self) -> Vec<&dyn $crate::settings::Field> {
                let all: Vec<&dyn $crate::settings::Field> = $crate::settings::concat_fields([
                    vec![$(&self.$field),*],
                    $($crate::settings::Settings::fields(&self.$part)),+
                ]);
                $crate::settings::order_fields(all, &Self::ORDER)
            }
            fn fields_mut(&mut self) -> Vec<&mut dyn $crate::settings::Field> {
                let all: Vec<&mut dyn $crate::settings::Field> = $crate::settings::concat_fields([
                    vec![$(&mut self.$field),*],
                    $($crate::settings::Settings::fields_mut(&mut self.$part)),+
                ]);
                $crate::settings::order_fields(all, &Self::ORDER)
            }
        }
    };
    (@info $key:expr, $label:expr, $help:expr, $range:expr, [$($unit:literal)?], [$($chooser:expr, [$($chosen:expr),+])?]) => {
        $crate::settings::SettingInfo {
            key: $key,
            label: $crate::language::shown($label),
            help: $crate::language::shown($help.trim_ascii()),
            unit: concat!($($unit)?),
            range: $range,
            condition: { let condition: &[(&str, &[&str])] = &[$(($chooser, &[$($chosen),+]))?]; condition.first().copied() },
        }
    };
    (@settings $own:ident) => { $own };
    (@settings $own:ident, $of:ident, [$($rest:tt)*]) => {{
        /// Declarations of the group of settings that several structs share.
        const GROUP: &[$crate::settings::SettingInfo] = <$of as $crate::settings::Settings>::SETTINGS;
        /// Declarations of the settings after the group.
        const REST: &[$crate::settings::SettingInfo] = &[$($rest)*];
        /// Declarations of all settings, in the order of the form.
        const ALL: [$crate::settings::SettingInfo; $own.len() + GROUP.len() + REST.len()] =
            $crate::settings::concat_settings(&[$own, GROUP, REST]);
        &ALL
    }};
    (@fields $own:expr) => { $own };
    (@fields $own:expr, $group:expr, $rest:expr) => { $crate::settings::concat_fields([$own, $group, $rest]) };
}

/// Formats a whole number with thousands separators: 19,600.
pub fn format_thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests;
