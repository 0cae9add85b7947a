//! Number and norm of the transformer's parameters θ, part by part. The paper bounds ‖θ‖₁ by α (Wei, Chen and Ma 2022, section
//! 4.1 and the proof of theorem 4.1).
//!
//! | part | shape | entries other than 0 |
//! |---|---|---|
//! | blocks | attention and ReLU layers of all blocks | those of the construction |
//! | rounding | after each block two layers, \[2w, w\] and \[w, 2w\], with biases | (I; I), −1/3 and −2/3, (3I, −3I) |
//! | encoder | the symbols' embedding E, \[w, symbols\] | one for each symbol |
//! | h₀ | \[w\] | the start cell in binary, and the mark of step 0 |
//! | θ_cls | \[w\] | 1 for each state that accepts, −1 for each that rejects |
//!
//! w is the width of a token. The position encodings β(i) are fixed in the paper, so that they are not parameters.

use super::attention::Attention;
use super::construction::Construction;
use super::error::MachineError;
use super::layer::Affine;
use super::layout::TokenGroup;
use super::machine::{Machine, Verdict};
use super::program::MachineProgram;

/// Number and ℓ₁ norm of the parameters of one part of a transformer.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ParameterStats {
    /// Number of parameters of the part, zeros included.
    pub parameters: u64,
    /// Number of parameters of the part that are not 0.
    pub nonzeros: u64,
    /// ℓ₁ norm of the part's parameters: sum of their absolute values.
    pub l1_norm: f64,
}

impl ParameterStats {
    /// Computes number, number of nonzeros and ℓ₁ norm of the parameters with the values `numbers`.
    fn count(numbers: impl IntoIterator<Item = f64>) -> ParameterStats {
        numbers.into_iter().fold(ParameterStats::default(), |part, number| ParameterStats {
            parameters: part.parameters + 1,
            nonzeros: part.nonzeros + u64::from(number != 0.0),
            l1_norm: part.l1_norm + number.abs(),
        })
    }

    /// The statistics of `count` copies of this part of the transformer.
    fn repeated(self, count: usize) -> ParameterStats {
        let ParameterStats { parameters, nonzeros, l1_norm } = self;
        ParameterStats {
            parameters: parameters * count as u64,
            nonzeros: nonzeros * count as u64,
            l1_norm: l1_norm * count as f64,
        }
    }

    /// The statistics of two parts of the transformer together.
    fn plus(self, other: ParameterStats) -> ParameterStats {
        ParameterStats {
            parameters: self.parameters + other.parameters,
            nonzeros: self.nonzeros + other.nonzeros,
            l1_norm: self.l1_norm + other.l1_norm,
        }
    }
}

/// Number and norm of a transformer's parameters, by part.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ParameterBreakdown {
    /// Statistics of the attention and ReLU layers of all blocks.
    pub blocks: ParameterStats,
    /// Statistics of the rounding layers that follow every block, all together; all 0 without rounding.
    pub rounding: ParameterStats,
    /// Statistics of the encoder's embedding matrix E of the tape symbols.
    pub encoder: ParameterStats,
    /// Statistics of the token h₀, the decoder's input in step 0.
    pub initial: ParameterStats,
    /// Statistics of the classifier θ_cls, which reads the verdict from the last token.
    pub classifier: ParameterStats,
}

impl ParameterBreakdown {
    /// Counts the parameters of the transformer that runs a program, without noise; `is_rounding` says whether a
    /// rounding follows every block, whose layers are then counted too.
    ///
    /// # Errors
    /// The number of bits of a position is out of range.
    pub fn new(program: &MachineProgram, is_rounding: bool) -> Result<ParameterBreakdown, MachineError> {
        let construction = Construction::new(&program.machine, program.bits)?;
        let numbers = |affine: &Affine| affine.parameters().collect::<Vec<f64>>();
        let blocks = construction.blocks().iter().flat_map(|block| {
            let attention =
                block.self_attention.iter().chain(&block.cross_attention).flat_map(Attention::parameters);
            attention.chain(block.layers.iter().flat_map(numbers)).collect::<Vec<f64>>()
        });
        let count = if is_rounding { construction.blocks().len() } else { 0 };
        let symbols = 0..program.machine.symbols().len();
        // The column of a symbol in E is its token without a position.
        let columns = symbols.flat_map(|symbol| construction.encoder_token(symbol, 0));
        Ok(ParameterBreakdown {
            blocks: ParameterStats::count(blocks),
            rounding: ParameterStats::count(
                rounding_layers(construction.layout().width()).iter().flat_map(numbers),
            )
            .repeated(count),
            encoder: ParameterStats::count(columns),
            initial: ParameterStats::count(construction.start_token(program.start)),
            classifier: ParameterStats::count(construction.classifier(&program.machine)),
        })
    }

    /// The sum of all parts: the number p and the ℓ₁ norm ‖θ‖₁ of the parameters (Wei, Chen and Ma 2022).
    pub fn total(&self) -> ParameterStats {
        let ParameterBreakdown { blocks, rounding, encoder, initial, classifier } = *self;
        blocks.plus(rounding).plus(encoder).plus(initial).plus(classifier)
    }
}

impl Construction {
    /// The classifier θ_cls, `[width]`: its product with the last token is 1 if the machine accepts, −1 if it rejects, else 0.
    pub fn classifier(&self, machine: &Machine) -> Vec<f64> {
        let mut vector = vec![0.0; self.layout().width()];
        for state in 0..machine.state_names().len() {
            vector[self.layout().coordinate(TokenGroup::State, state)] = match machine.verdict(state) {
                Some(Verdict::Accepts) => 1.0,
                Some(Verdict::Rejects) => -1.0,
                _ => 0.0,
            };
        }
        vector
    }
}

/// The two layers that [round](super::round) a token: V₂ φ(V₁ h + c₁), with V₁ = (I; I) and V₂ = (3I, −3I).
fn rounding_layers(width: usize) -> [Affine; 2] {
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
    use crate::machines::tests::random;
    use crate::machines::{ExecutionMode, HaltReason, Transformer, library, round};

    fn program(slug: &str) -> MachineProgram {
        let of = library::find_example(slug).unwrap();
        let machine = of.parse_machine().unwrap();
        let input = machine.parse_input(of.input).unwrap();
        MachineProgram::new(machine, input, of.start, of.steps).unwrap()
    }

    #[test]
    fn the_rounding_layers_compute_the_rounding_function() {
        let [first, second] = rounding_layers(7);
        let h = [-0.5, 0.2, 0.4, 0.5, 0.6, 0.9, 1.5];
        let (mut hidden, mut out) = (vec![], vec![]);
        first.apply(&h, &mut hidden);
        relu(&mut hidden);
        second.apply(&hidden, &mut out);
        for (out, h) in out.iter().zip(h) {
            assert!((out - round(h)).abs() < 1e-15, "{h}: {out}");
        }
    }

    /// The expected numbers are counted by hand. Busy beaver with 4 states: w = 46, B = 7, 11 blocks, 2 symbols, start cell 64
    /// = 1000000 in binary, no state that accepts or rejects.
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
        let part = |parameters, nonzeros, l1_norm| ParameterStats { parameters, nonzeros, l1_norm };
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
            let found = ParameterBreakdown::new(&program, true).unwrap();
            for (found, expected) in [
                (found.blocks, blocks),
                (found.rounding, rounding),
                (found.encoder, encoder),
                (found.initial, initial),
                (found.classifier, classifier),
                (found.total(), total),
            ] {
                assert_eq!(
                    (found.parameters, found.nonzeros),
                    (expected.parameters, expected.nonzeros),
                    "{slug}"
                );
                assert!((found.l1_norm - expected.l1_norm).abs() < 1e-9, "{slug}: {found:?}");
            }
            let bare = ParameterBreakdown::new(&program, false).unwrap();
            assert_eq!((bare.rounding, bare.blocks), (ParameterStats::default(), found.blocks));
        }
    }

    /// Random machines: the parts outside the attention have the sizes of their shapes, and the blocks are the tensors
    /// that files hold.
    #[test]
    fn parts_of_random_machines_are_counted() {
        for number in 0..60 {
            let (machine, input, start, steps) = random(number);
            let Ok(program) = MachineProgram::with_preferred_start(machine, input, start, steps) else {
                continue;
            };
            let found = ParameterBreakdown::new(&program, true).unwrap();
            let construction = Construction::new(&program.machine, program.bits).unwrap();
            let (width, symbols) = (found.initial.parameters, program.machine.symbols().len() as u64);
            let blocks = u64::from(program.bits) + 4;
            assert_eq!(found.rounding.parameters, blocks * (4 * width * width + 3 * width), "{number}");
            assert_eq!(found.rounding.nonzeros, blocks * 6 * width);
            assert!((found.rounding.l1_norm - (9 * blocks * width) as f64).abs() < 1e-6);
            assert_eq!((found.encoder.parameters, found.encoder.nonzeros), (width * symbols, symbols));
            assert_eq!(found.initial.nonzeros, 1 + u64::from(program.start.count_ones()));
            assert_eq!(found.classifier.parameters, width);
            let (mut parameters, mut nonzeros, mut norm) = (0, 0, 0.0);
            for value in construction.tensors().flat_map(|tensor| tensor.values) {
                parameters += 1;
                nonzeros += u64::from(value != 0.0);
                norm += value.abs();
            }
            assert_eq!((found.blocks.parameters, found.blocks.nonzeros), (parameters, nonzeros), "{number}");
            assert!((found.blocks.l1_norm - norm).abs() < 1e-6 * (1.0 + norm), "{number}");
        }
    }

    #[test]
    fn the_classifier_computes_the_verdict_of_the_machine() {
        for (input, expected) in [("010111010", 1.0), ("0110", 1.0), ("011", -1.0)] {
            let machine = program("palindrome").machine;
            let input = machine.parse_input(input).unwrap();
            let program = MachineProgram::new(machine, input, 1, 60).unwrap();
            let run = program.simulate().unwrap();
            assert!(matches!(run.halt, Some((_, HaltReason::State { .. }))));
            let weights = Construction::new(&program.machine, program.bits).unwrap();
            let classifier = weights.classifier(&program.machine);
            let mut transformer =
                Transformer::new(weights.into(), &program.input, 1, ExecutionMode::default()).unwrap();
            assert_eq!(transformer.run_until_wrong(&run), None);
            let last = transformer.output(60).unwrap();
            let answer: f64 = last.iter().zip(&classifier).map(|(h, weight)| h * weight).sum();
            assert!((answer - expected).abs() < 1e-12, "{answer}");
        }
    }
}
