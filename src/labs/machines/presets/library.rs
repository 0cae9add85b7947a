//! Machines of the library, whose tokens are the simulator's, and how many blocks they take.

use super::{expect_final, expect_median};
use vivarium_model::tasks::turing_machine::charts;
use vivarium_science::machines::MachineMetric;
use vivarium_view::presets::{PRESET_DEFAULTS, Preset, PresetGroup};

/// Group of presets in which a transformer executes a Turing machine of the library without noise.
const MACHINES: PresetGroup = PresetGroup {
    slug: "machines-in-tokens",
    name: "Turing machines simulated without a tape",
    charts: &[charts::CORRECT, charts::STRAYED],
};

/// Group of presets on how the number of transformer blocks grows with the number of machine steps.
const DEPTH_GROUP: PresetGroup = PresetGroup {
    slug: "depth-of-machines",
    name: "Number of blocks by number of steps T",
    charts: &[charts::DEPTH],
};

/// Paper and sections shown as the source of most presets of this file (runs and sweeps of library machines).
const SOURCE: &str = "Wei, Chen and Ma 2022, theorem 4.1 and appendix C";

/// Presets of this file: runs of single library machines, and sweeps over the number of steps.
pub(super) const RUNS: &[Preset] = &[
    Preset {
        slug: "beaver-machine",
        name: "A busy beaver with 4 states",
        group: &MACHINES,
        link: "#v1/turing-machine",
        claim: "All 107 tokens agree with the steps of the machine, which halts at step 107. Every number of every token is 0 or 1, with floating-point errors below 10⁻¹⁵. In every attention layer the largest attention score exceeds every smaller score by at least 1.",
        source: SOURCE,
        remarks: "Our choices: a machine with 4 states and 2 symbols, start cell 64, T = 107 steps, positions of 7 bits, tokens of 46 numbers, 11 blocks; 164,436 parameters: 69,630 in the blocks, 94,622 in the rounding after the blocks, 92 in the encoder, 46 in h₀ and 46 in θ_cls (4,276 parameters are not 0, and ‖θ‖₁ = 6,104); carry look-ahead for the move of the machine's head (the paper adds bit by bit); a mark in h₀ and one weight with which step 0 makes the start state (the paper leaves open how h₀ becomes the first token); positions with enough bits for T and for the largest cell (the paper: ⌈log₂ T⌉ bits); rounding after each block.",
        expectations: &[
            expect_median(MachineMetric::FirstWrong, 107, (108.0, 108.0)),
            expect_median(MachineMetric::MaxDeviation, 107, (0.0, 1e-15)),
            expect_median(MachineMetric::MinScoreGap, 107, (1.0, 1.0)),
            expect_median(MachineMetric::Blocks, 107, (11.0, 11.0)),
            expect_median(MachineMetric::Bits, 107, (7.0, 7.0)),
            expect_median(MachineMetric::Halted, 106, (0.0, 0.0)),
            expect_median(MachineMetric::Halted, 107, (1.0, 1.0)),
        ],
        max_steps: 107,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "increment-machine",
        name: "Binary increment",
        group: &MACHINES,
        link: "#v1/turing-machine?m=increment&t=14&steps=14",
        claim: "The machine adds 1 to the binary number 10111 and halts at step 10. The transformer is made for T = 14 steps, so positions have 4 bits and there are 8 blocks. All 14 tokens agree with the machine's steps.",
        source: SOURCE,
        remarks: "Our choices: start cell 2, tokens of 36 numbers.",
        expectations: &[
            expect_median(MachineMetric::FirstWrong, 14, (15.0, 15.0)),
            expect_median(MachineMetric::MaxDeviation, 14, (0.0, 1e-15)),
            expect_median(MachineMetric::Blocks, 14, (8.0, 8.0)),
            expect_median(MachineMetric::Halted, 9, (0.0, 0.0)),
            expect_median(MachineMetric::Halted, 10, (1.0, 1.0)),
        ],
        max_steps: 14,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "palindrome-machine",
        name: "Palindrome",
        group: &MACHINES,
        link: "#v1/turing-machine?m=palindrome&t=60&steps=60",
        claim: "The machine tests whether 010111010 is a palindrome: the machine compares the first symbol with the last symbol, then the next pair, and so on. It accepts 010111010 at step 55. All 60 tokens agree with the machine's steps.",
        source: SOURCE,
        remarks: "Our choices: start cell 1, positions of 6 bits, tokens of 49 numbers, 10 blocks.",
        expectations: &[
            expect_median(MachineMetric::FirstWrong, 60, (61.0, 61.0)),
            expect_median(MachineMetric::MaxDeviation, 60, (0.0, 1e-15)),
            expect_median(MachineMetric::Blocks, 60, (10.0, 10.0)),
            expect_median(MachineMetric::Halted, 54, (0.0, 0.0)),
            expect_median(MachineMetric::Halted, 55, (1.0, 1.0)),
        ],
        max_steps: 60,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "counter-machine",
        name: "Endless counter",
        group: &MACHINES,
        link: "#v1/turing-machine?m=counter&t=400&steps=400&speed=60",
        claim: "The machine counts in binary and never halts. The machine writes to the same cells again and again; for each step, the transformer searches for the last write to the current cell. All 400 tokens agree with the machine's steps.",
        source: SOURCE,
        remarks: "Our choices: positions of 9 bits, 13 blocks.",
        expectations: &[
            expect_median(MachineMetric::FirstWrong, 400, (401.0, 401.0)),
            expect_median(MachineMetric::MaxDeviation, 400, (0.0, 1e-15)),
            expect_median(MachineMetric::Blocks, 400, (13.0, 13.0)),
            expect_median(MachineMetric::Halted, 400, (0.0, 0.0)),
        ],
        max_steps: 400,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "depth-machine",
        name: "Twice as many steps need one more block",
        group: &DEPTH_GROUP,
        link: "#v1/turing-machine?m=counter&steps=1023&sweep=t:7_15_31_63_127_255_511_1023&speed=0&show=columns.correct.bysteps",
        claim: "From T = 7 steps to T = 1,023 steps the transformer grows from 7 blocks to 14. For about twice as many steps, the transformer needs one more block, because the number of a step then has one more bit, and one block finds one bit. All tokens agree with the machine's steps.",
        source: "Wei, Chen and Ma 2022, theorem 4.1: depth of the order of log T",
        remarks: "Our choices: the endless counter; one block for each bit of a step's number and 4 more blocks for all other operations.",
        expectations: &[
            expect_final(MachineMetric::Blocks, (0, 0), (7.0, 7.0)),
            expect_final(MachineMetric::Blocks, (0, 1), (8.0, 8.0)),
            expect_final(MachineMetric::Blocks, (0, 2), (9.0, 9.0)),
            expect_final(MachineMetric::Blocks, (0, 3), (10.0, 10.0)),
            expect_final(MachineMetric::Blocks, (0, 4), (11.0, 11.0)),
            expect_final(MachineMetric::Blocks, (0, 5), (12.0, 12.0)),
            expect_final(MachineMetric::Blocks, (0, 6), (13.0, 13.0)),
            expect_final(MachineMetric::Blocks, (0, 7), (14.0, 14.0)),
            expect_final(MachineMetric::FirstWrong, (0, 0), (8.0, 8.0)),
            expect_final(MachineMetric::FirstWrong, (0, 1), (16.0, 16.0)),
            expect_final(MachineMetric::FirstWrong, (0, 2), (32.0, 32.0)),
            expect_final(MachineMetric::FirstWrong, (0, 3), (64.0, 64.0)),
            expect_final(MachineMetric::FirstWrong, (0, 4), (128.0, 128.0)),
            expect_final(MachineMetric::FirstWrong, (0, 5), (256.0, 256.0)),
            expect_final(MachineMetric::FirstWrong, (0, 6), (512.0, 512.0)),
            expect_final(MachineMetric::FirstWrong, (0, 7), (1024.0, 1024.0)),
        ],
        max_steps: 1023,
        ..PRESET_DEFAULTS
    },
];
