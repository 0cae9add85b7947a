//! Small PNG files: few colours, and a deflate stream with the fixed codes (RFC 1950 and 1951, PNG 3rd edition).
//!
//! # Why
//! A chart is one colour for the most part, and long rows of pixels repeat. The encoder that plotters brings writes three
//! bytes per pixel and compresses in haste: thirty times as large, for a hundred pictures that lie in the repository.

use std::collections::BTreeMap;
use vivarium_core::sorting;

/// Colours of a picture.
const COLOURS: usize = 12;
/// Reach of a repetition, and how long one can be.
const REACH: usize = 32_768;
const LONGEST: usize = 258;
/// Earlier places that are tried for a repetition.
const TRIES: usize = 512;

/// A picture of `[height, width, 3]` bytes as a PNG file of its most frequent colours.
pub fn png(pixels: &[u8], width: usize, height: usize) -> Vec<u8> {
    assert_eq!(pixels.len(), width * height * 3, "three bytes per pixel");
    let colours = palette(pixels);
    let mut rows = Vec::with_capacity(height * (width / 2 + 2));
    for row in pixels.chunks_exact(width * 3) {
        rows.push(0);
        let places: Vec<u8> = row.chunks_exact(3).map(|pixel| nearest(&colours, pixel)).collect();
        rows.extend(places.chunks(2).map(|pair| pair[0] << 4 | pair.get(1).unwrap_or(&0)));
    }
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut head = vec![];
    head.extend((width as u32).to_be_bytes());
    head.extend((height as u32).to_be_bytes());
    // Four bits per pixel, of a palette.
    head.extend([4, 3, 0, 0, 0]);
    chunk(&mut file, b"IHDR", &head);
    chunk(&mut file, b"PLTE", &colours.concat());
    chunk(&mut file, b"IDAT", &zlib(&rows));
    chunk(&mut file, b"IEND", &[]);
    file
}

/// A channel with sixteen steps.
fn coarse(channel: u8) -> u8 {
    (u16::from(channel) + 8).min(255) as u8 / 17 * 17
}

fn palette(pixels: &[u8]) -> Vec<[u8; 3]> {
    let mut counts: BTreeMap<[u8; 3], usize> = BTreeMap::new();
    for pixel in pixels.chunks_exact(3) {
        *counts.entry([coarse(pixel[0]), coarse(pixel[1]), coarse(pixel[2])]).or_default() += 1;
    }
    let mut colours: Vec<_> = counts.into_iter().collect();
    sorting::sort_by_key(&mut colours, |(colour, count)| (usize::MAX - count, *colour));
    colours.into_iter().take(COLOURS).map(|(colour, _)| colour).collect()
}

fn nearest(colours: &[[u8; 3]], pixel: &[u8]) -> u8 {
    let distance = |colour: &[u8; 3]| -> u32 {
        colour.iter().zip(pixel).map(|(a, b)| u32::from(a.abs_diff(*b)).pow(2)).sum()
    };
    let at = (0..colours.len()).min_by_key(|at| distance(&colours[*at]));
    at.unwrap_or(0) as u8
}

fn chunk(file: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    file.extend((data.len() as u32).to_be_bytes());
    let begin = file.len();
    file.extend(kind);
    file.extend(data);
    let sum = crc(&file[begin..]);
    file.extend(sum.to_be_bytes());
}

/// The remainder of CRC-32, as PNG and ZIP have it.
pub fn crc(bytes: &[u8]) -> u32 {
    let table: [u32; 256] = std::array::from_fn(|byte| {
        (0..8).fold(byte as u32, |sum, _| if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 })
    });
    !bytes.iter().fold(!0, |sum: u32, byte| sum >> 8 ^ table[(sum as u8 ^ byte) as usize])
}

/// Bits of a deflate stream, the lowest first.
#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    held: u64,
    count: u32,
}

impl Bits {
    fn push(&mut self, bits: u32, count: u32) {
        self.held |= u64::from(bits) << self.count;
        self.count += count;
        while self.count >= 8 {
            self.bytes.push(self.held as u8);
            self.held >>= 8;
            self.count -= 8;
        }
    }

    /// A code, whose highest bit comes first.
    fn code(&mut self, code: u32, count: u32) {
        self.push(code.reverse_bits() >> (32 - count), count);
    }

    /// A literal, a length or the end, by the fixed codes.
    fn symbol(&mut self, symbol: u32) {
        match symbol {
            0..=143 => self.code(0x30 + symbol, 8),
            144..=255 => self.code(0x190 + symbol - 144, 9),
            256..=279 => self.code(symbol - 256, 7),
            _ => self.code(0xc0 + symbol - 280, 8),
        }
    }

    fn repeat(&mut self, length: usize, distance: usize) {
        // Codes 257 to 284 come in fours, each four with one bit more; 258 has a code of its own.
        if length == LONGEST {
            self.symbol(285);
        } else {
            let (code, extra, rest) = stepped(length - 3, 4);
            self.symbol(257 + code);
            self.push(rest, extra);
        }
        let (code, extra, rest) = stepped(distance - 1, 2);
        self.code(code, 5);
        self.push(rest, extra);
    }
}

/// The code of `value` where codes come in groups of `group` with one bit more each, its further bits, and their value.
fn stepped(value: usize, group: usize) -> (u32, u32, u32) {
    if value < 2 * group {
        return (value as u32, 0, 0);
    }
    let extra = (value / group).ilog2();
    let code = extra as usize * group + (value >> extra);
    (code as u32, extra, (value & ((1 << extra) - 1)) as u32)
}

/// The data as a zlib stream.
pub(super) fn zlib(data: &[u8]) -> Vec<u8> {
    let mut bits = Bits::default();
    bits.push(0x9c78, 16);
    // The last block, with fixed codes.
    bits.push(0b011, 3);
    // The newest place of every three bytes, and for every place the one before it.
    let mut newest: BTreeMap<[u8; 3], usize> = BTreeMap::new();
    let mut before = vec![usize::MAX; data.len()];
    let mut at = 0;
    while at < data.len() {
        let (length, distance) = repetition(data, at, &newest, &before);
        let step = if length >= 3 {
            bits.repeat(length, distance);
            length
        } else {
            bits.symbol(u32::from(data[at]));
            1
        };
        for place in at..(at + step).min(data.len().saturating_sub(2)) {
            let key = [data[place], data[place + 1], data[place + 2]];
            before[place] = newest.insert(key, place).unwrap_or(usize::MAX);
        }
        at += step;
    }
    bits.symbol(256);
    bits.push(0, (8 - bits.count % 8) % 8);
    let (a, b) = data.iter().fold((1u32, 0u32), |(a, b), byte| {
        let a = (a + u32::from(*byte)) % 65_521;
        (a, (b + a) % 65_521)
    });
    let mut bytes = bits.bytes;
    bytes.extend((b << 16 | a).to_be_bytes());
    bytes
}

/// The longest repetition of earlier data from `at` on, and how far back it is; shorter than three is none.
fn repetition(data: &[u8], at: usize, newest: &BTreeMap<[u8; 3], usize>, before: &[usize]) -> (usize, usize) {
    let Some(&[a, b, c]) = data.get(at..at + 3) else { return (0, 0) };
    let most = LONGEST.min(data.len() - at);
    let (mut best, mut place) = ((0, 0), newest.get(&[a, b, c]).copied().unwrap_or(usize::MAX));
    for _ in 0..TRIES {
        if place == usize::MAX || at - place > REACH {
            break;
        }
        let length = (0..most).take_while(|i| data[place + i] == data[at + i]).count();
        if length > best.0 {
            best = (length, at - place);
        }
        if length == most {
            break;
        }
        place = before[place];
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads what [`zlib`] writes, by the tables of RFC 1951, section 3.2.5.
    fn unzipped(stream: &[u8]) -> Vec<u8> {
        const LENGTHS: [usize; 29] = [
            3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131,
            163, 195, 227, 258,
        ];
        const DISTANCES: [usize; 30] = [
            1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049,
            3073, 4097, 6145, 8193, 12289, 16385, 24577,
        ];
        let mut at = 16;
        let mut bit = || {
            at += 1;
            usize::from(stream[(at - 1) / 8] >> ((at - 1) % 8) & 1)
        };
        assert_eq!([bit(), bit(), bit()], [1, 1, 0]);
        let mut out: Vec<u8> = vec![];
        loop {
            let high = |n: usize, bit: &mut dyn FnMut() -> usize| (0..n).fold(0, |v, _| v << 1 | bit());
            let low = |n: usize, bit: &mut dyn FnMut() -> usize| (0..n).fold(0, |v, i| v | bit() << i);
            let seven = high(7, &mut bit);
            let symbol = match seven {
                0..=23 => 256 + seven,
                24..=95 => (seven << 1 | bit()) - 0x30,
                96..=99 => (seven << 1 | bit()) - 0xc0 + 280,
                _ => (seven << 2 | high(2, &mut bit)) - 0x190 + 144,
            };
            match symbol {
                256 => return out,
                0..=255 => out.push(symbol as u8),
                _ => {
                    let code = symbol - 257;
                    let extra = if code < 8 || code == 28 { 0 } else { code / 4 - 1 };
                    let length = LENGTHS[code] + low(extra, &mut bit);
                    let code = high(5, &mut bit);
                    let extra = if code < 4 { 0 } else { code / 2 - 1 };
                    let distance = DISTANCES[code] + low(extra, &mut bit);
                    (0..length).for_each(|_| out.push(out[out.len() - distance]));
                }
            }
        }
    }

    #[test]
    fn what_is_compressed_is_read_again() {
        let noise: Vec<u8> = (0..70_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 11) as u8).collect();
        let runs: Vec<u8> = (0..100_000).map(|i| if i % 1000 < 997 { 7 } else { (i / 1000) as u8 }).collect();
        let mixed: Vec<u8> = noise.iter().take(40_000).chain(&noise[..5_000]).copied().collect();
        for data in [vec![], vec![1], vec![2, 2, 2, 2], noise, runs.clone(), mixed] {
            assert_eq!(unzipped(&zlib(&data)), data);
        }
        assert!(zlib(&runs).len() < 2_000);
    }

    #[test]
    fn sums_are_the_published_ones() {
        assert_eq!(crc(b"123456789"), 0xcbf4_3926);
        let stream = zlib(b"Wikipedia");
        assert_eq!(stream[stream.len() - 4..], 0x11e6_0398u32.to_be_bytes());
    }

    #[test]
    fn a_picture_keeps_its_frequent_colours() {
        let (width, height) = (5, 40);
        let mut pixels = [255u8, 255, 255].repeat(width * height);
        pixels[..3].copy_from_slice(&[0, 119, 170]);
        let file = png(&pixels, width, height);
        assert_eq!(&file[..8], b"\x89PNG\r\n\x1a\n");
        assert_eq!(file[16..24], [0, 0, 0, 5, 0, 0, 0, 40]);
        let place = |name: &[u8]| file.windows(4).position(|w| w == name).unwrap() + 4;
        assert_eq!(file[place(b"PLTE")..][..6], [255, 255, 255, 0, 119, 170]);
        let rows = unzipped(&file[place(b"IDAT")..]);
        assert_eq!(rows[..8], [0, 0x10, 0, 0, 0, 0, 0, 0]);
        assert_eq!(rows.len(), height * 4);
        assert!(file.len() < 140);
    }
}
