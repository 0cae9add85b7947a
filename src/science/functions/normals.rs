//! Normal numbers from the random words of a stream.

use vivarium_core::rng::{RandomStream, normal_pair};

/// Appends `count` standard normal numbers to `out`, made from the random words of `stream` at step number `step`,
/// beginning with word `first`: two numbers from each pair of words (Box and Muller 1958).
pub(super) fn append_normals(stream: &RandomStream, step: u64, first: u32, count: usize, out: &mut Vec<f64>) {
    let (mut words, mut left, mut at) = ([0; 16], count, first);
    while left > 0 {
        let numbers = left.min(16);
        stream.fill_u32(step, at, &mut words[..numbers.next_multiple_of(2)]);
        for (pair, rest) in words.chunks_exact(2).zip((1..=numbers).rev().step_by(2)) {
            out.extend(normal_pair([pair[0], pair[1]]).into_iter().take(rest));
        }
        (left, at) = (left - numbers, at.wrapping_add(16));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_core::rng::Purpose;

    #[test]
    fn normal_numbers_do_not_depend_on_their_count() {
        let stream = RandomStream::new(2, Purpose::Function, 0);
        let (mut few, mut many) = (vec![], vec![]);
        append_normals(&stream, 3, 0, 17, &mut few);
        append_normals(&stream, 3, 0, 5000, &mut many);
        assert_eq!((few.as_slice(), many.len()), (&many[..17], 5000));
        let mean = many.iter().sum::<f64>() / 5000.0;
        let variance = many.iter().map(|x| x * x).sum::<f64>() / 5000.0;
        assert!(mean.abs() < 0.05 && (variance - 1.0).abs() < 0.08, "{mean} {variance}");
    }
}
