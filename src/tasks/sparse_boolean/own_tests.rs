//! Functions of a person's own: their examples, and their links.

use super::*;
use crate::permalink::{decode, encode};
use crate::run::RunSpec;

fn own(text: &str) -> SparseBoolean {
    SparseBoolean {
        function: Function::Own,
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
        assert_eq!(places.len(), task.bits(), "{text}");
        assert!(places.windows(2).all(|pair| pair[0] < pair[1]), "{text}: {places:?}");
        let mut batch = Batch::default();
        task.held_out(7, 0, 4096, &mut batch);
        for (x, y) in batch.x.chunks(12).zip(&batch.y) {
            let bits: Vec<bool> = places.iter().map(|place| x[*place] == 1.0).collect();
            assert_eq!(*y == 1.0, value(&bits), "{text}: {bits:?}");
        }
        let ones = batch.x.iter().filter(|x| **x == 1.0).count() as f64 / (4096.0 * 12.0);
        assert!((ones - 0.5).abs() < 0.01, "{text}: {ones}");
    }
    // The same functions as those that are built in, on the same bits.
    for (function, text) in [(Function::Majority, "maj(x1, x2, x3)"), (Function::Parity, "x1 ^ x2 ^ x3")] {
        let built_in = SparseBoolean { function, ..own("x1") };
        let [mut a, mut b] = [Batch::default(), Batch::default()];
        built_in.held_out(3, 0, 500, &mut a);
        own(text).held_out(3, 0, 500, &mut b);
        assert_eq!(a, b, "{text}");
    }
    assert_eq!(SparseBoolean { support: vec![11, 2, 5], ..own("x1 ^ x2 & x3") }.relevant(0), [1, 4, 10]);
}

#[test]
fn functions_of_ones_own_go_through_a_link() {
    for (typed, link) in
        [("x1 & (x2 | ~x3)", "x1_*_(x2_+_~x3)"), ("x1∧¬x2", "x1*~x2"), ("01101001", "0x69"), ("0x69", "0x69")]
    {
        let mut spec = RunSpec::of_lab("sparse-boolean").unwrap();
        spec.parse("fn", "own").unwrap();
        spec.parse("own", typed).unwrap();
        assert_eq!(spec.problems(), [], "{typed}");
        let whole = format!("#v1/sparse-boolean?fn=own&own={link}");
        let (read, notices) = decode(&whole);
        assert!(notices.is_empty() && read.spec == spec, "{typed}: {notices:?}");
        assert_eq!(encode(&read), whole);
    }
    // What cannot be is said with its place, and the run is possible all the same.
    for (link, said) in [
        ("fn=own&own=x1_*", "character 5: the formula ends before its last part"),
        ("fn=own&own=x1&n=50", ""),
        ("fn=own&n=2", "a function of at most T = 2 bits"),
        ("fn=own&own=x1_*_x2&s=4.9.12", "s = 2 different numbers"),
        ("fn=own&own=0x123", "2, 4, 8, 16, 32 or 64 digits"),
    ] {
        let (read, notices) = decode(&format!("#v1/sparse-boolean?{link}"));
        assert_eq!(read.spec.problems(), [], "{link}");
        match said {
            "" => assert!(notices.is_empty(), "{notices:?}"),
            said => assert!(notices[0].expected.contains(said), "{link}: {notices:?}"),
        }
    }
}
