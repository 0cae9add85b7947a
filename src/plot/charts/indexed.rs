//! Small PNG files: few colours and maximum compression.
//!
//! # Why
//! A chart is one colour for the most part, and long rows of pixels repeat. The encoder that plotters brings writes three
//! bytes per pixel and compresses in haste: thirty times as large, for a hundred pictures that lie in the repository. `png`
//! stands below that encoder and writes palettes too.

use std::collections::BTreeMap;
use std::io;

use png::{BitDepth, ColorType, Compression, Encoder, FilterType};
use vivarium_core::sorting;

/// Maximum number of colours in the palette of a PNG picture.
const PALETTE_SIZE: usize = 12;

/// Encodes `[height, width, 3]` bytes as a PNG file with a palette of the most frequent colours.
///
/// # Errors
/// Errors of the encoder.
pub fn encode_png(pixels: &[u8], width: usize, height: usize) -> io::Result<Vec<u8>> {
    assert_eq!(pixels.len(), width * height * 3, "three bytes per pixel");
    let colours = build_palette(pixels);
    let mut rows = Vec::with_capacity(height * width.div_ceil(2));
    for row in pixels.chunks_exact(width * 3) {
        let indices: Vec<u8> = row.chunks_exact(3).map(|pixel| nearest_colour(&colours, pixel)).collect();
        rows.extend(indices.chunks(2).map(|pair| pair[0] << 4 | pair.get(1).unwrap_or(&0)));
    }
    let mut file = vec![];
    let mut encoder = Encoder::new(&mut file, width as u32, height as u32);
    encoder.set_color(ColorType::Indexed);
    encoder.set_depth(BitDepth::Four);
    encoder.set_palette(colours.concat());
    // Differences of indices mean nothing.
    encoder.set_filter(FilterType::NoFilter);
    encoder.set_compression(Compression::Best);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&rows)?;
    writer.finish()?;
    Ok(file)
}

/// Rounds a colour channel to one of sixteen levels, the multiples of 17.
fn quantise_channel(channel: u8) -> u8 {
    (u16::from(channel) + 8).min(255) as u8 / 17 * 17
}

/// The [`PALETTE_SIZE`] most frequent colours of the pixels, rounded to sixteen levels per channel, in descending order
/// of frequency.
fn build_palette(pixels: &[u8]) -> Vec<[u8; 3]> {
    let mut counts: BTreeMap<[u8; 3], usize> = BTreeMap::new();
    for pixel in pixels.chunks_exact(3) {
        *counts
            .entry([quantise_channel(pixel[0]), quantise_channel(pixel[1]), quantise_channel(pixel[2])])
            .or_default() += 1;
    }
    let mut colours: Vec<_> = counts.into_iter().collect();
    sorting::sort_by_key(&mut colours, |(colour, count)| (usize::MAX - count, *colour));
    colours.into_iter().take(PALETTE_SIZE).map(|(colour, _)| colour).collect()
}

/// Index, from 0, of the palette colour nearest to a pixel; both have the channels red, green and blue.
fn nearest_colour(colours: &[[u8; 3]], pixel: &[u8]) -> u8 {
    let distance = |colour: &[u8; 3]| -> u32 {
        colour.iter().zip(pixel).map(|(a, b)| u32::from(a.abs_diff(*b)).pow(2)).sum()
    };
    let at = (0..colours.len()).min_by_key(|at| distance(&colours[*at]));
    at.unwrap_or(0) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_keeps_its_frequent_colours() {
        let (width, height) = (5, 40);
        let mut pixels = [255u8, 255, 255].repeat(width * height);
        pixels[..3].copy_from_slice(&[0, 119, 170]);
        let file = encode_png(&pixels, width, height).unwrap();
        assert!(file.len() < 140, "{} bytes", file.len());
        let mut reader = png::Decoder::new(file.as_slice()).read_info().unwrap();
        let info = reader.info();
        assert_eq!((info.width, info.height), (5, 40));
        assert_eq!((info.color_type, info.bit_depth), (ColorType::Indexed, BitDepth::Four));
        assert_eq!(info.palette.as_deref().unwrap(), [255, 255, 255, 0, 119, 170]);
        let mut rows = vec![0; reader.output_buffer_size()];
        reader.next_frame(&mut rows).unwrap();
        assert_eq!(rows[..6], [0x10, 0, 0, 0, 0, 0]);
        assert_eq!(rows.len(), height * 3);
    }

    #[test]
    fn a_picture_of_noise_is_read_again() {
        let (width, height) = (64, 48);
        let grey = |i: u32| [(i.wrapping_mul(2_654_435_761) >> 28) as u8 * 17; 3];
        let pixels: Vec<u8> = (0..width * height).flat_map(|i| grey(i as u32)).collect();
        let file = encode_png(&pixels, width, height).unwrap();
        let mut decoder = png::Decoder::new(file.as_slice());
        decoder.set_transformations(png::Transformations::EXPAND);
        let mut reader = decoder.read_info().unwrap();
        let mut read = vec![0; reader.output_buffer_size()];
        reader.next_frame(&mut read).unwrap();
        let common = build_palette(&pixels);
        assert_eq!(common.len(), PALETTE_SIZE);
        assert_eq!(read.len(), pixels.len());
        for (read, pixel) in read.chunks_exact(3).zip(pixels.chunks_exact(3)) {
            assert_eq!(read, common[usize::from(nearest_colour(&common, pixel))]);
        }
    }
}
