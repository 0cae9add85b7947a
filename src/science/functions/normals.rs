//! Normal numbers from the words of a stream.

use vivarium_core::rng::Stream;

/// Appends standard normal numbers from the words `first` and those that follow, two from each pair (Box and Muller 1958).
pub(super) fn normals(stream: &Stream, step: u64, first: u32, count: usize, out: &mut Vec<f64>) {
    let unit = |word: u32| f64::from((word >> 8) as f32 * (1.0 / 16_777_216.0));
    let (mut words, mut left, mut at) = ([0; 16], count, first);
    while left > 0 {
        let numbers = left.min(16);
        stream.words(step, at, &mut words[..numbers.next_multiple_of(2)]);
        for (pair, rest) in words.chunks_exact(2).zip((1..=numbers).rev().step_by(2)) {
            let radius = (-2.0 * libm::log(1.0 - unit(pair[0]))).sqrt();
            let (sine, cosine) = libm::sincos(2.0 * std::f64::consts::PI * unit(pair[1]));
            out.push(radius * cosine);
            if rest > 1 {
                out.push(radius * sine);
            }
        }
        (left, at) = (left - numbers, at.wrapping_add(16));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_core::rng::Purpose;

    #[test]
    fn normal_numbers_do_not_depend_on_how_many_are_drawn() {
        let stream = Stream::new(2, Purpose::Function, 0);
        let (mut few, mut many) = (vec![], vec![]);
        normals(&stream, 3, 0, 17, &mut few);
        normals(&stream, 3, 0, 5000, &mut many);
        assert_eq!((few.as_slice(), many.len()), (&many[..17], 5000));
        let mean = many.iter().sum::<f64>() / 5000.0;
        let variance = many.iter().map(|x| x * x).sum::<f64>() / 5000.0;
        assert!(mean.abs() < 0.05 && (variance - 1.0).abs() < 0.08, "{mean} {variance}");
    }
}
