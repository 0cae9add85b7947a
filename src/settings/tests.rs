use super::*;

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
        axis: Axis = Axis::default(), "a", "Axis", Range::Axis;
        /// Some ways.
        ways: Vec<Way> = vec![Way::This], "ways", "Ways", Range::Set(Way::OPTIONS);
    }
}

fn knob(key: &str) -> &'static Knob {
    Sample::KNOBS.iter().find(|k| k.key == key).unwrap()
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
        ("ways", "this.that"),
    ];
    for (key, text) in texts {
        let value = knob(key).parse(text).unwrap();
        assert_eq!(value.to_string(), text);
        assert!(s.set(key, &value).unwrap());
        assert_eq!(s.value(key).unwrap(), value);
    }
    assert_eq!((s.count, s.way, s.places, s.sizes), (8, Way::That, vec![1, 5, 9], vec![9, 4, 9]));
    assert_eq!(s.ways, Way::ALL);
}

#[test]
fn sets_are_put_in_order_and_never_empty() {
    let ways = knob("ways");
    assert_eq!(ways.parse("that,this that").unwrap().to_string(), "this.that");
    assert_eq!(ways.expected(), "one or more of this, that with dots between");
    for wrong in [vec![], vec!["that", "this"], vec!["that", "that"], vec!["this", "thus"]] {
        let value = Value::Set(wrong.iter().map(ToString::to_string).collect());
        assert!(ways.check(&value).is_err(), "{value}");
    }
}

#[test]
fn help_unit_and_condition_come_from_the_declaration() {
    assert_eq!((knob("c").help, knob("c").unit, knob("r").unit), ("A count.", "pieces", ""));
    assert_eq!((knob("c").only, knob("p").only), (None, Some(("w", &["this", "that"][..]))));
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
        let problem = knob(key).parse(text).unwrap_err();
        assert!(problem.to_string().contains(&knob(key).expected()), "{problem}");
    }
    assert!(s.set("c", &Value::Real(1.0)).is_err());
    assert!(!s.set("unknown", &Value::Int(1)).unwrap());
    assert_eq!(s, Sample::default());
}

#[test]
fn whole_numbers_as_people_write_them() {
    let k = Knob { range: Range::Int(0, 1_000_000), ..knob("c").clone() };
    for (text, v) in [("1e5", 100_000), ("20_000", 20_000), ("3.0", 3)] {
        assert_eq!(k.parse(text).unwrap(), Value::Int(v));
    }
    assert!(k.parse("2.5").is_err());
}

#[test]
fn found_text_is_shortened_and_harmless() {
    let p = Problem::new("n", &("x\u{7}\n".to_string() + &"y".repeat(100_000)), "less");
    assert!(p.found.chars().count() <= 41 && !p.found.contains('\n'));
}
