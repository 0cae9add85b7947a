//! A field of a form as data: its words, how it is entered, and how it stands. Views only render it.

use super::scale::Scale;
use vivarium_core::catalog::Entry;
use vivarium_core::language::translated;
use vivarium_core::settings::{Choice, Knob, Range, Value, real};

/// How a field is entered.
#[derive(Debug, Clone, PartialEq)]
pub enum Control {
    /// A box for the number, with a slider where one suits the range.
    Number(Option<Scale>),
    /// One of a few options: slug and label.
    Select(Vec<(&'static str, &'static str)>),
    /// Text with an example of what may stand there.
    Text(&'static str),
    /// Text of several lines, likewise.
    Lines(&'static str),
}

/// One field of the form.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Permanent key.
    pub key: &'static str,
    /// The field's term.
    pub label: &'static str,
    /// One sentence on what it is.
    pub help: String,
    /// What may stand there, in words.
    pub range: String,
    /// Unit, or "".
    pub unit: &'static str,
    /// How it is entered.
    pub control: Control,
}

impl Field {
    /// The field of a knob.
    pub fn of(knob: &Knob) -> Field {
        let control = match knob.range {
            Range::Int(..) | Range::Real(..) => Control::Number(Scale::of(knob)),
            Range::Choice(options) => Control::Select(pairs(options)),
            Range::List(..) => Control::Text("e.g. 2.7.15"),
            Range::Sizes(..) => Control::Text(tr!("e.g. 10.10.1")),
            Range::Numbers(..) => Control::Text(tr!("e.g. 0.1.1.0")),
            Range::Table(_) => Control::Lines(tr!("e.g. 0 1 2\n1 2 0\n2 0 1")),
            Range::Schedule(..) => Control::Text(tr!("e.g. 500:0.05")),
            Range::Points(..) => Control::Text(tr!("e.g. -1:0.5_0.3:2")),
            Range::Text(_) => Control::Lines(""),
            Range::Formula(_) => Control::Lines(tr!("e.g. (x1 ^ x2) & x3")),
            Range::Axis => Control::Text(tr!("e.g. n:10_20_40")),
            // No field of the page takes them.
            Range::Axes => Control::Text(""),
            Range::Set(_) => Control::Text(tr!("e.g. loss.accuracy")),
        };
        Field {
            key: knob.key,
            label: translated(knob.label),
            help: translated(knob.help).into(),
            range: range(knob),
            unit: translated(knob.unit),
            control,
        }
    }

    /// The field that chooses an entry of a catalog; it tells of the chosen one.
    pub fn entries(
        key: &'static str,
        label: &'static str,
        entries: &'static [Entry],
        chosen: &str,
        suits: impl Fn(&Entry) -> bool,
    ) -> Field {
        let about = entries.iter().find(|e| e.info.slug == chosen).map_or("", |e| translated(e.info.about));
        Field {
            key,
            label,
            help: about.into(),
            range: String::new(),
            unit: "",
            control: Control::Select(
                entries.iter().filter(|e| suits(e)).map(|e| (e.info.slug, translated(e.info.name))).collect(),
            ),
        }
    }
}

fn pairs(options: &'static [Choice]) -> Vec<(&'static str, &'static str)> {
    options.iter().map(|o| (o.slug, translated(o.label))).collect()
}

/// The range in words, for people: options are visible anyway, and numbers carry separators.
fn range(knob: &Knob) -> String {
    use crate::display::words::thousands;
    let unit = if knob.unit.is_empty() { String::new() } else { format!(" {}", translated(knob.unit)) };
    match knob.range {
        Range::Int(low, high) if high > 1_000_000_000_000 => tr!("A whole number, {low} or larger.", low),
        Range::Int(low, high) => {
            tr!("From {low} to {high}{unit}.", low = thousands(low), high = thousands(high), unit)
        }
        Range::Real(low, high) => {
            tr!("From {low} to {high}{unit}.", low = real(low), high = real(high), unit)
        }
        Range::Choice(_) => String::new(),
        Range::List(..) => tr!("Different whole numbers separated by dots, or an empty field.").into(),
        Range::Sizes(low, high, most) => {
            tr!(
                "One to {most} numbers from {low} to {high}{unit}, separated by dots.",
                most,
                low,
                high = thousands(high),
                unit
            )
        }
        Range::Numbers(low, high, most) => {
            tr!(
                "At most {most} numbers from {low} to {high}{unit}, separated by dots.",
                most,
                low,
                high = thousands(high),
                unit
            )
        }
        Range::Table(most) => tr!("A square table of at most {most} rows: numbers, or names.", most),
        Range::Schedule(..) => {
            tr!("Steps in increasing order, each with a value, like 500:0.1_900:0.02.").into()
        }
        Range::Points(_, most) => {
            tr!("At most {most} points, each written x:y and separated by _, like -1:0.5_0.3:2.", most)
        }
        Range::Text(most) | Range::Formula(most) => {
            tr!(
                "At most {most} characters, counted in the encoded form that a link contains.",
                most = thousands(most as u64)
            )
        }
        Range::Axis => tr!("A setting's key and its values, like n:10_20_40, or an empty field.").into(),
        Range::Axes | Range::Set(_) => format!("{}.", crate::display::words::capital(&knob.expected())),
    }
}

/// Key of the speed limit, whose slider stands in the transport bar.
pub const SPEED_KEY: &str = "speed";

/// How a field stands on the page now.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FieldState {
    /// What it holds as text: what was entered, even if it was not taken.
    pub text: String,
    /// The value that counts.
    pub value: Option<Value>,
    /// What would have been right, where it holds something that is not taken.
    pub expected: Option<String>,
    /// Whether it holds its default, or has none.
    pub is_default: bool,
    /// Whether a sweep sets it.
    pub is_swept: bool,
    /// Whether it has no effect beside the values of the others.
    pub is_idle: bool,
    /// Whether the link keeps it as it is.
    pub is_locked: bool,
    /// Whether the link hides it.
    pub is_hidden: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_model::run::RunSpec;

    #[test]
    fn ranges_are_said_in_words() {
        let spec = RunSpec::default();
        let text = |key: &str| range(spec.knob(key).unwrap());
        assert_eq!(text("width"), "From 1 to 16,384 neurons.");
        assert_eq!(text("noise"), "From 0 to 0.5.");
        assert_eq!(text("seed"), "A whole number, 0 or larger.");
    }
}
