//! Maximum sizes of query batches, searches and point networks.

/// Number of rules for cells: 3⁹, one of three values for each of nine pairs of cell values.
pub const RULE_COUNT: u32 = 19_683;
/// Maximum number of queries in a batch.
pub const MAX_QUERIES: usize = 10_000;
/// Maximum number of cells of all images of a batch together.
pub const MAX_BATCH_CELLS: u64 = 1 << 23;
/// Maximum number of restarts of a search.
pub const MAX_RESTARTS: u32 = 100_000;
/// Maximum number of rules drawn in all repetitions of a search by random restarts together.
pub const MAX_RULE_DRAWS: u64 = 100_000_000;
/// Maximum number of points of a [`PointNetwork`](super::PointNetwork).
pub const MAX_POINTS: usize = 32;
/// Maximum absolute value of a point's x and y.
pub const MAX_COORDINATE: f64 = 1_000.0;
/// Minimum distance between the x of two points.
pub const MIN_POINT_GAP: f64 = 1e-3;
