//! Double precision made of whole numbers, on the GPU against the processor.

use crate::launch::device::gpu_or_skip;
use cubecl::prelude::*;
use vivarium_core::rng::{Purpose, RandomStream};
use vivarium_kernels::client::client;
use vivarium_kernels::sequence_net::double::{BIAS, Double, less, load, one, product, quotient, store, sum};

#[cube(launch_unchecked)]
fn check(pairs: &[u32], cells: &mut [f32], out: &mut [u32]) {
    let at = ABSOLUTE_POS;
    let (from, to) = (6 * at, 10 * at);
    let x = Double { hi: pairs[from], lo: pairs[from + 1], power: pairs[from + 2] };
    let y = Double { hi: pairs[from + 3], lo: pairs[from + 4], power: pairs[from + 5] };
    // There and back.
    store(cells, at, CUBE_COUNT * 64, &sum(&x, &y));
    put(out, to, &load(&*cells, at, CUBE_COUNT * 64));
    put(out, to + 3, &product(&x, &y));
    put(out, to + 6, &quotient(&x, &y));
    out[to + 9] = one(less(&x, &y));
}

#[cube]
fn put(out: &mut [u32], at: usize, x: &Double) {
    out[at] = x.hi;
    out[at + 1] = x.lo;
    out[at + 2] = x.power;
}

fn words(x: f64) -> [u32; 3] {
    let bits = x.to_bits();
    let exponent = (bits >> 52) as u32;
    if exponent == 0 {
        return [0; 3];
    }
    let whole = bits & ((1 << 52) - 1) | 1 << 52;
    [(whole >> 32) as u32, whole as u32, exponent + BIAS - 1075]
}

/// Numbers whose bits are drawn, or mostly alike, so that sums and products fall between two numbers.
fn numbers(count: usize) -> Vec<f64> {
    let mut draws = vec![0; 4 * count];
    RandomStream::new(5, Purpose::Batch, 0).fill_u32(0, 0, &mut draws);
    let number = |draw: &[u32]| {
        let bits = u64::from(draw[0]) << 32 | u64::from(draw[1]);
        let keep = draw[2] % 54;
        let (all, some) = ((1u64 << 52) - 1, ((1u64 << 52) - 1) >> keep);
        let fraction = match draw[2] >> 8 & 3 {
            0 => bits & all,
            1 => bits & all & !some,
            2 => (bits | !some) & all,
            _ => bits & some & ((1 << 26) - 1),
        };
        let exponent = 1023 + u64::from(draw[3] % 80) - 40;
        if draw[3] >> 8 & 63 == 0 { 0.0 } else { f64::from_bits(exponent << 52 | fraction) }
    };
    draws.chunks(4).map(number).collect()
}

#[test]
#[expect(unsafe_code, reason = "launching a kernel hands it raw buffers")]
fn every_bit_is_that_of_the_processor() {
    if gpu_or_skip().is_none() {
        return;
    }
    let (client, count) = (client(), 64 * 1024);
    let numbers = numbers(2 * count);
    let pairs: Vec<u32> = numbers.iter().flat_map(|x| words(*x)).collect();
    let input = client.create_from_slice(u32::as_bytes(&pairs));
    let out = client.empty(4 * 10 * count);
    let cells = client.empty(4 * 3 * count);
    // SAFETY: the lengths are those of the buffers, and every lane has its own numbers.
    unsafe {
        check::launch_unchecked(
            &client,
            CubeCount::Static((count / 64) as u32, 1, 1),
            CubeDim::new_1d(64),
            BufferArg::from_raw_parts(input, pairs.len()),
            BufferArg::from_raw_parts(cells, 3 * count),
            BufferArg::from_raw_parts(out.clone(), 10 * count),
        );
    }
    let bytes = pollster::block_on(client.read_async(vec![out])).unwrap().remove(0);
    for (pair, found) in numbers.chunks(2).zip(u32::from_bytes(&bytes).chunks(10)) {
        let (x, y) = (pair[0], pair[1]);
        assert_eq!(found[..3], words(x + y), "{x:e} + {y:e}");
        assert_eq!(found[3..6], words(x * y), "{x:e} · {y:e}");
        if y > 0.0 {
            assert_eq!(found[6..9], words(x / y), "{x:e} / {y:e}");
        }
        assert_eq!(found[9], u32::from(x < y), "{x:e} < {y:e}");
    }
}
