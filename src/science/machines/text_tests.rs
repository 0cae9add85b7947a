//! Tests of the forms of text, good and bad.

use super::limits::MAX_STATES;
use super::machine::Machine;
use super::text::Notation;
use vivarium_core::rng::{Purpose, RandomStream};

const ARROWS: &str = "right 0 → 0 R right; right 1→1 > right; right _ -> _ L carry // the end is found
    carry 1 → 0 l carry
    carry 0 → 1 - halt; carry _ → 1 S halt";

const WORDS: &str = "; adds 1 -> to a number
    0 0 0 r 0
    0 1 1 r 0 ; goes right
    0 _ * l carry !
    carry 1 0 l carry
    carry * 1 * halt-accept
    ";

const COMMAS: &str = "name: Increment
init: q0
accept: q2
// a comment

q0,0
q0,0,>

q0,1
q0,1,>

q0,_
q1,_,<

q1,1
q1,0,<

q1,0
q2,1,-

q1,_
q2,1,-
";

fn parse_error(text: &str) -> String {
    Machine::parse(text).unwrap_err().to_string()
}

#[test]
fn the_three_notations_give_the_same_machine() {
    let [arrows, words, commas] = [ARROWS, WORDS, COMMAS].map(|text| Machine::parse(text).unwrap());
    assert_eq!(
        [ARROWS, WORDS, COMMAS].map(Notation::detect),
        [Notation::Arrows, Notation::Words, Notation::Commas]
    );
    assert_eq!(arrows.rules, words.rules);
    assert_eq!(arrows.rules, commas.rules);
    assert_eq!(words.state_names(), ["0", "carry", "halt-accept"]);
    assert_eq!(commas.state_names(), ["q0", "q1", "q2"]);
    for machine in [arrows, words, commas] {
        assert_eq!(Machine::parse(&machine.to_string()).unwrap(), machine);
        assert_eq!(Machine::parse(&machine.to_string()).unwrap(), machine);
    }
    for form in [Notation::Arrows, Notation::Words, Notation::Commas] {
        assert!(!form.name().is_empty() && !form.rule_form().is_empty());
    }
}

#[test]
fn a_semicolon_separates_rules_in_a_text_of_one_line() {
    let machine = Machine::parse("a 0 1 r b; b 0 0 l a").unwrap();
    assert_eq!(machine.rule_count(), 2);
    assert_eq!(parse_error("a 0 1 r b; b 0 0 up a"), "line 2: unknown direction up; write L, R or S (stay)");
}

#[test]
fn specific_rules_take_precedence_over_wildcards() {
    let machine = Machine::parse("a * → * R *; a x → y L b; * _ → z S halt; b z → z S a").unwrap();
    assert_eq!(
        machine.to_string(),
        "a _ → _ R a\na x → y L b\na y → y R a\na z → z R a\nb _ → z S halt\nb z → z S a\n"
    );
}

#[test]
fn the_start_state_can_be_named() {
    let machine = Machine::parse("start: b\na x → x R b\nb x → x R a").unwrap();
    assert_eq!(machine.state_names(), ["b", "a"]);
    assert_eq!(Machine::parse("x 1 1 r 0\n0 1 1 r x").unwrap().state_names()[0], "0");
    assert_eq!(Machine::parse("x 1 1 r 0").unwrap().state_names()[0], "x");
    let machine = Machine::parse("accept: b; * _ → x S b; b 0 → 0 S b").unwrap();
    assert_eq!(machine.symbols(), ['_', '0'], "no state takes the first rule");
    assert_eq!(parse_error("start: c\na x → x R c"), "the start state c has no rule");
}

#[test]
fn every_error_displays_as_a_sentence() {
    let rules =
        |count: usize, rule: &dyn Fn(usize) -> String| (0..count).map(rule).collect::<Vec<_>>().join("\n");
    let expected = "expected state, symbol read → symbol to write, move, next state, found:";
    let cases = [
        ("", "the text has no rule; write one rule per line, for example A 0 → 1 R B".to_string()),
        ("// nothing", "the text has no rule; write one rule per line, for example A 0 → 1 R B".into()),
        ("a 0 → 1 R b\nb 0 → R a", format!("line 2: {expected} b 0 → R a")),
        ("a 0 → 1 R b\nb 0 1 R a", format!("line 2: {expected} b 0 1 R a")),
        ("a 0 → 1 R b\n\na 0 → 0 R b", "line 3: state a with symbol 0 already has a rule, in line 1".into()),
        ("a 0 → 1 up b", "line 1: unknown direction up; write L, R or S (stay)".into()),
        ("a 00 → 1 R b", "line 1: a symbol must be one character, but 00 is longer".into()),
        ("a 0 → 1 R b\nb ; → 1 R a", format!("line 2: {expected} b")),
        ("init: a\na,;\nb,1,>", "line 2: the character ; cannot be a symbol".into()),
        ("* 0 → 1 R *", "the start state * has no rule".into()),
        ("a 0 → 1 R b:c", "line 1: the name b:c cannot be used for a state".into()),
        ("accept: c\na 0 → 1 R b", "line 1: the accepting state c appears in no rule".into()),
        (
            "init: a\na,0\nb,1,>\nb,0",
            "line 4: the rule needs a second line with the next state, the symbol to write and the move".into(),
        ),
        (
            "a,0,1\nb,1,1,>,>",
            "line 1: expected two lines: “state,symbol read” and below this line “next state,symbol to write,move”, found: a,0,1".into(),
        ),
    ];
    for (text, sentence) in cases {
        assert_eq!(parse_error(text), sentence);
    }
    let many = rules(MAX_STATES, &|i| format!("s{i} 0 → 0 R s{}", i + 1));
    assert_eq!(
        parse_error(&many),
        "line 24: this is state number 25, but a machine must have at most 24 states"
    );
    let wide = rules(9, &|i| format!("a {i} → {i} R a"));
    assert_eq!(
        parse_error(&wide),
        "line 8: this is symbol number 9, but a machine must have at most 8 symbols including the blank"
    );
    let all = |i: usize| format!("s{} {} → 0 R s0", i / 40, char::from_u32(0x100 + (i % 40) as u32).unwrap());
    assert_eq!(parse_error(&rules(1001, &all)), "line 1001: the text must have at most 1000 rules");
    assert_eq!(parse_error(&" ".repeat(70_000)), "the text must have at most 65536 bytes");
    assert_eq!(
        parse_error(&format!("{} 0 → 0 R a", "x".repeat(33))),
        "line 1: the name of a state must have at most 32 characters"
    );
}

/// Every text is parsed or rejected, and a parsed machine can be written and parsed again.
#[test]
fn random_texts_are_parsed_or_rejected() {
    let parts = [
        "a",
        "b",
        "halt",
        "0",
        "1",
        "_",
        "*",
        "→",
        "->",
        " ",
        " ",
        " ",
        "\n",
        "\n",
        ";",
        ",",
        ":",
        "accept:",
        "init:",
        "L",
        "r",
        ">",
        "-",
        "//",
        "ä",
        "!",
        "a 0 → 1 R b\n",
        "b * → * L *\n",
        "0 0 1 r a\n",
        "a,0\nb,1,>\n",
        "* 1 → 0 S halt;",
        "a * → x R b\n",
        "* 0 → * L *;",
        "accept: a\n",
        "b 1 → 1 S b;",
    ];
    let mut read = 0;
    for number in 0..20_000 {
        let stream = RandomStream::new(number, Purpose::Sample, 1);
        let count = 1 + stream.draw_below(0, 0, 12);
        let text: String =
            (1..=count).map(|i| parts[stream.draw_below(0, i, parts.len() as u32) as usize]).collect();
        match Machine::parse(&text) {
            Ok(machine) => {
                read += 1;
                assert_eq!(Machine::parse(&machine.to_string()).as_ref(), Ok(&machine), "{text}");
                assert_eq!(Machine::parse(&machine.to_string()).as_ref(), Ok(&machine), "{text}");
            }
            Err(mistake) => assert!(!mistake.to_string().is_empty()),
        }
    }
    assert!(read > 100, "{read} texts were read");
}
