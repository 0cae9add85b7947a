//! Randomly corrupted files, for the tests of every crate that reads untrusted files.
//!
//! `VIVARIUM_MUTATIONS=1000000` tries this many files of each kind instead of ten thousand.

/// Number of corrupted files of each kind that a test tries: `VIVARIUM_MUTATIONS` from the environment, or 10,000.
pub fn mutation_count() -> u32 {
    std::env::var("VIVARIUM_MUTATIONS").ok().and_then(|many| many.parse().ok()).unwrap_or(10_000)
}

/// Generator of random whole numbers, the same in every run of a test: SplitMix64 (Steele, Lea and Flood 2014).
#[derive(Debug)]
pub struct MutationRng(u64);

impl MutationRng {
    /// Generator of the random changes to corrupted file number `file_number` of a test; the number is the seed.
    pub fn new(file_number: u32) -> MutationRng {
        MutationRng(u64::from(file_number) << 32)
    }

    /// Draws a number in `0..end`; 0 where `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let word = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((word >> 32) as usize) % end.max(1)
    }
}

/// Pieces of text, such as brackets and extreme numbers, one of which [`mutate`] inserts into the content of a file.
const FRAGMENTS: &[&str] = &[
    "\"",
    "\\",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\n",
    ";",
    "\t",
    "null",
    "true",
    "-1",
    "0",
    "1e999",
    "-1e308",
    "1e-400",
    "nan",
    "18446744073709551615",
    "9007199254740993",
    "4294967296",
    "\u{0}",
    "\u{feff}",
    "é",
    "\\ud800",
    "[[[[[[",
    "{\"a\":{",
    "\"rows\":[",
    "\"solved\":",
    "\"format\":\"vivarium-run\",",
    "\"version\":9,",
    "replicas=4096",
    "step",
    "F32",
    "[0,4]",
];

/// Returns the content `bytes` of a file with one to three random changes, such as a flipped bit, a removed part or an
/// inserted text.
pub fn mutate(bytes: &[u8], dice: &mut MutationRng) -> Vec<u8> {
    let mut out = bytes.to_vec();
    for _ in 0..=dice.below(3) {
        let (from, length) = (dice.below(out.len()), dice.below(24));
        let to = out.len().min(from + length);
        match dice.below(8) {
            0 if from < out.len() => out[from] ^= 1 << dice.below(8),
            1 if from < out.len() => out[from] = dice.below(256) as u8,
            2 => drop(out.drain(from..to)),
            3 => out.truncate(from),
            4 => {
                let part = out[from..to].to_vec();
                let at = dice.below(out.len() + 1);
                out.splice(at..at, part);
            }
            5 => drop(out.splice(from..to, FRAGMENTS[dice.below(FRAGMENTS.len())].bytes())),
            _ => drop(out.splice(from..from, FRAGMENTS[dice.below(FRAGMENTS.len())].bytes())),
        }
    }
    out
}
