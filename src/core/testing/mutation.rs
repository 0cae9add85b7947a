//! Files that are changed at random, for the tests of every crate that reads what comes from outside.
//!
//! `VIVARIUM_MUTATIONS=1000000` tries so many files of each kind instead of ten thousand.

/// Files of each kind that are tried.
pub fn many() -> u32 {
    std::env::var("VIVARIUM_MUTATIONS").ok().and_then(|many| many.parse().ok()).unwrap_or(10_000)
}

/// Random whole numbers, the same at every run: SplitMix64 (Steele, Lea and Flood 2014).
#[derive(Debug)]
pub struct Dice(u64);

impl Dice {
    /// Those of file number `of`.
    pub fn new(of: u32) -> Dice {
        Dice(u64::from(of) << 32)
    }

    /// One below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let word = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((word >> 32) as usize) % end.max(1)
    }
}

/// Pieces that a file may come to hold.
const PIECES: &[&str] = &[
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

/// `bytes` with a few changes.
pub fn changed(bytes: &[u8], dice: &mut Dice) -> Vec<u8> {
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
            5 => drop(out.splice(from..to, PIECES[dice.below(PIECES.len())].bytes())),
            _ => drop(out.splice(from..from, PIECES[dice.below(PIECES.len())].bytes())),
        }
    }
    out
}
