//! A field of a form as data: its words, how it is entered, and how it stands. Views only render it.

use super::scale::SliderScale;
use vivarium_core::catalog::CatalogEntry;
use vivarium_core::language::translated;
use vivarium_core::settings::{ChoiceOption, Range, SettingInfo, Value, format_real};

/// Input element of a form field.
#[derive(Debug, Clone, PartialEq)]
pub enum Control {
    /// Number box, with a slider if one suits the range.
    Number(Option<SliderScale>),
    /// Selection from options, each as slug and label.
    Select(Vec<(&'static str, &'static str)>),
    /// One-line text box with an example value.
    Text(&'static str),
    /// Multi-line text box with an example value.
    Lines(&'static str),
}

/// A field of the settings form.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Permanent key of the field's setting, as in links.
    pub key: &'static str,
    /// Label of the field, in the reader's language.
    pub label: &'static str,
    /// Help text of the field in one sentence.
    pub help: String,
    /// Description of the valid values in words; empty for options, which are visible.
    pub range: String,
    /// Unit of the setting's value, such as "steps"; an empty text if there is none.
    pub unit: &'static str,
    /// Kind of input element of the field.
    pub control: Control,
}

impl Field {
    /// The form field of a setting: label, help, range and input element.
    pub fn of(setting: &SettingInfo) -> Field {
        let control = match setting.range {
            Range::Int(..) | Range::Real(..) => Control::Number(SliderScale::of(setting)),
            Range::Choice(options) => Control::Select(option_pairs(options)),
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
            key: setting.key,
            label: translated(setting.label),
            help: translated(setting.help).into(),
            range: describe_range(setting),
            unit: translated(setting.unit),
            control,
        }
    }

    /// A selection among the catalog entries (such as models) that satisfy `suits`; the help text describes the entry
    /// with the slug `chosen`.
    pub fn of_catalog(
        key: &'static str,
        label: &'static str,
        entries: &'static [CatalogEntry],
        chosen: &str,
        suits: impl Fn(&CatalogEntry) -> bool,
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

/// Options of a selection as pairs (slug, label in the reader's language).
fn option_pairs(options: &'static [ChoiceOption]) -> Vec<(&'static str, &'static str)> {
    options.iter().map(|o| (o.slug, translated(o.label))).collect()
}

/// Describes the valid values of a setting in words; empty for options, which are visible.
fn describe_range(setting: &SettingInfo) -> String {
    use crate::display::words::format_thousands;
    let unit = if setting.unit.is_empty() { String::new() } else { format!(" {}", translated(setting.unit)) };
    match setting.range {
        Range::Int(low, high) if high > 1_000_000_000_000 => tr!("A whole number, {low} or larger.", low),
        Range::Int(low, high) => {
            tr!(
                "From {low} to {high}{unit}.",
                low = format_thousands(low),
                high = format_thousands(high),
                unit
            )
        }
        Range::Real(low, high) => {
            tr!("From {low} to {high}{unit}.", low = format_real(low), high = format_real(high), unit)
        }
        Range::Choice(_) => String::new(),
        Range::List(..) => tr!("Different whole numbers separated by dots, or an empty field.").into(),
        Range::Sizes(low, high, most) => {
            tr!(
                "One to {most} numbers from {low} to {high}{unit}, separated by dots.",
                most,
                low,
                high = format_thousands(high),
                unit
            )
        }
        Range::Numbers(low, high, most) => {
            tr!(
                "At most {most} numbers from {low} to {high}{unit}, separated by dots.",
                most,
                low,
                high = format_thousands(high),
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
                most = format_thousands(most as u64)
            )
        }
        Range::Axis => tr!("A setting's key and its values, like n:10_20_40, or an empty field.").into(),
        Range::Axes | Range::Set(_) => {
            format!("{}.", crate::display::words::capitalize(&setting.describe_expected()))
        }
    }
}

/// Key of the setting that limits the training speed, whose slider is in the bar with the Play button.
pub const SPEED_KEY: &str = "speed";

/// State of a form field on the page: its text, the valid value, and the error.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FieldState {
    /// Text in the form field, even if it is no valid value.
    pub text: String,
    /// Valid value of the setting that is in effect; `None` if the run lacks the setting.
    pub value: Option<Value>,
    /// Description of a valid value, if the text is invalid; else `None`.
    pub expected: Option<String>,
    /// Whether the value is the default, or there is no default.
    pub is_default: bool,
    /// Whether a sweep varies the setting.
    pub is_swept: bool,
    /// Whether the setting has no effect with the present values of the others.
    pub is_idle: bool,
    /// Whether the link locks the field.
    pub is_locked: bool,
    /// Whether the link hides the field.
    pub is_hidden: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_model::run::RunSpec;

    #[test]
    fn ranges_are_stated_in_words() {
        let spec = RunSpec::default();
        let text = |key: &str| describe_range(spec.setting(key).unwrap());
        assert_eq!(text("width"), "From 1 to 16,384 neurons.");
        assert_eq!(text("noise"), "From 0 to 0.5.");
        assert_eq!(text("seed"), "A whole number, 0 or larger.");
    }
}
