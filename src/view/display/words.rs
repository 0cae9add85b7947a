//! Numbers and sentences as a person reads them.

use vivarium_core::language::translated;
use vivarium_core::settings::{Range, Value};
use vivarium_model::models::Model;
use vivarium_model::optim::Optimizer;
use vivarium_model::run::{MODEL_KEY, OPTIMIZER_KEY, RunSpec};

pub use vivarium_core::settings::thousands;

/// A share as a percentage with one decimal: "98.4 %".
pub fn percent(share: f32) -> String {
    if share.is_nan() {
        return MISSING.into();
    }
    // Never rounded up to a hundred: that would claim more than was measured.
    let tenths = (f64::from(share.abs()) * 1000.0 + 1e-4).floor() as u64;
    let sign = if share < 0.0 && tenths > 0 { "−" } else { "" };
    format!("{sign}{}.{} %", tenths / 10, tenths % 10)
}

/// A probability as a percentage, rounded to one decimal, so that the entries of a row add up to about 100: "13.6 %".
///
/// [`percent`] is for results, which are never rounded up to a hundred.
pub fn probability(p: f64) -> String {
    if p.is_finite() { format!("{:.1} %", 100.0 * p) } else { MISSING.into() }
}

/// What stands where there is no number yet.
pub const MISSING: &str = "–";

/// A number with three decimals, or fewer where they would say nothing.
pub fn decimal(value: f32) -> String {
    if value.is_nan() {
        MISSING.into()
    } else if value <= -1e6 {
        tr!("below minus a million").into()
    } else if value >= 1e6 {
        tr!("over a million").into()
    } else if value.abs() >= 1000.0 {
        let sign = if value < 0.0 { "−" } else { "" };
        format!("{sign}{}", thousands(value.abs() as u64))
    } else if value != 0.0 && value.abs() < 0.0005 {
        tr!("under 0.001").into()
    } else {
        let thousandths = (f64::from(value).abs() * 1000.0).round() as u64;
        let sign = if value < 0.0 { "−" } else { "" };
        format!("{sign}{}.{:03}", thousandths / 1000, thousandths % 1000)
    }
}

/// A number with three significant digits, however small.
pub fn significant(value: f64) -> String {
    if !value.is_finite() {
        return MISSING.into();
    }
    if value != 0.0 && value.abs() < 1e-3 {
        return format!("{value:.2e}").replace('-', "−");
    }
    let places = 2 - libm::floor(libm::log10(value.abs().max(1e-3))) as i32;
    format!("{value:.0$}", places.max(0) as usize).replace('-', "−")
}

/// Steps per second, with three significant digits: "5,230 steps/s".
pub fn rate(steps_per_s: f64) -> String {
    match bare_rate(steps_per_s) {
        Some(number) => tr!("{number} steps/s", number),
        None => MISSING.into(),
    }
}

/// The same without its unit; none where there is no rate.
pub fn bare_rate(steps_per_s: f64) -> Option<String> {
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
    Some(thousands(((steps_per_s / grain).round() * grain) as u64))
}

/// The speed limit in words.
pub fn speed(limit: u64) -> String {
    match limit {
        0 => tr!("as fast as possible").into(),
        limit => tr!("{number} steps/s", number = thousands(limit)),
    }
}

/// "4", "4 and 11", "4, 11 and 17".
pub fn list(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [rest @ .., last] => tr!("{items} and {last}", items = rest.join(", "), last),
    }
}

/// What a key is called in the form.
pub fn label(spec: &RunSpec, key: &str) -> String {
    match key {
        MODEL_KEY => tr!("Model").into(),
        OPTIMIZER_KEY => tr!("Optimizer").into(),
        _ => translated(english(spec, key)).into(),
    }
}

fn english<'a>(spec: &RunSpec, key: &'a str) -> &'a str {
    spec.knob(key).map_or(key, |knob| knob.label)
}

/// What formulas call a setting: the symbol at the end of its label, or else the label.
pub fn symbol(spec: &RunSpec, key: &str) -> String {
    let words: Vec<&str> = english(spec, key).split(' ').collect();
    match words.as_slice() {
        [.., before, symbol] if *before != "of" && symbol.chars().count() == 1 => symbol.to_string(),
        _ => small(&label(spec, key)),
    }
}

/// "λ = 0.003": a setting with a value as it stands in a link.
pub fn setting(spec: &RunSpec, key: &str, text: &str) -> String {
    format!("{} = {}", symbol(spec, key), setting_value(spec, key, text))
}

/// "10,000": a value of a setting as it stands in a link, without the setting's name.
pub fn setting_value(spec: &RunSpec, key: &str, text: &str) -> String {
    let number = text.parse().ok().filter(|_| key != "seed").map(thousands);
    number.unwrap_or_else(|| option(spec, key, text))
}

/// The label of an option of the setting behind `key`; other text as it is.
pub fn option(spec: &RunSpec, key: &str, text: &str) -> String {
    let entries = match key {
        MODEL_KEY => Model::ENTRIES,
        OPTIMIZER_KEY => Optimizer::ENTRIES,
        _ => &[],
    };
    if let Some(entry) = entries.iter().find(|entry| entry.info.slug == text) {
        return translated(entry.info.name).into();
    }
    let label = match spec.knob(key).map(|knob| knob.range) {
        Some(Range::Choice(options)) => options.iter().find(|o| o.slug == text).map(|o| o.label),
        _ => None,
    };
    translated(label.unwrap_or(text)).into()
}

/// The text with a capital letter at its beginning.
pub fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// The text with a small letter at its beginning, unless its first word has capitals for another reason: "Weight of N(2, I)"
/// becomes "weight of N(2, I)", and "MLP size" and "ReLU" stay.
pub fn small(text: &str) -> String {
    let mut letters = text.chars();
    let Some(first) = letters.next() else { return String::new() };
    let rest = letters.as_str();
    let word = rest.split(|letter: char| !letter.is_alphabetic()).next().unwrap_or("");
    match !word.is_empty() && word.chars().all(char::is_lowercase) {
        true => first.to_lowercase().chain(rest.chars()).collect(),
        false => text.into(),
    }
}

/// Nouns that are counted, besides those of models.
pub const NOUNS: [&str; 9] =
    ["step", "run", "kept run", "network", "seed", "input bit", "column", "symbol", "one"];

/// "1 neuron", "64 neurons".
pub fn count(number: usize, noun: &str) -> String {
    let many = format!("{noun}s");
    let noun = translated(if number == 1 { noun } else { &many });
    tr!("{number} {noun}", number = thousands(number as u64), noun)
}

/// A value as a person reads it: options by their label, whole numbers with separators.
pub fn value(spec: &RunSpec, key: &str) -> String {
    match spec.value(key) {
        None => MISSING.into(),
        Some(Value::Int(v)) if key != "seed" => thousands(v),
        Some(Value::Choice(slug)) => match key {
            MODEL_KEY => translated(spec.model.info().name).into(),
            OPTIMIZER_KEY => translated(spec.optimizer.info().name).into(),
            _ => option(spec, key, &slug),
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

/// "Width changed from 64 to 100", or with several settings "Width and Seed changed".
pub fn changes(before: &RunSpec, after: &RunSpec) -> String {
    let keys: Vec<String> = after.differences(before).into_iter().map(|(key, ..)| key).collect();
    // Another optimizer brings other knobs; its name says it all.
    for key in [MODEL_KEY, OPTIMIZER_KEY] {
        if keys.iter().any(|k| k == key) {
            let (from, to) = (value(before, key), value(after, key));
            return tr!("{setting} changed from {from} to {to}", setting = label(after, key), from, to);
        }
    }
    match keys.as_slice() {
        [] => tr!("nothing changed").into(),
        [key] => {
            tr!(
                "{setting} changed from {from} to {to}",
                setting = label(after, key),
                from = value(before, key),
                to = value(after, key)
            )
        }
        keys => tr!(
            "{settings} changed",
            settings = list(&keys.iter().map(|k| label(after, k)).collect::<Vec<_>>())
        ),
    }
}

/// "η 0.001 → 0.0003": in what settings `to` differs from `from`, at most three of them; of a run of another task its
/// task alone, since settings of two tasks share keys and mean different things.
pub fn difference(from: &RunSpec, to: &RunSpec) -> String {
    let task = to.task.info();
    if task.slug != from.task.info().slug {
        return tr!("another task: {task}", task = translated(task.name));
    }
    let all = to.differences(from);
    let some = all.iter().take(3).map(|(key, a, b)| {
        let symbol = symbol(to, key);
        let given = |text: &String| if text.is_empty() { MISSING.to_string() } else { option(to, key, text) };
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
        assert_eq!([0, 999, 1000, 1_234_567].map(thousands), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([0.5, 0.9999, 1.0, 0.129].map(percent), ["50.0 %", "99.9 %", "100.0 %", "12.9 %"]);
        assert_eq!([0.98123, -0.25, 0.0, 1e-7].map(decimal), ["0.981", "−0.250", "0.000", "under 0.001"]);
        assert_eq!(decimal(f32::NAN), MISSING);
        assert_eq!(
            [f32::INFINITY, -2e6, -1234.5, 1234.5].map(decimal),
            ["over a million", "below minus a million", "−1,234", "1,234"]
        );
        assert_eq!([0.1365, 0.135, 0.9999, 0.0].map(probability), ["13.7 %", "13.5 %", "100.0 %", "0.0 %"]);
        assert_eq!([3.26, 400.0, 5234.0].map(rate), ["3.3 steps/s", "400 steps/s", "5,230 steps/s"]);
        assert_eq!(rate(0.0), MISSING);
    }

    #[test]
    fn changes_are_told_in_the_forms_words() {
        let before = RunSpec::default();
        let mut after = before.clone();
        after.parse("width", "64").unwrap();
        assert_eq!(changes(&before, &after), "Width changed from 100 to 64");
        after.parse("batch", "1000").unwrap();
        assert_eq!(changes(&before, &after), "Width and Batch size B changed");
        let mut adam = before.clone();
        adam.parse("opt", "adam").unwrap();
        assert_eq!(changes(&before, &adam), "Optimizer changed from SGD to Adam / AdamW");
        let mut square = before.clone();
        square.parse("loss", "square").unwrap();
        assert_eq!(changes(&before, &square), "Loss changed from Hinge to Square");
    }

    #[test]
    fn differences_are_told_as_arrows() {
        let before = RunSpec::default();
        let mut after = before.clone();
        assert_eq!(difference(&before, &after), "the same settings");
        after.parse("lr", "0.0003").unwrap();
        assert_eq!(difference(&before, &after), "η 0.1 → 0.0003");
        [("width", "64"), ("n", "20"), ("k", "2")]
            .iter()
            .for_each(|(key, text)| after.parse(key, text).unwrap());
        assert!(difference(&before, &after).ends_with(", …"), "{}", difference(&before, &after));
    }

    /// `k` is the number of relevant bits in one task and the number of symbols in another.
    #[test]
    fn a_run_of_another_task_differs_by_its_task_alone() {
        let parity = RunSpec::default();
        for (lab, expected) in [
            ("markov", "another task: Markov chains in context"),
            ("groups", "another task: Modular addition and finite groups"),
        ] {
            let mut other = RunSpec::of_lab(lab).unwrap();
            assert_eq!(difference(&parity, &other), expected);
            assert_eq!(difference(&other, &parity), "another task: Sparse parity");
            let usual = other.clone();
            other.parse("seed", "7").unwrap();
            assert!(difference(&usual, &other).ends_with(" → 7"), "{}", difference(&usual, &other));
        }
    }

    #[test]
    fn lists_read_like_sentences() {
        let items: Vec<String> = ["4", "11", "17"].map(String::from).to_vec();
        assert_eq!(list(&items), "4, 11 and 17");
        assert_eq!(list(&items[..2]), "4 and 11");
        assert_eq!(list(&items[..1]), "4");
    }

    /// What stands for a law or is an abbreviation keeps its capitals.
    #[test]
    fn only_a_first_letter_becomes_small() {
        for (text, expected) in [
            ("Width", "width"),
            ("Weight of N(2, I) in the test", "weight of N(2, I) in the test"),
            ("Positions of S", "positions of S"),
            ("Query-key matrix", "query-key matrix"),
            ("MLP size", "MLP size"),
            ("ReLU", "ReLU"),
            ("R² at the end", "R² at the end"),
            ("K bits", "K bits"),
            ("", ""),
            ("Ω", "Ω"),
        ] {
            assert_eq!(small(text), expected);
        }
        let mut spec = RunSpec::of_lab("in-context-learning").unwrap();
        spec.parse("dist", "mixture").unwrap();
        assert_eq!(setting(&spec, "tw2", "0.5"), "weight of N(2, I) in the test = 0.5");
    }

    #[test]
    fn settings_go_by_their_symbols() {
        let spec = RunSpec::default();
        let symbols = ["n", "wd", "width", "degree", "batch", "model"].map(|key| symbol(&spec, key));
        assert_eq!(symbols, ["n", "λ", "width", "degree of σ", "B", "model"]);
        assert_eq!(setting(&spec, "wd", "0.003"), "λ = 0.003");
        assert_eq!(setting(&spec, "loss", "ce"), "loss = Cross-entropy");
        assert_eq!(setting(&spec, "width", "1000"), "width = 1,000");
        assert_eq!(
            [0, 1, 1000].map(|many| count(many, "neuron")),
            ["0 neurons", "1 neuron", "1,000 neurons"]
        );
    }
}
