use super::*;
use crate::choices;

choices! {
    /// Two ways.
    pub enum Way {
        /// One.
        This = "this", "This way";
        /// Other.
        That = "that", "That way";
    }
}
settings! {
    /// All kinds of fields.
    pub struct Sample {
        /// A count.
        count: usize = 3, "c", "Count", Range::Int(1, 8), "pieces";
        /// A rate.
        rate: f64 = 0.1, "r", "Rate", Range::Real(0.0, 1.0);
        /// A way.
        way: Way = Way::This, "w", "Way", Range::Choice(Way::OPTIONS);
        /// Some places.
        places: Vec<usize> = vec![], "p", "Places", Range::List(1, 9), only when "w" = "this" | "that";
        /// Some sizes.
        sizes: Vec<usize> = vec![2, 1], "z", "Sizes", Range::Sizes(1, 9, 3);
        /// Changes.
        changes: Vec<(u64, f64)> = vec![], "x", "Changes", Range::Schedule(0.0, 1.0);
        /// An axis.
        axis: SweepAxis = SweepAxis::default(), "a", "Axis", Range::Axis;
        /// Some axes.
        axes: Vec<SweepAxis> = vec![], "axes", "Axes", Range::Axes;
        /// Some ways.
        ways: Vec<Way> = vec![Way::This], "ways", "Ways", Range::Set(Way::OPTIONS);
    }
}

settings! {
    /// Settings of one part.
    pub struct Part {
        /// A width.
        width: usize = 4, "width", "Width", Range::Int(1, 9), "cm", only when "w" = "this";
        /// A height.
        height: usize = 5, "height", "Height", Range::Int(1, 9);
        /// A depth.
        depth: usize = 6, "depth", "Depth", Range::Int(1, 9);
    }
}
settings! {
    /// Settings of another part.
    pub struct OtherPart {
        /// A weight.
        weight: f64 = 0.5, "weight", "Weight", Range::Real(0.0, 1.0);
    }
}
/// Order of the settings in [`Whole`]; without depth.
const ORDER: [&str; 5] = ["width", "c", "weight", "w", "height"];
settings! {
    /// Settings with parts.
    pub struct Whole {
        /// A count.
        count: usize = 3, "c", "Count", Range::Int(1, 8), "pieces";
        /// A way.
        way: Way = Way::This, "w", "Way", Range::Choice(Way::OPTIONS);
    }
    with parts {
        /// One part.
        part: Part,
        /// The other part.
        other: OtherPart,
    }
    in order ORDER
}

fn setting(key: &str) -> &'static SettingInfo {
    Sample::SETTINGS.iter().find(|k| k.key == key).unwrap()
}

#[test]
fn every_kind_reads_back_what_it_prints() {
    let mut s = Sample::default();
    let texts = [
        ("c", "8"),
        ("r", "0.025"),
        ("w", "that"),
        ("p", "1.5.9"),
        ("z", "9.4.9"),
        ("x", "5:0.5_9:1e-7"),
        ("a", "n:10_2.5"),
        ("a", "act:relu_sin"),
        ("a", ""),
        ("axes", "n:10_2.5,act:relu_sin"),
        ("axes", ""),
        ("ways", "this.that"),
    ];
    for (key, text) in texts {
        let value = setting(key).parse(text).unwrap();
        assert_eq!(value.to_string(), text);
        assert!(s.set(key, &value).unwrap());
        assert_eq!(s.value(key).unwrap(), value);
    }
    assert_eq!((s.count, s.way, s.places, s.sizes), (8, Way::That, vec![1, 5, 9], vec![9, 4, 9]));
    assert_eq!(s.ways, Way::ALL);
}

#[test]
fn settings_of_parts_are_in_the_order_of_the_keys_and_others_last() {
    let keys: Vec<_> = Whole::SETTINGS.iter().map(|setting| setting.key).collect();
    assert_eq!(keys, ["width", "c", "weight", "w", "height", "depth"]);
    let find = |key: &str| *Whole::SETTINGS.iter().find(|setting| setting.key == key).unwrap();
    assert_eq!(
        (find("c").unit, find("width"), find("depth")),
        ("pieces", Part::SETTINGS[0], Part::SETTINGS[2])
    );
    let mut whole = Whole::default();
    for (key, before, after) in [
        ("width", "4", "7"),
        ("c", "3", "8"),
        ("weight", "0.5", "0.25"),
        ("w", "this", "that"),
        ("height", "5", "9"),
        ("depth", "6", "1"),
    ] {
        assert_eq!(whole.value(key).unwrap().to_string(), before, "{key}");
        assert!(whole.set(key, &find(key).parse(after).unwrap()).unwrap());
        assert_eq!(whole.value(key).unwrap().to_string(), after, "{key}");
    }
    let part = Part { width: 7, height: 9, depth: 1 };
    assert_eq!(whole, Whole { count: 8, way: Way::That, part, other: OtherPart { weight: 0.25 } });
    let before = whole.clone();
    assert!(whole.set("height", &Value::Int(10)).is_err() && !whole.set("p", &Value::Int(1)).unwrap());
    assert_eq!((whole.value("p"), whole), (None, before));
}

#[test]
fn sets_are_put_in_order_and_never_empty() {
    let ways = setting("ways");
    assert_eq!(ways.parse("that,this that").unwrap().to_string(), "this.that");
    assert_eq!(ways.describe_expected(), "one or more of this, that separated by dots");
    for wrong in [vec![], vec!["that", "this"], vec!["that", "that"], vec!["this", "thus"]] {
        let value = Value::Set(wrong.iter().map(ToString::to_string).collect());
        assert!(ways.check(&value).is_err(), "{value}");
    }
}

#[test]
fn help_unit_and_condition_come_from_the_declaration() {
    assert_eq!((setting("c").help, setting("c").unit, setting("r").unit), ("A count.", "pieces", ""));
    assert_eq!((setting("c").condition, setting("p").condition), (None, Some(("w", &["this", "that"][..]))));
}

#[test]
fn out_of_range_is_refused_in_a_sentence_and_changes_nothing() {
    let mut s = Sample::default();
    for (key, text) in [
        ("c", "0"),
        ("c", "9"),
        ("c", "-1"),
        ("c", "two"),
        ("r", "NaN"),
        ("r", "inf"),
        ("r", "1.5"),
        ("w", "sideways"),
        ("p", "0"),
        ("p", "2.2"),
        ("p", "a"),
        ("x", "9:0.1_5:0.1"),
        ("x", "5"),
        ("a", "n"),
        ("a", "n:"),
        ("a", ":1_2"),
        ("a", "n:1__2"),
        ("a", "n:1&k=2"),
        ("ways", ""),
        ("ways", "this.thus"),
    ] {
        let problem = setting(key).parse(text).unwrap_err();
        assert!(problem.to_string().contains(&setting(key).describe_expected()), "{problem}");
    }
    assert!(s.set("c", &Value::Real(1.0)).is_err());
    assert!(!s.set("unknown", &Value::Int(1)).unwrap());
    assert_eq!(s, Sample::default());
}

#[test]
fn whole_numbers_as_people_write_them() {
    let k = SettingInfo { range: Range::Int(0, 1_000_000), ..*setting("c") };
    for (text, v) in [("1e5", 100_000), ("20_000", 20_000), ("3.0", 3)] {
        assert_eq!(k.parse(text).unwrap(), Value::Int(v));
    }
    assert!(k.parse("2.5").is_err());
}

#[test]
fn found_text_is_shortened_and_harmless() {
    let p = InvalidSetting::new("n", &("x\u{7}\n".to_string() + &"y".repeat(100_000)), "less");
    assert!(p.found.chars().count() <= 41 && !p.found.contains('\n'));
}

/// The last that a range takes, and the first that it does not.
#[test]
fn ranges_end_where_they_say() {
    let [places, more_places] =
        [64, 65].map(|many| (1..=many).map(|i: u64| i.to_string()).collect::<Vec<_>>());
    let [places, more_places] = [places, more_places].map(|places| places.join("."));
    let [steps, more_steps] = [64, 65].map(|many| (1..=many).map(|i| format!("{i}:0.5")).collect::<Vec<_>>());
    let [steps, more_steps] = [steps, more_steps].map(|steps| steps.join("_"));
    let ranges: [(Range, &[&str], &[&str]); 4] = [
        (Range::List(1, 99), &["", "99.1", &places], &["100", "7.7", "3.0", &more_places]),
        (Range::Sizes(1, 9, 3), &["9", "9.1.9"], &["", "0", "9.0", "10.1", "1.1.1.1"]),
        (Range::Numbers(0, 7, 4), &["", "0.7.7.0"], &["8", "0.8", "0.0.0.0.0"]),
        (
            Range::Schedule(0.0, 1.0),
            &["", "0:1_6:0", &steps],
            &["5:1.5", "5:-0.1", "5:NaN", "5:0.1_5:0.2", "5:0.1_6:1.5", &more_steps],
        ),
    ];
    for (range, taken, refused) in ranges {
        let setting = SettingInfo { range, ..*setting("c") };
        for text in taken {
            assert_eq!(setting.parse(text).unwrap().to_string(), *text, "{range:?}");
        }
        for text in refused {
            assert!(setting.parse(text).is_err(), "{range:?}: {text}");
        }
    }
    // Too many are told that, and not what each of them may be.
    for (range, text) in [(Range::List(1, 99), &more_places), (Range::Schedule(0.0, 1.0), &more_steps)] {
        let why = SettingInfo { range, ..*setting("c") }.parse(text).unwrap_err().expected;
        assert_eq!(why, "at most 64 entries, and there are 65", "{range:?}");
    }
}

/// A link keeps its spelling: exponents begin where they save four characters.
#[test]
fn numbers_are_written_as_they_always_were() {
    for (number, text) in [
        (0.1, "0.1"),
        (0.00001, "0.00001"),
        (0.000001, "1e-6"),
        (-0.00002, "-0.00002"),
        (100_000.0, "100000"),
        (1_000_000.0, "1e6"),
        (123_456_789.0, "123456789"),
    ] {
        assert_eq!(format_real(number), text);
    }
    let said = [0, 7, 100, 999, 1000, 100_000, 1_234_567].map(format_thousands);
    assert_eq!(said, ["0", "7", "100", "999", "1,000", "100,000", "1,234,567"]);
}

#[test]
fn forty_characters_are_shown_whole() {
    let found = |many: usize| InvalidSetting::new("n", &"y".repeat(many), "less").found;
    assert_eq!([found(40), found(41)], ["y".repeat(40), "y".repeat(40) + "…"]);
    assert_eq!(InvalidSetting::new("n", "\n", "less").found, "(nothing)");
    // Without its number, the character between the digits would leave a value that can be read.
    let said = |found: &str| InvalidSetting::new("title\u{202e}", found, "less").to_string();
    assert_eq!(said("2\u{200b}0"), "title!202e! = 2!200b!0: expected less");
    assert_eq!(said("\u{202e}evil"), "title!202e! = !202e!evil: expected less");
    assert_eq!(said(&"\0".repeat(40)), format!("title!202e! = {}…: expected less", "!0!".repeat(13) + "!"));
}
