//! Formulas and truth tables, the examples of their functions, and their links.

use super::*;
use crate::permalink::{decode, encode};
use crate::run::RunSpec;
use crate::tasks::sparse_boolean::BooleanFunction;
use crate::tasks::{Batch, Examples, Sampler, SparseBoolean};

fn table(text: &str) -> String {
    let values = Formula(text.into()).truth_table().unwrap_or_else(|mistake| panic!("{text}: {mistake}"));
    values.iter().map(|value| if *value { '1' } else { '0' }).collect()
}

fn parse_errors(text: &str) -> String {
    Formula(text.into()).truth_table().unwrap_err().to_string()
}

#[test]
fn formulas_are_their_truth_tables() {
    for (text, expected) in [
        ("x1", "01"),
        ("~x1", "10"),
        ("x1 & x2", "0001"),
        ("x1 | x2", "0111"),
        ("x1 ^ x2", "0110"),
        ("x1 & ~x2", "0010"),
        ("(x1 ^ x2) & x3", "00010100"),
        // Not binds most, then and, exclusive or, or, as in C and Python.
        ("x1 & (x2 | ~x3) ^ x4", "0101010110011010"),
        ("x1 | x2 ^ x3 & x4", "0001111011111111"),
        ("~x1 & x2", "0100"),
        ("~(x1 & x2)", "1110"),
        ("~~x1", "01"),
        ("maj(x1, x2, x3)", "00010111"),
        ("maj(x1 & x2, x3, 1)", "01010111"),
        ("x1 ^ 1", "10"),
        // Other ways of writing the same.
        ("X1 AND NOT x2", "0010"),
        ("x1 xor x2 or x3", "01111101"),
        ("x1 ∧ ¬x2 ∨ x3", "01011101"),
        ("x1 && x2 || !x3", "10101011"),
        ("majority(x1,x2,x3)", "00010111"),
        ("01", "01"),
        ("0110 1001", "01101001"),
        ("10", "10"),
    ] {
        assert_eq!(table(text), expected, "{text}");
    }
}

/// Against a reading of the formula by hand, over all inputs.
#[test]
fn the_first_bit_is_the_first_column_of_the_table() {
    let values = Formula("x1 & (x2 | ~x3) ^ x4".into()).truth_table().unwrap();
    for (row, value) in values.iter().enumerate() {
        let x = |i: usize| row >> (4 - i) & 1 == 1;
        assert_eq!(*value, (x(1) && (x(2) || !x(3))) != x(4), "{row}");
    }
    // Parity of all eight.
    let text = (1..=8).map(|i| format!("x{i}")).collect::<Vec<_>>().join("^");
    let values = Formula(text).truth_table().unwrap();
    assert!(values.iter().enumerate().all(|(row, value)| *value == (row.count_ones() % 2 == 1)));
}

#[test]
fn errors_say_where_and_why() {
    for (text, expected) in [
        ("", "the formula has no bit; a formula such as (x1 ^ x2) & x3 has three bits"),
        ("1", "the formula has no bit"),
        ("x1 &", "character 5: the formula is not complete"),
        ("x1 & & x2", "character 6: a bit such as x1, an opening parenthesis or “not” is expected here"),
        ("x1 x2", "character 4: an operator such as & is missing before this part"),
        ("(x1 & x2", "character 1: this parenthesis is not closed"),
        ("(x1 x2)", "character 5: an operator such as &, or a closing parenthesis, is missing"),
        ("x1) & x2", "character 3: this closing parenthesis has no opening parenthesis"),
        ("x1 ? x2", "character 4: “?” cannot be used in a formula"),
        ("x1 nand x2", "character 4: “nand” is neither a bit such as x1 nor one of"),
        ("x1 & x9", "character 6: the bits are called x1 to x8"),
        ("x0", "character 1: the bits are called x1 to x8"),
        ("x99999999999999999999", "character 1: the bits are called x1 to x8"),
        ("maj x1", "character 1: maj needs its arguments in parentheses"),
        (
            "maj(x1, x2)",
            "character 1: maj needs an odd number of arguments, so that there is no tie, but it has 2",
        ),
        ("maj() & x1", "character 5: a bit such as x1"),
        ("x1, x2", "character 3: an operator such as & is missing"),
        ("x1 & x3", "the function must depend on every bit from x1 to x3, but x2 has no effect"),
        ("x1 | ~x1", "the function must depend on every bit from x1 to x1, but x1 has no effect"),
        ("0011", "from x1 to x2, but x2 has no effect"),
        ("011", "a truth table has 2, 4, 8, 16, … digits, at most 256, but this one has 3 digits"),
        ("0x691", "a truth table in hexadecimal digits has 2, 4,"),
    ] {
        assert!(
            parse_errors(text).starts_with(expected)
                || (!expected.starts_with("char") && parse_errors(text).contains(expected)),
            "{text}: {}",
            parse_errors(text)
        );
    }
    assert!(parse_errors(&"01".repeat(256)).contains("at most 256, but this one has 512 digits"));
    // As deep as a link can have them.
    for (deep, is_good) in [(MAX_DEPTH, true), (MAX_DEPTH + 1, false), (298, false)] {
        let text = format!("{}x1{}", "(".repeat(deep), ")".repeat(deep));
        let found = Formula(text).truth_table();
        assert_eq!(found.is_ok(), is_good, "{deep}");
        assert!(found.is_ok() || found.unwrap_err().to_string().contains("nested at most 40 deep"));
    }
    assert_eq!(table(&format!("{}x1", "~".repeat(598))), "01");
}

fn own(text: &str) -> SparseBoolean {
    SparseBoolean {
        function: BooleanFunction::Own,
        formula: Formula(text.into()),
        n: 12,
        m: 0,
        ..Default::default()
    }
}

#[test]
fn labels_are_those_of_a_function_of_ones_own() {
    type Value = fn(&[bool]) -> bool;
    let cases: [(&str, Value); 4] = [
        ("(x1 ^ x2) & x3", |b| (b[0] != b[1]) && b[2]),
        ("x1 & ~x2", |b| b[0] && !b[1]),
        ("0010", |b| b[0] && !b[1]),
        ("maj(x1, x2, x3) ^ x4 | x5", |b| (b[..3].iter().filter(|bit| **bit).count() > 1) != b[3] || b[4]),
    ];
    for (text, value) in cases {
        let task = own(text);
        let places = task.relevant(7);
        assert_eq!(places.len(), task.relevant_bit_count(), "{text}");
        assert!(places.windows(2).all(|pair| pair[0] < pair[1]), "{text}: {places:?}");
        let mut batch = Batch::default();
        task.append_held_out(7, 0, 4096, &mut batch);
        for (x, y) in batch.x.chunks(12).zip(&batch.y) {
            let bits: Vec<bool> = places.iter().map(|place| x[*place] == 1.0).collect();
            assert_eq!(*y == 1.0, value(&bits), "{text}: {bits:?}");
        }
        let ones = batch.x.iter().filter(|x| **x == 1.0).count() as f64 / (4096.0 * 12.0);
        assert!((ones - 0.5).abs() < 0.01, "{text}: {ones}");
    }
    // The same functions as those that are built in, on the same bits.
    for (function, text) in
        [(BooleanFunction::Majority, "maj(x1, x2, x3)"), (BooleanFunction::Parity, "x1 ^ x2 ^ x3")]
    {
        let built_in = SparseBoolean { function, ..own("x1") };
        let [mut a, mut b] = [Batch::default(), Batch::default()];
        built_in.append_held_out(3, 0, 500, &mut a);
        own(text).append_held_out(3, 0, 500, &mut b);
        assert_eq!(a, b, "{text}");
    }
    assert_eq!(SparseBoolean { support: vec![11, 2, 5], ..own("x1 ^ x2 & x3") }.relevant(0), [1, 4, 10]);
}

#[test]
fn functions_of_ones_own_go_through_a_link() {
    for (typed, link) in
        [("x1 & (x2 | ~x3)", "x1_*_(x2_+_~x3)"), ("x1∧¬x2", "x1*~x2"), ("01101001", "0x69"), ("0x69", "0x69")]
    {
        let mut spec = RunSpec::default_of_lab("sparse-boolean").unwrap();
        spec.parse("fn", "own").unwrap();
        spec.parse("own", typed).unwrap();
        assert_eq!(spec.invalid_settings(), [], "{typed}");
        let whole = format!("#v1/sparse-boolean?fn=own&own={link}");
        let (read, notices) = decode(&whole);
        assert!(notices.is_empty() && read.spec == spec, "{typed}: {notices:?}");
        assert_eq!(encode(&read), whole);
    }
    // What cannot be is said with its place, and the run is possible all the same.
    for (link, said) in [
        ("fn=own&own=x1_*", "character 5: the formula is not complete"),
        ("fn=own&own=x1&n=50", ""),
        ("fn=own&n=2", "a function of at most T = 2 bits"),
        ("fn=own&own=x1_*_x2&s=4.9.12", "s = 2 different numbers"),
        ("fn=own&own=0x123", "2, 4, 8, 16, 32 or 64 digits"),
    ] {
        let (read, notices) = decode(&format!("#v1/sparse-boolean?{link}"));
        assert_eq!(read.spec.invalid_settings(), [], "{link}");
        match said {
            "" => assert!(notices.is_empty(), "{notices:?}"),
            said => assert!(notices[0].expected.contains(said), "{link}: {notices:?}"),
        }
    }
}
