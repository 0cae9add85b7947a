//! Formatting of numbers, settings and lists in sentences.

use vivarium_core::language::translated;
use vivarium_core::settings::{Range, Value, line};
use vivarium_model::models::Model;
use vivarium_model::optim::Optimizer;
use vivarium_model::run::{MODEL_KEY, OPTIMIZER_KEY, RunSpec};

pub use vivarium_core::settings::format_thousands;

/// Formats a fraction as a percentage with one decimal, rounded towards zero: "98.4 %"; a dash for NaN.
pub fn format_percent(share: f32) -> String {
    if share.is_nan() {
        return MISSING.into();
    }
    // Rounded down, so that 99.96 % is not shown as 100 %.
    let tenths = (f64::from(share.abs()) * 1000.0 + 1e-4).floor() as u64;
    let sign = if share < 0.0 && tenths > 0 { "−" } else { "" };
    format!("{sign}{}.{} %", tenths / 10, tenths % 10)
}

/// Formats a probability as a percentage with one decimal, rounded to nearest so that a row adds up to about 100: "13.6
/// %".
///
/// [`format_percent`] is for results, which are never rounded up to a hundred.
pub fn format_probability(p: f64) -> String {
    if p.is_finite() { format!("{:.1} %", 100.0 * p) } else { MISSING.into() }
}

/// Placeholder (an en dash) for a number that is not known yet, such as a loss before the first measurement.
pub const MISSING: &str = "–";

/// Formats a number with three decimals, from 1000 on without decimals; in words ("under 0.001", "over a million") if
/// its absolute value is below 0.0005 or at least a million; a dash for NaN.
pub fn format_decimal(value: f32) -> String {
    if value.is_nan() {
        MISSING.into()
    } else if value <= -1e6 {
        tr!("below minus a million").into()
    } else if value >= 1e6 {
        tr!("over a million").into()
    } else if value.abs() >= 1000.0 {
        let sign = if value < 0.0 { "−" } else { "" };
        format!("{sign}{}", format_thousands(value.abs() as u64))
    } else if value != 0.0 && value.abs() < 0.0005 {
        tr!("under 0.001").into()
    } else {
        let thousandths = (f64::from(value).abs() * 1000.0).round() as u64;
        let sign = if value < 0.0 { "−" } else { "" };
        format!("{sign}{}.{:03}", thousandths / 1000, thousandths % 1000)
    }
}

/// A number with its sign and `decimals` decimals: "+0.83", "−1"; zero has no sign.
pub fn format_signed(value: f32, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.abs());
    match text.bytes().all(|byte| matches!(byte, b'0' | b'.')) {
        true => text,
        false if value < 0.0 => format!("−{text}"),
        false => format!("+{text}"),
    }
}

/// Formats a number with three significant digits, as text for the page.
pub fn format_significant(value: f64) -> String {
    if !value.is_finite() {
        return MISSING.into();
    }
    if value != 0.0 && value.abs() < 1e-3 {
        return format!("{value:.2e}").replace('-', "−");
    }
    let places = 2 - libm::floor(libm::log10(value.abs().max(1e-3))) as i32;
    format!("{value:.0$}", places.max(0) as usize).replace('-', "−")
}

/// Formats a training speed in steps per second with three significant digits: "5,230 steps/s".
pub fn format_rate(steps_per_s: f64) -> String {
    match format_rate_number(steps_per_s) {
        Some(number) => tr!("{number} steps/s", number),
        None => MISSING.into(),
    }
}

/// Formats a training speed in steps per second without the unit: with one decimal below 10, else with at most three
/// significant digits; `None` if the speed is not positive or not finite.
pub fn format_rate_number(steps_per_s: f64) -> Option<String> {
    if !steps_per_s.is_finite() || steps_per_s <= 0.0 {
        return None;
    }
    if steps_per_s < 10.0 {
        let tenths = (steps_per_s * 10.0).round() as u64;
        return Some(format!("{}.{}", tenths / 10, tenths % 10));
    }
    let mut grain = 1.0;
    while steps_per_s / grain >= 1000.0 {
        grain *= 10.0;
    }
    Some(format_thousands(((steps_per_s / grain).round() * grain) as u64))
}

/// Formats the speed limit `limit`, in training steps per second; 0 means no limit and gives "as fast as possible".
pub fn format_speed_limit(limit: u64) -> String {
    match limit {
        0 => tr!("as fast as possible").into(),
        limit => tr!("{number} steps/s", number = format_thousands(limit)),
    }
}

/// Joins items into a list: "4", "4 and 11", "4, 11 and 17".
pub fn join_list(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [rest @ .., last] => tr!("{items} and {last}", items = rest.join(", "), last),
    }
}

/// Label of a setting in the form, in the reader's language.
pub fn setting_label(spec: &RunSpec, key: &str) -> String {
    match key {
        MODEL_KEY => tr!("Model").into(),
        OPTIMIZER_KEY => tr!("Optimizer").into(),
        _ => translated(english_label(spec, key)).into(),
    }
}

/// English label of the setting `key`; the key itself if the run has no such setting.
fn english_label<'a>(spec: &RunSpec, key: &'a str) -> &'a str {
    spec.setting(key).map_or(key, |setting| setting.label)
}

/// Symbol of a setting in formulas, such as "η", taken from the end of its label; the label in small letters if it has
/// no symbol.
pub fn setting_symbol(spec: &RunSpec, key: &str) -> String {
    let words: Vec<&str> = english_label(spec, key).split(' ').collect();
    match words.as_slice() {
        [.., before, symbol] if *before != "of" && symbol.chars().count() == 1 => symbol.to_string(),
        _ => uncapitalize(&setting_label(spec, key)),
    }
}

/// Formats a setting and a value given as link text: "λ = 0.003".
pub fn format_setting(spec: &RunSpec, key: &str, text: &str) -> String {
    format!("{} = {}", setting_symbol(spec, key), format_setting_value(spec, key, text))
}

/// Formats a value given as link text, without the setting's name: "10,000"; the lines of a longer text are separated by
/// semicolons.
pub fn format_setting_value(spec: &RunSpec, key: &str, text: &str) -> String {
    if let Some(Range::Text(_)) = spec.setting(key).map(|setting| setting.range) {
        return line::decode(text).replace('\n', "; ");
    }
    let number = text.parse().ok().filter(|_| key != "seed").map(format_thousands);
    number.unwrap_or_else(|| option_label(spec, key, text))
}

/// Label of the option with the slug `text` of a setting; a text that is no option's slug is returned unchanged.
pub fn option_label(spec: &RunSpec, key: &str, text: &str) -> String {
    let entries = match key {
        MODEL_KEY => Model::ENTRIES,
        OPTIMIZER_KEY => Optimizer::ENTRIES,
        _ => &[],
    };
    if let Some(entry) = entries.iter().find(|entry| entry.info.slug == text) {
        return translated(entry.info.name).into();
    }
    let label = match spec.setting(key).map(|setting| setting.range) {
        Some(Range::Choice(options)) => options.iter().find(|o| o.slug == text).map(|o| o.label),
        _ => None,
    };
    translated(label.unwrap_or(text)).into()
}

/// Makes the first letter of the text a capital and leaves the other letters as they are.
pub fn capitalize(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// Names of people with which labels begin; [`uncapitalize`] leaves their capital letter.
const PROPER_NAMES: [&str; 4] = ["Collatz", "Fourier", "Gaussian", "Nesterov"];

/// Makes the first letter small, unless the first word has capitals for another reason: "Weight of N(2, I)" becomes
/// "weight of N(2, I)"; "MLP size", "ReLU" and "Gaussian, variance 2/n" stay.
pub fn uncapitalize(text: &str) -> String {
    let mut letters = text.chars();
    let Some(first) = letters.next() else { return String::new() };
    let rest = letters.as_str();
    let word = rest.split(|letter: char| !letter.is_alphabetic()).next().unwrap_or("");
    let is_name = PROPER_NAMES.iter().any(|name| text.starts_with(name));
    match !is_name && !word.is_empty() && word.chars().all(char::is_lowercase) {
        true => first.to_lowercase().chain(rest.chars()).collect(),
        false => text.into(),
    }
}

/// Nouns that [`format_count`] is called with, listed so that their plurals are translated; the nouns of models are
/// listed by the models.
pub const COUNTED_NOUNS: [&str; 9] =
    ["step", "run", "kept run", "network", "seed", "input bit", "column", "symbol", "one"];

/// Formats a number with a noun: "1 neuron", "64 neurons".
pub fn format_count(number: usize, noun: &str) -> String {
    let many = format!("{noun}s");
    let noun = translated(if number == 1 { noun } else { &many });
    tr!("{number} {noun}", number = format_thousands(number as u64), noun)
}

/// Formats the value that the setting `key` has in a run: options by their label, whole numbers with thousands
/// separators.
pub fn format_value(spec: &RunSpec, key: &str) -> String {
    match spec.value(key) {
        None => MISSING.into(),
        Some(Value::Int(v)) if key != "seed" => format_thousands(v),
        Some(Value::Choice(slug)) => match key {
            MODEL_KEY => translated(spec.model.info().name).into(),
            OPTIMIZER_KEY => translated(spec.optimizer.info().name).into(),
            _ => option_label(spec, key, &slug),
        },
        Some(Value::List(v)) if v.is_empty() => tr!("nothing").into(),
        Some(Value::Schedule(v)) if v.is_empty() => tr!("nothing").into(),
        Some(Value::Points(v)) if v.is_empty() => tr!("nothing").into(),
        Some(Value::Text(v) | Value::Formula(v)) if v.is_empty() => tr!("nothing").into(),
        Some(Value::Text(v)) => v.replace('\n', "; "),
        Some(Value::Formula(v)) => v,
        Some(Value::Axis(v)) if v.is_empty() => tr!("nothing").into(),
        Some(Value::Axes(v)) if v.is_empty() => tr!("nothing").into(),
        Some(other) => other.to_string(),
    }
}

/// Describes the change between two runs: "Width changed from 64 to 100", or with several settings "Width and Seed
/// changed".
pub fn describe_changes(before: &RunSpec, after: &RunSpec) -> String {
    let keys: Vec<String> = after.list_differences(before).into_iter().map(|(key, ..)| key).collect();
    // Another optimizer has other settings; its name suffices.
    for key in [MODEL_KEY, OPTIMIZER_KEY] {
        if keys.iter().any(|k| k == key) {
            let (from, to) = (format_value(before, key), format_value(after, key));
            return tr!(
                "{setting} changed from {from} to {to}",
                setting = setting_label(after, key),
                from,
                to
            );
        }
    }
    match keys.as_slice() {
        [] => tr!("nothing changed").into(),
        [key] => {
            tr!(
                "{setting} changed from {from} to {to}",
                setting = setting_label(after, key),
                from = format_value(before, key),
                to = format_value(after, key)
            )
        }
        keys => tr!(
            "{settings} changed",
            settings = join_list(&keys.iter().map(|k| setting_label(after, k)).collect::<Vec<_>>())
        ),
    }
}

/// Lists at most three settings in which `to` differs from `from`: "η 0.001 → 0.0003"; for another task only the task's
/// name.
pub fn describe_difference(from: &RunSpec, to: &RunSpec) -> String {
    let task = to.task.info();
    if task.slug != from.task.info().slug {
        return tr!("another task: {task}", task = translated(task.name));
    }
    let all = to.list_differences(from);
    let some = all.iter().take(3).map(|(key, a, b)| {
        let symbol = setting_symbol(to, key);
        let given =
            |text: &String| if text.is_empty() { MISSING.to_string() } else { option_label(to, key, text) };
        format!("{symbol} {} → {}", given(a), given(b))
    });
    match all.len() {
        0 => tr!("the same settings").into(),
        many => some.collect::<Vec<_>>().join(", ") + if many > 3 { ", …" } else { "" },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_never_flatter() {
        assert_eq!([0, 999, 1000, 1_234_567].map(format_thousands), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([0.5, 0.9999, 1.0, 0.129].map(format_percent), ["50.0 %", "99.9 %", "100.0 %", "12.9 %"]);
        assert_eq!(
            [0.98123, -0.25, 0.0, 1e-7].map(format_decimal),
            ["0.981", "−0.250", "0.000", "under 0.001"]
        );
        assert_eq!(format_decimal(f32::NAN), MISSING);
        assert_eq!(
            [f32::INFINITY, -2e6, -1234.5, 1234.5].map(format_decimal),
            ["over a million", "below minus a million", "−1,234", "1,234"]
        );
        assert_eq!(
            [0.1365, 0.135, 0.9999, 0.0].map(format_probability),
            ["13.7 %", "13.5 %", "100.0 %", "0.0 %"]
        );
        assert_eq!([3.26, 400.0, 5234.0].map(format_rate), ["3.3 steps/s", "400 steps/s", "5,230 steps/s"]);
        assert_eq!(format_rate(0.0), MISSING);
    }

    #[test]
    fn changes_are_stated_in_the_forms_words() {
        let before = RunSpec::default();
        let mut after = before.clone();
        after.parse("width", "64").unwrap();
        assert_eq!(describe_changes(&before, &after), "Width changed from 100 to 64");
        after.parse("batch", "1000").unwrap();
        assert_eq!(describe_changes(&before, &after), "Width and Batch size B changed");
        let mut adam = before.clone();
        adam.parse("opt", "adam").unwrap();
        assert_eq!(describe_changes(&before, &adam), "Optimizer changed from SGD to Adam / AdamW");
        let mut square = before.clone();
        square.parse("loss", "square").unwrap();
        assert_eq!(describe_changes(&before, &square), "Loss changed from Hinge to Square");
    }

    #[test]
    fn differences_are_stated_as_arrows() {
        let before = RunSpec::default();
        let mut after = before.clone();
        assert_eq!(describe_difference(&before, &after), "the same settings");
        after.parse("lr", "0.0003").unwrap();
        assert_eq!(describe_difference(&before, &after), "η 0.1 → 0.0003");
        [("width", "64"), ("n", "20"), ("k", "2")]
            .iter()
            .for_each(|(key, text)| after.parse(key, text).unwrap());
        assert!(
            describe_difference(&before, &after).ends_with(", …"),
            "{}",
            describe_difference(&before, &after)
        );
    }

    /// `k` is the number of relevant bits in one task and the number of symbols in another.
    #[test]
    fn a_run_of_another_task_differs_by_its_task_alone() {
        let parity = RunSpec::default();
        for (lab, expected) in [
            ("markov", "another task: Markov chains in context"),
            ("groups", "another task: Modular addition and finite groups"),
        ] {
            let mut other = RunSpec::default_of_lab(lab).unwrap();
            assert_eq!(describe_difference(&parity, &other), expected);
            assert_eq!(describe_difference(&other, &parity), "another task: Sparse parity");
            let usual = other.clone();
            other.parse("seed", "7").unwrap();
            assert!(
                describe_difference(&usual, &other).ends_with(" → 7"),
                "{}",
                describe_difference(&usual, &other)
            );
        }
    }

    #[test]
    fn lists_read_like_sentences() {
        let items: Vec<String> = ["4", "11", "17"].map(String::from).to_vec();
        assert_eq!(join_list(&items), "4, 11 and 17");
        assert_eq!(join_list(&items[..2]), "4 and 11");
        assert_eq!(join_list(&items[..1]), "4");
    }

    /// Names of distributions and abbreviations keep their capitals.
    #[test]
    fn only_a_first_letter_becomes_small() {
        for (text, expected) in [
            ("Width", "width"),
            ("Weight of N(2, I) in the test", "weight of N(2, I) in the test"),
            ("Positions of S", "positions of S"),
            ("Query-key matrix", "query-key matrix"),
            ("MLP size", "MLP size"),
            ("ReLU", "ReLU"),
            ("Gaussian, variance 2/n", "Gaussian, variance 2/n"),
            ("R² at the end", "R² at the end"),
            ("K bits", "K bits"),
            ("", ""),
            ("Ω", "Ω"),
        ] {
            assert_eq!(uncapitalize(text), expected);
        }
        let mut spec = RunSpec::default_of_lab("in-context-learning").unwrap();
        spec.parse("dist", "mixture").unwrap();
        assert_eq!(format_setting(&spec, "tw2", "0.5"), "weight of N(2, I) in the test = 0.5");
    }

    #[test]
    fn texts_are_shown_as_they_were_typed() {
        let spec = vivarium_model::permalink::decode("#v1/markov?model=own").0.spec;
        assert_eq!(format_setting_value(&spec, "net", "embed~64;read~last"), "embed 64; read last");
    }

    #[test]
    fn settings_go_by_their_symbols() {
        let spec = RunSpec::default();
        let symbols = ["n", "wd", "width", "degree", "batch", "model"].map(|key| setting_symbol(&spec, key));
        assert_eq!(symbols, ["n", "λ", "width", "degree of σ", "B", "model"]);
        assert_eq!(format_setting(&spec, "wd", "0.003"), "λ = 0.003");
        assert_eq!(format_setting(&spec, "loss", "ce"), "loss = Cross-entropy");
        assert_eq!(format_setting(&spec, "width", "1000"), "width = 1,000");
        assert_eq!(
            [0, 1, 1000].map(|many| format_count(many, "neuron")),
            ["0 neurons", "1 neuron", "1,000 neurons"]
        );
    }
}
