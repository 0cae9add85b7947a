//! Maximum sizes of query batches, searches and point networks.

/// Number of rules for cells: 3⁹, one of three values for each of nine pairs of cell values.
pub const RULE_COUNT: u32 = 19_683;
/// Maximum number of queries on which rules are scored together.
pub const MAX_QUERIES: usize = 10_000;
/// Maximum number of cells of the images of all queries that are scored together.
pub const MAX_BATCH_CELLS: u64 = 1 << 23;
/// Maximum number of restarts, that is, of rules drawn, in one search by random restarts.
pub const MAX_RESTARTS: u32 = 100_000;
/// Maximum number of rules drawn in all repetitions of a search by random restarts together.
pub const MAX_RULE_DRAWS: u64 = 100_000_000;
/// Maximum number of points of a [`PointNetwork`](super::PointNetwork).
pub const MAX_POINTS: usize = 32;
/// Maximum absolute value of the input x and the output y of an interpolation point.
pub const MAX_COORDINATE: f64 = 1_000.0;
/// Minimum distance between the inputs x of two interpolation points; closer points are an error.
pub const MIN_POINT_GAP: f64 = 1e-3;
