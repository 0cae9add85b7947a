//! Instances of the parity lab with the results of an independent implementation in C: medians of t_c, and
//! success rates over a few seeds.

use vivarium_view::presets::ExpectedMeasure;

/// Result of an independent implementation on an instance of the parity lab.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ParityFinding {
    /// Median time to the target, in steps, and success rate.
    Time {
        /// Median over the seeds that reached the target, as lowest and highest; (0, 0) if none did.
        median: (u64, u64),
        /// Number of seeds that reached the target, and number of all seeds.
        solved: (u64, u64),
    },
    /// A value of one seed at a step.
    Value {
        /// The measure.
        measure: ExpectedMeasure,
        /// Step of the measurement.
        step: u64,
        /// Measured value.
        value: f32,
    },
}

/// An instance of the parity lab with the result of an independent implementation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ParityInstance {
    /// Name of the instance in the table of comparisons: figure or section of the thesis Edelman 2024, and
    /// particulars.
    pub name: &'static str,
    /// Settings of the run after `#v1/sparse-parity?`, without replicas.
    pub link: &'static str,
    /// Result of the independent implementation.
    pub finding: ParityFinding,
}

/// An instance with the median time to the target in the independent implementation, in steps; `solved` is
/// the number of its seeds that reached the target and the number of all its seeds.
const fn time_instance(
    name: &'static str,
    link: &'static str,
    median: u64,
    solved: (u64, u64),
) -> ParityInstance {
    ParityInstance { name, link, finding: ParityFinding::Time { median: (median, median), solved } }
}

/// An instance with the lowest and highest median time to the target in the independent implementation, in
/// steps; `solved` is the number of its seeds that reached the target and the number of all its seeds.
const fn time_range_instance(
    name: &'static str,
    link: &'static str,
    median: (u64, u64),
    solved: (u64, u64),
) -> ParityInstance {
    ParityInstance { name, link, finding: ParityFinding::Time { median, solved } }
}

/// An instance of which none of the `trials` seeds of the independent implementation reached the target.
const fn failed_instance(name: &'static str, link: &'static str, trials: u64) -> ParityInstance {
    ParityInstance { name, link, finding: ParityFinding::Time { median: (0, 0), solved: (0, trials) } }
}

/// An instance of which the independent implementation has the value `value` of a measure at a training step,
/// from one seed.
const fn value_instance(
    name: &'static str,
    link: &'static str,
    measure: ExpectedMeasure,
    step: u64,
    value: f32,
) -> ParityInstance {
    ParityInstance { name, link, finding: ParityFinding::Value { measure, step, value } }
}

/// All instances of the parity lab with results of the independent implementation, in the order of the thesis
/// Edelman 2024.
pub const PARITY_INSTANCES: &[ParityInstance] = &[
    // Losses and initialisations at (20, 3).
    time_instance("(20,3) ReLU 100, hinge, uniform", "n=20&every=10&held=2048", 750, (6, 6)),
    time_instance("(20,3) ReLU 100, hinge, Gaussian", "n=20&init=gaussian&every=10&held=2048", 1400, (6, 6)),
    time_instance("(20,3) ReLU 100, hinge, signs", "n=20&init=sign&every=10&held=2048", 1610, (6, 6)),
    time_instance("(20,3) ReLU 100, square, uniform", "n=20&loss=square&every=10&held=2048", 450, (6, 6)),
    time_instance(
        "(20,3) ReLU 100, square, signs",
        "n=20&init=sign&loss=square&every=10&held=2048",
        170,
        (6, 6),
    ),
    time_instance("(20,3) ReLU 100, cross-entropy, uniform", "n=20&loss=ce&every=10&held=2048", 1580, (6, 6)),
    time_instance(
        "(20,3) ReLU 100, cross-entropy, Gaussian",
        "n=20&init=gaussian&loss=ce&every=10&held=2048",
        3170,
        (6, 6),
    ),
    time_instance(
        "(20,3) ReLU 100, cross-entropy, signs",
        "n=20&init=sign&loss=ce&every=10&held=2048",
        5160,
        (6, 6),
    ),
    // Figure 5.1, left.
    time_instance(
        "5.1 left: ReLU 10, B 32",
        "width=10&lr=0.5&steps=10000&every=10&held=2048",
        1980,
        (20, 20),
    ),
    time_instance("5.1 left: ReLU 10, B 1024", "width=10&lr=0.05&batch=1024&held=2048", 5100, (6, 6)),
    time_instance(
        "5.1 left: ReLU 100, B 1",
        "lr=0.05&batch=1&steps=40000&every=100&held=2048",
        18_200,
        (10, 10),
    ),
    time_instance("5.1 left: z³, width 10", "width=10&act=power&lr=0.05&every=10&held=2048", 420, (20, 20)),
    time_instance(
        "5.1 left: one k-zigzag",
        "width=1&act=zigzag&lr=0.2&steps=10000&every=10&held=2048",
        330,
        (20, 20),
    ),
    time_instance(
        "5.1 left: one sine",
        "width=1&act=sin&lr=0.05&steps=10000&every=10&held=2048",
        600,
        (18, 20),
    ),
    time_range_instance(
        "5.1 left: PolyNet",
        "model=polynet&lr=0.07&steps=5000&every=10&held=2048",
        (140, 400),
        (10, 10),
    ),
    time_instance(
        "2.6: bare sine, η 0.02",
        "width=1&act=sin&bias=hidden&second=ones&lr=0.02&steps=10000&every=10&held=2048",
        620,
        (20, 20),
    ),
    // Figure 4.4: the Parity Transformer.
    time_instance(
        "4.4: transformer, (10,2), 64/8/8/128, B 128",
        "model=parity-transformer&opt=adam&n=10&k=2&demb=64&heads=8&dmlp=128&batch=128&steps=1000&every=10&held=1024",
        120,
        (4, 4),
    ),
    time_instance(
        "4.4: transformer, (10,3), 32/4/8/64, B 256",
        "model=parity-transformer&opt=adam&n=10&batch=256&steps=6000&every=20&held=1024",
        1540,
        (6, 6),
    ),
    // Figure 5.1, right.
    time_instance("5.1 right: (10,2)", "n=10&k=2&lr=1&every=10&held=2048", 20, (20, 20)),
    time_instance("5.1 right: (20,2)", "n=20&k=2&lr=1&every=10&held=2048", 20, (20, 20)),
    time_instance("5.1 right: (30,2)", "n=30&k=2&lr=1&every=10&held=2048", 30, (20, 20)),
    time_instance("5.1 right: (10,3)", "n=10&lr=1&every=10&held=2048", 60, (20, 20)),
    time_instance("5.1 right: (15,3)", "n=15&lr=1&every=10&held=2048", 100, (20, 20)),
    time_instance("5.1 right: (20,3)", "n=20&lr=1&every=10&held=2048", 120, (20, 20)),
    time_instance("5.1 right: (25,3)", "n=25&lr=1&every=10&held=2048", 170, (20, 20)),
    time_instance("5.1 right: (30,3)", "n=30&lr=1&every=10&held=2048", 220, (20, 20)),
    time_instance("5.1 right: (10,4)", "n=10&k=4&lr=1&every=10&held=2048", 130, (20, 20)),
    time_instance("5.1 right: (15,4)", "n=15&k=4&lr=1&every=10&held=2048", 280, (20, 20)),
    time_instance("5.1 right: (20,4)", "n=20&k=4&lr=1&every=10&held=2048", 430, (20, 20)),
    time_instance("5.1 right: (25,4)", "n=25&k=4&lr=1&every=10&held=2048", 630, (20, 20)),
    time_instance("5.1 right: (30,4)", "n=30&k=4&lr=1&every=10&held=2048", 1190, (20, 20)),
    time_instance("5.2 right: (40,3)", "n=40&lr=1&every=10&held=2048", 360, (20, 20)),
    time_instance("5.2 right: (60,3)", "n=60&lr=1&every=10&held=2048", 700, (20, 20)),
    time_instance("5.2 right: (80,3)", "n=80&lr=1&every=10&held=2048", 1040, (20, 20)),
    time_instance("5.2 right: (120,3)", "n=120&lr=1&every=20&held=2048", 2660, (20, 20)),
    time_instance("5.2 right: (160,3)", "n=160&lr=1&every=20&held=2048", 4400, (20, 20)),
    time_instance("B.6: z², (10,2)", "n=10&k=2&act=power&degree=2&lr=0.01&every=10&held=2048", 170, (20, 20)),
    time_instance("B.6: z², (20,2)", "n=20&k=2&act=power&degree=2&lr=0.01&every=10&held=2048", 360, (20, 20)),
    time_instance("B.6: z², (30,2)", "n=30&k=2&act=power&degree=2&lr=0.01&every=10&held=2048", 440, (20, 20)),
    time_instance("B.6: z³, (10,3)", "n=10&act=power&lr=0.01&every=10&held=2048", 320, (20, 20)),
    time_instance("B.6: z³, (20,3)", "n=20&act=power&lr=0.01&every=10&held=2048", 610, (20, 20)),
    time_instance("B.6: z³, (30,3)", "n=30&act=power&lr=0.01&every=10&held=2048", 880, (20, 20)),
    time_instance("B.6: z⁴, (10,4)", "n=10&k=4&act=power&degree=4&lr=0.01&every=10&held=2048", 490, (20, 20)),
    time_instance(
        "B.6: z⁴, (20,4)",
        "n=20&k=4&act=power&degree=4&lr=0.01&every=10&held=2048",
        1480,
        (20, 20),
    ),
    time_instance(
        "B.6: z⁴, (30,4)",
        "n=30&k=4&act=power&degree=4&lr=0.01&every=10&held=2048",
        2620,
        (20, 20),
    ),
    // Figure 5.2.
    time_instance("5.2 left: (20,3) ReLU 100, η 1", "n=20&lr=1&every=5&held=2048", 115, (2000, 2000)),
    time_instance(
        "5.2 left: (30,3) bare sine, η 0.02",
        "n=30&width=1&act=sin&bias=hidden&second=ones&lr=0.02&steps=5000&every=5&held=2048",
        325,
        (1996, 2000),
    ),
    time_instance("5.2 left: (30,3) ReLU 10, η 0.1", "n=30&width=10&every=20&held=2048", 2600, (241, 300)),
    // Figure 5.3.
    value_instance("5.3: ρ at 300, parity", SINE_LINK, ExpectedMeasure::Movement, 300, 0.082),
    value_instance("5.3: ρ at 500, parity", SINE_LINK, ExpectedMeasure::Movement, 500, 0.123),
    value_instance("5.3: ρ at 300, noise", NOISY_SINE_LINK, ExpectedMeasure::Movement, 300, 0.027),
    value_instance("5.3: ρ at 500, noise", NOISY_SINE_LINK, ExpectedMeasure::Movement, 500, 0.035),
    // Figure 5.4, left.
    // Widths 1 and 2 count as converged at 55 % (figure B.10). The numbers are of a program in NumPy that counts ties as one
    // half; if ties count as wrong, no network of width 1 gets there.
    time_instance(
        "5.4 left: width 1, to 55 %",
        "n=30&width=1&bias=hidden&batch=128&target=0.55&every=20&held=2048",
        1830,
        (38, 40),
    ),
    time_instance(
        "5.4 left: width 2, to 55 %",
        "n=30&width=2&bias=hidden&batch=128&target=0.55&every=20&held=2048",
        1160,
        (40, 40),
    ),
    failed_instance("5.4 left: width 3", "n=30&width=3&bias=hidden&batch=128&every=20&held=2048", 20),
    time_instance(
        "5.4 left: width 7",
        "n=30&width=7&bias=hidden&batch=128&every=20&held=2048",
        2300,
        (15, 20),
    ),
    time_instance(
        "5.4 left: width 10",
        "n=30&width=10&bias=hidden&batch=128&every=20&held=2048",
        1680,
        (18, 20),
    ),
    time_instance(
        "5.4 left: width 30",
        "n=30&width=30&bias=hidden&batch=128&every=20&held=2048",
        1260,
        (20, 20),
    ),
    time_instance("5.4 left: width 100", "n=30&bias=hidden&batch=128&every=20&held=2048", 1100, (20, 20)),
    time_instance(
        "5.4 left: width 300",
        "n=30&width=300&bias=hidden&batch=128&every=20&held=2048",
        1060,
        (20, 20),
    ),
    time_instance(
        "5.4 left: width 1000",
        "n=30&width=1000&bias=hidden&batch=128&every=20&held=1024",
        1020,
        (20, 20),
    ),
    // Figures 5.4, right, and B.11, to 98 %.
    failed_instance(
        "B.11: m 300, λ 0.003",
        "n=30&m=300&bias=hidden&wd=0.003&steps=40000&target=0.98&every=100&held=2048",
        6,
    ),
    time_instance(
        "B.11: m 500, λ 0.003",
        "n=30&m=500&bias=hidden&wd=0.003&steps=40000&target=0.98&every=100&held=2048",
        28_800,
        (4, 6),
    ),
    time_instance(
        "B.11: m 700, λ 0.003",
        "n=30&m=700&bias=hidden&wd=0.003&steps=40000&target=0.98&every=100&held=2048",
        8700,
        (6, 6),
    ),
    time_instance(
        "B.11: m 1000, λ 0.003",
        "n=30&m=1000&bias=hidden&wd=0.003&steps=40000&target=0.98&every=100&held=2048",
        3200,
        (6, 6),
    ),
    time_instance(
        "B.11: m 2000, λ 0.003",
        "n=30&m=2000&bias=hidden&wd=0.003&steps=40000&target=0.98&every=100&held=2048",
        1300,
        (6, 6),
    ),
    failed_instance(
        "B.11: m 1000, λ 0",
        "n=30&m=1000&bias=hidden&steps=40000&target=0.98&every=100&held=2048",
        6,
    ),
    time_instance(
        "B.11: m 2000, λ 0",
        "n=30&m=2000&bias=hidden&steps=40000&target=0.98&every=100&held=2048",
        1500,
        (6, 6),
    ),
    time_instance(
        "B.11: m 500, λ 0.01",
        "n=30&m=500&bias=hidden&wd=0.01&steps=40000&target=0.98&every=100&held=2048",
        11_900,
        (5, 6),
    ),
    time_instance(
        "B.11: m 700, λ 0.01",
        "n=30&m=700&bias=hidden&wd=0.01&steps=40000&target=0.98&every=100&held=2048",
        3700,
        (6, 6),
    ),
    time_instance(
        "B.11: m 500, λ 0.03",
        "n=30&m=500&bias=hidden&wd=0.03&steps=40000&target=0.98&every=100&held=2048",
        4100,
        (6, 6),
    ),
    time_instance(
        "B.11: m 700, λ 0.03",
        "n=30&m=700&bias=hidden&wd=0.03&steps=40000&target=0.98&every=100&held=2048",
        2100,
        (6, 6),
    ),
    failed_instance(
        "B.11: m 1000, λ 0.1",
        "n=30&m=1000&bias=hidden&wd=0.1&steps=40000&target=0.98&every=100&held=2048",
        4,
    ),
    // Figure B.2.
    time_range_instance(
        "B.2: PolyNet, B 1, η 0.005",
        "model=polynet&lr=0.005&batch=1&every=20&held=2048",
        (1600, 6300),
        (10, 10),
    ),
    time_range_instance(
        "B.2: PolyNet, B 16, η 0.1",
        "model=polynet&batch=16&steps=5000&every=10&held=2048",
        (100, 560),
        (10, 10),
    ),
    time_range_instance(
        "B.2: PolyNet, B 1024, η 0.1",
        "model=polynet&batch=1024&steps=5000&every=10&held=2048",
        (100, 400),
        (10, 10),
    ),
    time_instance(
        "B.2: z³, width 3, (20,3)",
        "n=20&width=3&act=power&lr=0.05&every=10&held=2048",
        400,
        (20, 20),
    ),
    failed_instance(
        "B.2: ReLU, width 3, (20,3), no output bias",
        "n=20&width=3&bias=hidden&lr=0.3&every=20&held=2048",
        20,
    ),
    time_range_instance(
        "B.2: ReLU, width 3, (20,3), output bias, η 0.3",
        "n=20&width=3&lr=0.3&every=20&held=2048",
        (660, 8000),
        (8, 20),
    ),
    // Figure B.8, right.
    value_instance("B.8 right: Γ at 60", GAP_LINK, ExpectedMeasure::Gap, 60, 0.195),
    value_instance("B.8 right: Γ at 120", GAP_LINK, ExpectedMeasure::Gap, 120, 0.382),
    // Figure B.12, to 98 % on clean labels.
    time_instance("B.12: p 0", "n=30&target=0.98&held=2048", 1100, (6, 6)),
    time_instance("B.12: p 0.1", "n=30&noise=0.1&target=0.98&held=2048", 1600, (6, 6)),
    time_instance("B.12: p 0.25", "n=30&noise=0.25&target=0.98&held=2048", 2800, (6, 6)),
    time_instance("B.12: p 0.4", "n=30&noise=0.4&target=0.98&held=2048", 6900, (6, 6)),
    time_instance("B.12: p 0.25, B 256", "n=30&noise=0.25&batch=256&target=0.98&held=2048", 2100, (4, 4)),
    time_instance("B.12: p 0.4, B 256", "n=30&noise=0.4&batch=256&target=0.98&held=2048", 5900, (4, 4)),
    time_instance(
        "B.12: p 0.45, B 256",
        "n=30&noise=0.45&batch=256&steps=40000&target=0.98&every=100&held=2048",
        12_200,
        (4, 4),
    ),
    // Appendix B.3.7.
    time_range_instance(
        "B.3.7: L 3, (10,2)",
        "model=deep-mlp&n=10&k=2&lr=0.01&steps=10000&every=20&held=1024",
        (200, 1800),
        (10, 10),
    ),
    time_range_instance("B.3.7: L 3, (10,3)", "model=deep-mlp&n=10&lr=0.01&held=1024", (1200, 7700), (9, 10)),
    time_range_instance(
        "B.3.7: L 3, (10,4)",
        "model=deep-mlp&n=10&k=4&lr=0.01&held=1024",
        (1200, 2400),
        (9, 10),
    ),
    time_range_instance(
        "B.3.7: L 3, (20,4)",
        "model=deep-mlp&n=20&k=4&lr=0.01&held=1024",
        (2300, 15_800),
        (9, 10),
    ),
    failed_instance("B.3.7: L 3, (10,5)", "model=deep-mlp&n=10&k=5&lr=0.01&every=100&held=1024", 10),
    failed_instance("B.3.7: L 2, (10,3)", "model=deep-mlp&n=10&widths=2&lr=0.01&every=100&held=1024", 10),
    time_range_instance(
        "B.3.7: L 4, (10,6)",
        "model=deep-mlp&n=10&k=6&widths=10.10.1&lr=0.01&steps=50000&every=100&held=1024",
        (3000, 17_600),
        (10, 10),
    ),
    // Appendix B.3.8.
    value_instance(
        "B.13: z³ 1000, B 1024, accuracy at 160",
        WIDE_SETTINGS,
        ExpectedMeasure::TestAccuracy,
        160,
        0.537,
    ),
    value_instance(
        "B.13: z³ 1000, B 1024, accuracy at 400",
        WIDE_SETTINGS,
        ExpectedMeasure::TestAccuracy,
        400,
        0.573,
    ),
    value_instance(
        "B.13: z³ 10, B 32, accuracy at 400",
        "width=10&act=power&lr=0.01&steps=400&halt=steps&every=40",
        ExpectedMeasure::TestAccuracy,
        400,
        0.5,
    ),
];

/// Settings of a parity run as in a link: a network of one sine neuron on 30 bits, 500 steps of batch 256.
const SINE_LINK: &str =
    "n=30&width=1&act=sin&bias=hidden&second=ones&lr=0.01&batch=256&steps=500&halt=steps&held=1024";
/// Settings of a parity run as in a link: a network of one sine neuron on 30 bits, with label noise 0.5.
const NOISY_SINE_LINK: &str =
    "n=30&noise=0.5&width=1&act=sin&bias=hidden&second=ones&lr=0.01&batch=256&steps=500&halt=steps&held=1024";
/// Settings of a parity run as in a link: a network of one sine neuron on 15 bits, measured every 10 steps up
/// to step 120.
const GAP_LINK: &str =
    "n=15&width=1&act=sin&bias=hidden&second=ones&lr=0.01&steps=120&halt=steps&every=10&held=1024";
/// Settings of a parity run as in a link: 1,000 hidden units with a power activation, measured every 40 steps
/// up to step 400.
const WIDE_SETTINGS: &str = "width=1000&act=power&lr=0.01&batch=1024&steps=400&halt=steps&every=40&held=4096";
