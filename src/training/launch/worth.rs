//! From how much work on a GPU is worth its launches.

/// Operations of one step above which a GPU with autodiff is faster than one processor core with our loop, and
/// with flex where our loop does not cover the network.
///
/// # Why
/// A step through autodiff is a fixed chain of launches: 1,020 steps/s on an NVIDIA H200 whatever the size. Our
/// loop makes 40 to 55 Gflop/s in a browser (63,000 steps/s of 0.64 Mflop, 7,600 of 6.4, 290 of 205), flex 5 to
/// 12: the lines cross near 50 and near 8 Mflop. A laptop's GPU is slower than that one, so the first is doubled.
/// 2026-11-21.
pub const AUTODIFF_WORTH_FLOPS: f64 = 1e8;
/// See [`AUTODIFF_WORTH_FLOPS`].
pub const AUTODIFF_WORTH_FLOPS_OVER_FLEX: f64 = 8e6;

/// Replicas from which on a GPU with fused kernels is faster than one processor core.
///
/// # Why
/// A replica is one workgroup, a small part of any GPU: the prototype's made 42 Gflop/s on an H200, no more than
/// the processor, but 132 of them run at once there, and 8 or more on a laptop's GPU. Below that the processor
/// is as fast, and starts without a shader to compile. 2026-11-21.
pub const FUSED_WORTH_REPLICAS: usize = 8;

/// Operations of one replica's step above which autodiff, which spreads them over the whole GPU, is faster than
/// a kernel that keeps them in one workgroup: a millisecond of launches against as long in one workgroup.
pub const FUSED_MOST_FLOPS: f64 = 5e7;

/// Operations of one step of a network on pairs above which a GPU with our kernels is faster than our loop on the
/// processor.
///
/// # Why
/// The loop makes some 20 to 40 Gflop/s, so that p = 23 with 200 neurons (15 Mflop) takes it half a millisecond. On an
/// NVIDIA H200 a step of that takes 70 µs, a ninth of what the loop takes on a core of the same machine; p = 71 with 500
/// neurons takes 1.1 ms, a sixteenth; S5 with 2,000 takes 4.5 ms, a seventieth (2026-11-26). A laptop's GPU is some ten times
/// slower than that one and about even at 15 Mflop, so that the constant stays where it was.
pub const PAIRS_WORTH_FLOPS: f64 = 2e7;

/// Operations of one step of a network on sequences above which a GPU with our kernels is faster than our loop on the
/// processor.
///
/// # Why
/// The loop makes some 20 Gflop/s, so that this is half a millisecond. A GPU takes a workgroup to a sequence and two
/// launches to a step. An NVIDIA H200 takes 0.17 ms for k = 2, T = 50 in batches of 32 (38 Mflop), where the loop takes
/// 0.72 ms on a core of the same machine; 0.39 ms against 4.3 ms for k = 3, T = 100 in batches of 64; 1.4 ms against 18 ms for
/// trigrams (2026-11-26). A laptop's GPU takes sequences in turns and several times as long.
pub const SEQUENCES_WORTH_FLOPS: f64 = 1e7;

/// Operations of one step of a network on prompts above which a GPU with our kernels is faster than our loop on the
/// processor.
///
/// # Why
/// As for sequences: a step of attention is two launches, or six where codes are not one-hot, one of a perceptron four and
/// three for each hidden layer. The host draws the prompts for both devices, so that small networks are hardly faster on any
/// GPU. On an NVIDIA H200 attention with N = 16 (23 Mflop) makes 2,020 steps a second and the loop on a core of the same
/// machine 1,570; the MLP with N = 8 (13 Mflop) 2,510 and 960, with N = 4 (9 Mflop) 2,330 and 3,350 (2026-11-26).
pub const PROMPTS_WORTH_FLOPS: f64 = 1e7;

/// Operations of one step of a recurrent network, by its positions, above which a GPU with autodiff is faster than our
/// loop on the processor.
///
/// # Why
/// A position takes autodiff some hundred launches, forth and back and in both directions. On an NVIDIA H200 the race takes
/// 23 ms a step with N = 4, 42 ms with N = 8 and 96 ms with N = 16, where the loop on a core of the same machine takes 1.0, 1.5
/// and 3.2 ms at 48 to 67 Gflop/s (2026-11-26). A laptop's GPU is slower.
pub const POSITION_WORTH_FLOPS: f64 = 1e8;

/// Operations of one step of a decoder on points above which a GPU with autodiff is faster than our loop on the processor.
///
/// # Why
/// A layer takes autodiff about two hundred launches, there and back and for the optimizer. On an NVIDIA H200 a step takes
/// 11 ms with one layer, 18 ms with two and 32 ms with four, where the loop on a core of the same machine takes 2.4, 5.1 and
/// 11.5 ms at 42 to 51 Gflop/s (2026-11-26): the lines cross near 0.9 Gflop for two layers and 1.4 Gflop for four.
pub const IN_CONTEXT_WORTH_FLOPS: f64 = 1e9;

/// Operations of a whole search for a rule, on words of 64 queries, above which a GPU is faster than our loop on the
/// processor, with the time in which its shader is compiled.
///
/// # Why
/// The loop takes four to eight seconds for these; an NVIDIA H200 takes a thirtieth of that (2026-11-26), and a browser about
/// a second to fetch the other program and to compile.
pub const RULES_WORTH_OPERATIONS: f64 = 1e11;
