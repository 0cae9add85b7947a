//! Example programs: two learning algorithms, a dictator learner and parity by Gaussian elimination.
//!
//! The paper contains neither program: Gaussian elimination is only its motivating example (Goel, Kakade, Kalai and Zhang 2022,
//! section 1). Both programs follow its machine model: they start on the bottom-right cell of the block and stay there in
//! the first step, and they halt with the prediction in the top-left cell and blanks in all others of the block.
//!
//! ```text
//! symbols of both    _ blank; + is 1 and - is −1
//! parity besides     C the current column, E the label column, # the cell to return to
//!                    a bit with a mark on its row: P p pivot, T t target of the XOR, U u used as pivot (capital: 1)
//! ```

use super::super::error::SuccinctError;
use super::program::GridProgram;
use vivarium_core::language::translated;

/// A program of the library that is a learning algorithm, with its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LearningProgram {
    /// Permanent identifier of the program in links.
    pub slug: &'static str,
    /// Name of the program in English.
    name: &'static str,
    /// Description of the program in English.
    about: &'static str,
    /// Text of the program: its rules, one per line.
    pub text: &'static str,
}

impl LearningProgram {
    /// Name in the reader's language.
    pub fn name(&self) -> &'static str {
        translated(self.name)
    }

    /// Description in the reader's language, as a sentence.
    pub fn about(&self) -> &'static str {
        translated(self.about)
    }

    /// Parses the program.
    ///
    /// # Errors
    /// None for the programs of this library.
    pub fn parse_program(&self) -> Result<GridProgram, SuccinctError> {
        GridProgram::parse(self.text)
    }
}

/// Finds the library's program with this slug; `None` if there is none.
pub fn find_learner(slug: &str) -> Option<&'static LearningProgram> {
    LEARNERS.iter().find(|learner| learner.slug == slug)
}

/// All learning algorithms of the library, in the order of the menu.
pub const LEARNERS: [LearningProgram; 2] = [DICTATOR, PARITY];

/// Finds the input that equals the label: 20 states with HALT, 3 symbols.
///
/// In the XOR form the column of the right input is constant, and its value is the prediction. Another column is constant
/// with probability 2^−m. Where no column is constant, the program halts without an answer.
pub const DICTATOR: LearningProgram = LearningProgram {
    slug: "dictator",
    name: text!("Dictator learner"),
    about: text!(
        "Checks the columns of the table from right to left. The first column in which all entries have the same sign gives the prediction."
    ),
    text: "\
start +- → * S L0
L0 +- → * L L
L + → * U U+       // the bottom cell of a column
L - → * U U-
L _ → * S HALT
U+ + → * U U+      // the whole column must be +
U+ - → * D D
U+ _ → * D O+
U- - → * U U-
U- + → * D D
U- _ → * D O-
D +- → * D D       // this column is not constant: on to the next
D _ → * U B
B +- → * L L
O+ +- → * L F+     // it is constant: the value goes to the top left
O- +- → * L F-
F+ +- → * L F+
F- +- → * L F-
F+ _ → * R W+
F- _ → * R W-
W+ +- → + R ER
W- +- → - R ER
ER +- → _ R ER     // and all other cells become blank
ER _ → * D E1
E1 _ → * L X
X +- → _ L EL
X _ → * S HALT
EL +- → _ L EL
EL _ → * D E2
E2 _ → * R Y
Y +- → _ R ER
Y _ → * S HALT
",
};

/// Solves the linear equations modulo 2 of a parity: 47 states with HALT, 12 symbols.
///
/// The test input is one more row, with label bit 0. Elimination column by column reduces it to zero where the examples
/// have rank d; its label cell is then the prediction. The XOR of two rows is a product of signs. Below rank d the prediction
/// is still right where the test input is a sum of examples; elsewhere its row becomes a pivot itself, and the prediction is
/// a guess.
pub const PARITY: LearningProgram = LearningProgram {
    slug: "parity",
    name: text!("Parity by Gaussian elimination"),
    about: text!(
        "Reduces the row of the test input by elimination with the rows of the examples. The label cell of the reduced row is the prediction."
    ),
    text: "\
start +- → * S A0
A0 +- → * U A
A + → * U A            // A: undo the factor y, row by row
A - → * L Af
A _ → E L Bt
Af +- → -+ L Af
Af _ → * R Ar
Ar +- → * R Ar
Ar _ → * L Ab
Ab +- → * U A
Bt _ → * D Bd          // B: undo the factor x, column by column
Bd +- → * D Bd
Bd _ → * U Br
Br + → * U Bk
Br - → * U Bf
Br _ → * R G
Bk +- → * U Bk
Bk _ → * L Bt
Bf +- → -+ U Bf
Bf _ → * L Bt
G _ → C D Gf           // the next column, or finished
G E → * D Fd
Gf +Uu → * D Gf        // find a pivot
Gf - → # L Pl
Gf _ → * U Gu
Gu +-PpTtUu → * U Gu   // none: skip the column
Gu C → _ R G
Pl +-PpTtUu → * L Pl   // mark the pivot's row
Pl _ → * R Pm
Pm +- → Pp R Pm
Pm # → * R Pm
Pm _ → * L Pr
Pr Pp → * L Pr
Pr # → p D T
T +Uu → * D T          // mark the rows to be changed
T - → # L Tl
T _ → * U Zu
Tl +-PpTtUu → * L Tl
Tl _ → * R Tm
Tm +- → Tt R Tm
Tm # → * R Tm
Tm _ → * L Tr
Tr Tt → * L Tr
Tr # → t D T
Zu +-PpTtUu → * U Zu   // sweep all columns, right to left
Zu C → * R Zr
Zr _ → * R Zr
Zr E → * D Xs
Xs +-TtUu → * D Xs
Xs P → * D Xp
Xs p → * D Xf
Xs _ → * U Nu
Xp +-PpTtUu → * D Xp
Xp _ → * U Xu
Xf Tt → tT D Xf
Xf +-PpUu → * D Xf
Xf _ → * U Xu
Xu Tt → +- U Xu        // and take the marks away
Xu Pp → Uu U Xu
Xu +-Uu → * U Xu
Xu _CE → * L Xt
Xt _C → * D Xs
Nu _ → * R Nr          // back to the current column, and on to the next
Nr _ → * R Nr
Nr C → _ R G
Fd +-PpTtUu → * D Fd   // read the prediction
Fd _ → * U Fr
Fr +PTU → * U G+
Fr -ptu → * U G-
G+ +-PpTtUu → * U G+
G+ E → * D H+
G- +-PpTtUu → * U G-
G- E → * D H-
H+ +-PpTtUu → * L F+
H- +-PpTtUu → * L F-
F+ +-PpTtUu → * L F+
F+ _ → * R W+
F- +-PpTtUu → * L F-
F- _ → * R W-
W+ +-PpTtUu → + R ER
W- +-PpTtUu → - R ER
ER +-PpTtUu → _ R ER   // write it, and all other cells become blank
ER _ → * D E1
E1 _ → * L X
X +-PpTtUu → _ L EL
X _ → * S HALT
EL +-PpTtUu → _ L EL
EL _ → * D E2
E2 _ → * R Y
Y +-PpTtUu → _ R ER
Y _ → * S HALT
",
};
