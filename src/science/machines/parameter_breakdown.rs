//! All parameters of the transformer, part by part: what the paper's θ holds, whose norm ‖θ‖₁ is bounded by α (Wei, Chen and
//! Ma 2022, section 4.1 and the proof of theorem 4.1).
//!
//! | part | shape | entries other than 0 |
//! |---|---|---|
//! | blocks | attention and ReLU layers of all blocks | those of the construction |
//! | rounding | after each block two layers, \[2w, w\] and \[w, 2w\], with biases | (I; I), −1/3 and −2/3, (3I, −3I) |
//! | encoder | the symbols' embedding E, \[w, symbols\] | one for each symbol |
//! | h₀ | \[w\] | the start cell in binary, and the mark of the beginning |
//! | θ_cls | \[w\] | 1 for each state that accepts, −1 for each that rejects |
//!
//! The positions β(i) are fixed in the paper, so that they are no parameters. Without rounding its layers are not there.

use super::attention::Attention;
use super::construction::Construction;
use super::layer::Affine;
use super::layout::Group;
use super::machine::{Machine, Verdict};
use super::mistake::Mistake;
use super::program::Program;

/// The parameters of a part.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Part {
    /// How many there are.
    pub parameters: u64,
    /// How many are not 0.
    pub entries: u64,
    /// The sum of their sizes.
    pub norm: f64,
}

impl Part {
    fn of(numbers: impl IntoIterator<Item = f64>) -> Part {
        numbers.into_iter().fold(Part::default(), |part, number| Part {
            parameters: part.parameters + 1,
            entries: part.entries + u64::from(number != 0.0),
            norm: part.norm + number.abs(),
        })
    }

    /// So many copies with weights of their own.
    fn times(self, count: usize) -> Part {
        let Part { parameters, entries, norm } = self;
        Part {
            parameters: parameters * count as u64,
            entries: entries * count as u64,
            norm: norm * count as f64,
        }
    }

    fn and(self, other: Part) -> Part {
        Part {
            parameters: self.parameters + other.parameters,
            entries: self.entries + other.entries,
            norm: self.norm + other.norm,
        }
    }
}

/// The parameters of a transformer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parts {
    /// Attention and ReLU layers.
    pub blocks: Part,
    /// The layers that round after each block; nothing without rounding.
    pub rounding: Part,
    /// The embedding of the input's symbols.
    pub encoder: Part,
    /// h₀.
    pub initial: Part,
    /// θ_cls.
    pub classifier: Part,
}

impl Parts {
    /// Those of the transformer that runs a program, without noise.
    ///
    /// # Errors
    /// Positions of the program have no bit, or too many.
    pub fn new(program: &Program, is_rounding: bool) -> Result<Parts, Mistake> {
        let construction = Construction::new(&program.machine, program.bits)?;
        let numbers = |affine: &Affine| affine.numbers().collect::<Vec<f64>>();
        let blocks = construction.blocks().iter().flat_map(|block| {
            let attention = block.own.iter().chain(&block.input).flat_map(Attention::numbers);
            attention.chain(block.layers.iter().flat_map(numbers)).collect::<Vec<f64>>()
        });
        let count = if is_rounding { construction.blocks().len() } else { 0 };
        let symbols = 0..program.machine.symbols().len();
        // The column of a symbol in E is its token without a position.
        let columns = symbols.flat_map(|symbol| construction.encoded(symbol, 0));
        Ok(Parts {
            blocks: Part::of(blocks),
            rounding: Part::of(rounding(construction.layout().width()).iter().flat_map(numbers)).times(count),
            encoder: Part::of(columns),
            initial: Part::of(construction.initial(program.start)),
            classifier: Part::of(construction.classifier(&program.machine)),
        })
    }

    /// All of them together: the p and the ‖θ‖₁ of the paper.
    pub fn total(&self) -> Part {
        let Parts { blocks, rounding, encoder, initial, classifier } = *self;
        blocks.and(rounding).and(encoder).and(initial).and(classifier)
    }
}

impl Construction {
    /// θ_cls: its product with the last token is 1 where the machine accepts, −1 where it rejects, and otherwise 0.
    pub fn classifier(&self, machine: &Machine) -> Vec<f64> {
        let mut vector = vec![0.0; self.layout().width()];
        for state in 0..machine.states().len() {
            vector[self.layout().at(Group::State, state)] = match machine.verdict(state) {
                Some(Verdict::Accepts) => 1.0,
                Some(Verdict::Rejects) => -1.0,
                _ => 0.0,
            };
        }
        vector
    }
}

/// The two layers that [round](super::round) a token: V₂ φ(V₁ h + c₁), with V₁ = (I; I) and V₂ = (3I, −3I).
fn rounding(width: usize) -> [Affine; 2] {
    let (mut first, mut second) = (Affine::new(2 * width, width), Affine::new(width, 2 * width));
    for at in 0..width {
        for (copy, from, sign) in [(at, 1.0 / 3.0, 1.0), (width + at, 2.0 / 3.0, -1.0)] {
            first.set(copy, at, 1.0);
            first.set_bias(copy, -from);
            second.set(at, copy, 3.0 * sign);
        }
    }
    [first, second].map(|mut layer| {
        layer.finish();
        layer
    })
}

#[cfg(test)]
mod tests {
    use super::super::layer::relu;
    use super::*;
    use crate::machines::{Halt, How, Transformer, library, round};

    fn program(slug: &str) -> Program {
        let of = library::example(slug).unwrap();
        let machine = of.machine().unwrap();
        let input = machine.read(of.input).unwrap();
        Program::new(machine, input, of.start, of.steps).unwrap()
    }

    #[test]
    fn the_layers_of_rounding_round() {
        let [first, second] = rounding(7);
        let h = [-0.5, 0.2, 0.4, 0.5, 0.6, 0.9, 1.5];
        let (mut hidden, mut out) = (vec![], vec![]);
        first.apply(&h, &mut hidden);
        relu(&mut hidden);
        second.apply(&hidden, &mut out);
        for (out, h) in out.iter().zip(h) {
            assert!((out - round(h)).abs() < 1e-15, "{h}: {out}");
        }
    }

    /// Counted by hand. Busy beaver with 4 states: w = 46, B = 7, 11 blocks, 2 symbols, start cell 64 = 1000000 in binary, no
    /// state that accepts or rejects.
    ///
    /// ```text
    /// rounding   a block has 92·46 + 92 + 46·92 + 46 = 8,602 parameters, of which 92 + 92 + 92 = 276 are not 0, with norm
    ///            92 + 46·(1/3 + 2/3) + 3·92 = 414; 11 blocks have 94,622, 3,036 and 4,554
    /// encoder    46·2 = 92, 2, 2          h₀   46, 2, 2          θ_cls   46, 0, 0
    /// ```
    ///
    /// Palindrome: w = 49, 10 blocks, 3 symbols, start cell 1, one state that accepts and one that rejects. A block's rounding
    /// has 98·49 + 98 + 49·98 + 49 = 9,751 parameters, 294 of them not 0, with norm 98 + 49 + 294 = 441. Increment: w = 36, 8
    /// blocks, 3 symbols, start cell 2; 72·36 + 72 + 36·72 + 36 = 5,292, 216, 72 + 36 + 216 = 324.
    #[test]
    fn every_part_is_counted() {
        let part = |parameters, entries, norm| Part { parameters, entries, norm };
        for (slug, blocks, rounding, encoder, initial, classifier, total) in [
            (
                "busy-beaver-4",
                part(69_630, 1_236, 1_546.0),
                part(94_622, 3_036, 4_554.0),
                part(92, 2, 2.0),
                part(46, 2, 2.0),
                part(46, 0, 0.0),
                part(164_436, 4_276, 6_104.0),
            ),
            (
                "palindrome",
                part(71_470, 1_186, 1_421.0),
                part(97_510, 2_940, 4_410.0),
                part(147, 3, 3.0),
                part(49, 2, 2.0),
                part(49, 2, 2.0),
                part(169_225, 4_133, 5_838.0),
            ),
            (
                "increment",
                part(31_635, 667, 782.0),
                part(42_336, 1_728, 2_592.0),
                part(108, 3, 3.0),
                part(36, 2, 2.0),
                part(36, 0, 0.0),
                part(74_151, 2_400, 3_379.0),
            ),
        ] {
            let program = program(slug);
            let found = Parts::new(&program, true).unwrap();
            for (found, expected) in [
                (found.blocks, blocks),
                (found.rounding, rounding),
                (found.encoder, encoder),
                (found.initial, initial),
                (found.classifier, classifier),
                (found.total(), total),
            ] {
                assert_eq!(
                    (found.parameters, found.entries),
                    (expected.parameters, expected.entries),
                    "{slug}"
                );
                assert!((found.norm - expected.norm).abs() < 1e-9, "{slug}: {found:?}");
            }
            let bare = Parts::new(&program, false).unwrap();
            assert_eq!((bare.rounding, bare.blocks), (Part::default(), found.blocks));
        }
    }

    #[test]
    fn the_classifier_gives_the_machines_verdict() {
        for (input, expected) in [("010111010", 1.0), ("0110", 1.0), ("011", -1.0)] {
            let machine = program("palindrome").machine;
            let input = machine.read(input).unwrap();
            let program = Program::new(machine, input, 1, 60).unwrap();
            let run = program.run().unwrap();
            assert!(matches!(run.halt, Some((_, Halt::State { .. }))));
            let weights = Construction::new(&program.machine, program.bits).unwrap();
            let classifier = weights.classifier(&program.machine);
            let mut transformer =
                Transformer::new(weights.into(), &program.input, 1, How::default()).unwrap();
            assert_eq!(transformer.follow(&run), None);
            let last = transformer.output(60).unwrap();
            let answer: f64 = last.iter().zip(&classifier).map(|(h, weight)| h * weight).sum();
            assert!((answer - expected).abs() < 1e-12, "{answer}");
        }
    }
}
