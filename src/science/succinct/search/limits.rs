//! How large tasks, searches and networks may be.

/// Number of rules: 3⁹.
pub const RULES: u32 = 19_683;
/// Most queries of a task that are drawn at once.
pub const MOST_QUERIES: usize = 10_000;
/// Most cells of all images together, of the queries that are drawn at once.
pub const MOST_CELLS: u64 = 1 << 23;
/// Most restarts of a search.
pub const MOST_RESTARTS: u32 = 100_000;
/// Most rules that all repetitions of a search look at together.
pub const MOST_LOOKS: u64 = 100_000_000;
/// Most points of a network through points.
pub const MOST_POINTS: usize = 32;
/// Largest place or value of such a point, in size.
pub const MOST_REACH: f64 = 1_000.0;
/// Smallest distance of two such points.
pub const LEAST_GAP: f64 = 1e-3;
