//! Example machines, each with an input, a start cell and a number of steps.

use super::error::MachineError;
use super::machine::Machine;
use vivarium_core::language::translated;

/// An example machine with input, start cell and number of steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MachineExample {
    /// Permanent identifier of the example in links.
    pub slug: &'static str,
    /// Name of the example in English.
    name: &'static str,
    /// Description of the example in English.
    about: &'static str,
    /// The machine as text, with all its rules.
    pub text: &'static str,
    /// Input word that is on the tape at the beginning of the run.
    pub input: &'static str,
    /// Number of the start cell, where the head begins and the input's first symbol is; far enough to the right
    /// that the head stays on the tape.
    pub start: usize,
    /// Number of machine steps in a run of the example.
    pub steps: usize,
    /// Number of steps that the machine makes before it halts; `None` if it never halts.
    pub halting_step: Option<u64>,
}

impl MachineExample {
    /// Name in the reader's language.
    pub fn name(&self) -> &'static str {
        translated(self.name)
    }

    /// Description in the reader's language, as a sentence.
    pub fn about(&self) -> &'static str {
        translated(self.about)
    }

    /// Parses the machine.
    ///
    /// # Errors
    /// The text is invalid, which a test excludes for all examples.
    pub fn parse_machine(&self) -> Result<Machine, MachineError> {
        Machine::parse(self.text)
    }
}

/// Finds the library's example with this slug; `None` if there is none.
pub fn find_example(slug: &str) -> Option<&'static MachineExample> {
    EXAMPLES.iter().find(|example| example.slug == slug)
}

/// All examples, in the order of the menu.
///
/// Busy beavers are the longest-running machines of their size: S(2) = 6, S(3) = 21 (Lin and Rado 1965), S(4) = 107 (Brady
/// 1983) and S(5) = 47,176,870 (found by Marxen and Buntrock 1990, proved by the bbchallenge collaboration 2024).
pub const EXAMPLES: [MachineExample; 13] = [
    MachineExample {
        slug: "increment",
        name: text!("Binary increment"),
        about: text!("Adds 1 to a binary number."),
        text: "right 0 → 0 R right
right 1 → 1 R right
right _ → _ L carry
carry 1 → 0 L carry
carry 0 → 1 S halt
carry _ → 1 S halt",
        input: "10111",
        start: 2,
        steps: 14,
        halting_step: Some(10),
    },
    MachineExample {
        slug: "palindrome",
        name: text!("Palindrome"),
        about: text!(
            "Accepts a word that reads the same in both directions. The machine compares the first symbol with the last symbol, erases both symbols and begins again."
        ),
        text: "first 0 → _ R had0
first 1 → _ R had1
first _ → _ S accept
had0 0 → 0 R had0
had0 1 → 1 R had0
had0 _ → _ L want0
had1 0 → 0 R had1
had1 1 → 1 R had1
had1 _ → _ L want1
want0 0 → _ L back
want0 1 → 1 S reject
want0 _ → _ S accept
want1 1 → _ L back
want1 0 → 0 S reject
want1 _ → _ S accept
back 0 → 0 L back
back 1 → 1 L back
back _ → _ R first",
        input: "010111010",
        start: 1,
        steps: 60,
        halting_step: Some(55),
    },
    MachineExample {
        slug: "unary-addition",
        name: text!("Unary addition"),
        about: text!(
            "Adds two numbers written as strokes. The machine replaces the plus sign by a stroke and erases the last stroke."
        ),
        text: "left 1 → 1 R left
left + → 1 R right
right 1 → 1 R right
right _ → _ L erase
erase 1 → _ S halt",
        input: "111+11",
        start: 0,
        steps: 12,
        halting_step: Some(8),
    },
    MachineExample {
        slug: "busy-beaver-2",
        name: text!("Busy beaver, 2 states"),
        about: text!(
            "Halts after 6 steps. No halting machine with 2 states and 2 symbols makes more steps on an empty tape."
        ),
        text: "A _ → 1 R B
A 1 → 1 L B
B _ → 1 L A
B 1 → 1 R halt",
        input: "",
        start: 4,
        steps: 7,
        halting_step: Some(6),
    },
    MachineExample {
        slug: "busy-beaver-3",
        name: text!("Busy beaver, 3 states"),
        about: text!(
            "Halts after 21 steps. No halting machine with 3 states and 2 symbols makes more steps on an empty tape."
        ),
        text: "A _ → 1 R B
A 1 → 1 R halt
B _ → 1 L B
B 1 → _ R C
C _ → 1 L C
C 1 → 1 L A",
        input: "",
        start: 8,
        steps: 21,
        halting_step: Some(21),
    },
    MachineExample {
        slug: "busy-beaver-4",
        name: text!("Busy beaver, 4 states"),
        about: text!(
            "Halts after 107 steps. No halting machine with 4 states and 2 symbols makes more steps on an empty tape."
        ),
        text: "A _ → 1 R B
A 1 → 1 L B
B _ → 1 L A
B 1 → _ L C
C _ → 1 R halt
C 1 → 1 L D
D _ → 1 R D
D 1 → _ R A",
        input: "",
        start: 64,
        steps: 107,
        halting_step: Some(107),
    },
    MachineExample {
        slug: "busy-beaver-5",
        name: text!("Busy beaver, 5 states"),
        about: text!(
            "Halts after 47,176,870 steps. No halting machine with 5 states and 2 symbols makes more steps on an empty tape. The run shows the first 1,000 steps."
        ),
        text: "A _ → 1 R B
A 1 → 1 L C
B _ → 1 R C
B 1 → 1 R B
C _ → 1 R D
C 1 → _ L E
D _ → 1 L A
D 1 → 1 L D
E _ → 1 R halt
E 1 → _ L A",
        input: "",
        start: 256,
        steps: 1000,
        halting_step: Some(47_176_870),
    },
    MachineExample {
        slug: "counter",
        name: text!("Endless counter"),
        about: text!(
            "Counts in binary without end. The least significant bit is in the cell next to the mark #."
        ),
        text: "add # → # R add
add 1 → 0 R add
add 0 → 1 L back
add _ → 1 L back
back 0 → 0 L back
back # → # R add",
        input: "#",
        start: 0,
        steps: 100,
        halting_step: None,
    },
    MachineExample {
        slug: "parity",
        name: text!("Parity of a word"),
        about: text!("Writes 1 after a word with an odd number of ones, otherwise 0."),
        text: "even 0 → 0 R even
even 1 → 1 R odd
even _ → 0 S halt
odd 0 → 0 R odd
odd 1 → 1 R even
odd _ → 1 S halt",
        input: "1101011",
        start: 0,
        steps: 12,
        halting_step: Some(8),
    },
    MachineExample {
        slug: "copier",
        name: text!("Copier"),
        about: text!("Writes a copy of a word after the word, with one blank between them."),
        text: "pick 0 → a R skip0
pick 1 → b R skip1
pick _ → _ L restore
skip0 0 → 0 R skip0
skip0 1 → 1 R skip0
skip0 _ → _ R put0
skip1 0 → 0 R skip1
skip1 1 → 1 R skip1
skip1 _ → _ R put1
put0 0 → 0 R put0
put0 1 → 1 R put0
put0 _ → 0 L home
put1 0 → 0 R put1
put1 1 → 1 R put1
put1 _ → 1 L home
home 0 → 0 L home
home 1 → 1 L home
home _ → _ L back
back 0 → 0 L back
back 1 → 1 L back
back a → a R pick
back b → b R pick
restore a → 0 L restore
restore b → 1 L restore
restore _ → _ R halt",
        input: "1011",
        start: 1,
        steps: 60,
        halting_step: Some(50),
    },
    MachineExample {
        slug: "brackets",
        name: text!("Balanced brackets"),
        about: text!(
            "Accepts a word in which opening and closing brackets match. The machine crosses out each closing bracket together with the opening bracket that belongs to it."
        ),
        text: "right ( → ( R right
right x → x R right
right ) → x L left
right _ → _ L check
left x → x L left
left ( → x R right
left _ → _ S reject
check x → x L check
check ( → ( S reject
check _ → _ S accept",
        input: "(()(()))",
        start: 1,
        steps: 50,
        halting_step: Some(42),
    },
    MachineExample {
        slug: "collatz",
        name: text!("Collatz in binary"),
        about: text!("Halves an even number and turns an odd number n into 3n + 1, until 1 is reached."),
        text: "end 0 → 0 R end
end 1 → 1 R end
end _ → _ L last
last 0 → _ L last
last 1 → 1 L one
one 0 → 0 R odd
one 1 → 1 R odd
one _ → _ R halt
odd 1 → 0 L carry2
carry0 0 → 0 L carry0
carry0 1 → 1 L carry1
carry0 _ → _ R end
carry1 0 → 1 L carry0
carry1 1 → 0 L carry2
carry1 _ → 1 L carry0
carry2 0 → 0 L carry1
carry2 1 → 1 L carry2
carry2 _ → 0 L carry1",
        input: "111",
        start: 12,
        steps: 120,
        halting_step: Some(93),
    },
    MachineExample {
        slug: "right",
        name: text!("Endless run to the right"),
        about: text!("Writes a 1 in every cell from the start cell to the right. The head never moves left."),
        text: "go _ → 1 R go
go 1 → 1 R go",
        input: "",
        start: 0,
        steps: 100,
        halting_step: None,
    },
];
