//! SHA-256 (FIPS 180-4), by which browsers check what they fetch, and Base64, in which they are told it.
//!
//! # Why
//! This program has no dependencies, and the browser's own check (Subresource Integrity) takes no weaker sum.

/// The first 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4, section 4.2.2).
const ROUNDS: [u32; 64] = [
    0x428a_2f98,
    0x7137_4491,
    0xb5c0_fbcf,
    0xe9b5_dba5,
    0x3956_c25b,
    0x59f1_11f1,
    0x923f_82a4,
    0xab1c_5ed5,
    0xd807_aa98,
    0x1283_5b01,
    0x2431_85be,
    0x550c_7dc3,
    0x72be_5d74,
    0x80de_b1fe,
    0x9bdc_06a7,
    0xc19b_f174,
    0xe49b_69c1,
    0xefbe_4786,
    0x0fc1_9dc6,
    0x240c_a1cc,
    0x2de9_2c6f,
    0x4a74_84aa,
    0x5cb0_a9dc,
    0x76f9_88da,
    0x983e_5152,
    0xa831_c66d,
    0xb003_27c8,
    0xbf59_7fc7,
    0xc6e0_0bf3,
    0xd5a7_9147,
    0x06ca_6351,
    0x1429_2967,
    0x27b7_0a85,
    0x2e1b_2138,
    0x4d2c_6dfc,
    0x5338_0d13,
    0x650a_7354,
    0x766a_0abb,
    0x81c2_c92e,
    0x9272_2c85,
    0xa2bf_e8a1,
    0xa81a_664b,
    0xc24b_8b70,
    0xc76c_51a3,
    0xd192_e819,
    0xd699_0624,
    0xf40e_3585,
    0x106a_a070,
    0x19a4_c116,
    0x1e37_6c08,
    0x2748_774c,
    0x34b0_bcb5,
    0x391c_0cb3,
    0x4ed8_aa4a,
    0x5b9c_ca4f,
    0x682e_6ff3,
    0x748f_82ee,
    0x78a5_636f,
    0x84c8_7814,
    0x8cc7_0208,
    0x90be_fffa,
    0xa450_6ceb,
    0xbef9_a3f7,
    0xc671_78f2,
];

/// The sum of all bytes.
pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    // The same of the square roots of the first eight primes (section 5.3.3).
    let mut sum: [u32; 8] = [
        0x6a09_e667,
        0xbb67_ae85,
        0x3c6e_f372,
        0xa54f_f53a,
        0x510e_527f,
        0x9b05_688c,
        0x1f83_d9ab,
        0x5be0_cd19,
    ];
    let mut blocks = bytes.chunks_exact(64);
    blocks.by_ref().for_each(|block| mix(&mut sum, block));
    // A one, zeros up to a whole block, and the length in bits (section 5.1.1).
    let mut end = blocks.remainder().to_vec();
    end.push(0x80);
    end.resize((end.len() + 8).next_multiple_of(64) - 8, 0);
    end.extend((bytes.len() as u64 * 8).to_be_bytes());
    end.chunks_exact(64).for_each(|block| mix(&mut sum, block));
    let mut out = [0; 32];
    for (place, word) in out.chunks_exact_mut(4).zip(sum) {
        place.copy_from_slice(&word.to_be_bytes());
    }
    out
}

/// Section 6.2.2: one block of 64 bytes.
fn mix(sum: &mut [u32; 8], block: &[u8]) {
    let mut words = [0u32; 64];
    for (word, four) in words.iter_mut().zip(block.chunks_exact(4)) {
        *word = four.iter().fold(0, |word, byte| word << 8 | u32::from(*byte));
    }
    for t in 16..64 {
        let (old, new) = (words[t - 15], words[t - 2]);
        let low = old.rotate_right(7) ^ old.rotate_right(18) ^ (old >> 3);
        let high = new.rotate_right(17) ^ new.rotate_right(19) ^ (new >> 10);
        words[t] = words[t - 16].wrapping_add(low).wrapping_add(words[t - 7]).wrapping_add(high);
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *sum;
    for (word, constant) in words.iter().zip(ROUNDS) {
        let high = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let choice = (e & f) ^ (!e & g);
        let first = h.wrapping_add(high).wrapping_add(choice).wrapping_add(constant).wrapping_add(*word);
        let low = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let second = low.wrapping_add((a & b) ^ (a & c) ^ (b & c));
        (h, g, f, e) = (g, f, e, d.wrapping_add(first));
        (d, c, b, a) = (c, b, a, first.wrapping_add(second));
    }
    for (old, new) in sum.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *old = old.wrapping_add(new);
    }
}

/// What `integrity` takes: the sum's name and the sum.
pub fn integrity(bytes: &[u8]) -> String {
    format!("sha256-{}", base64(&sha256(bytes)))
}

/// The first eight bytes of a sum as 16 letters: enough to tell builds apart.
pub fn short(sum: &[u8; 32]) -> String {
    sum[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Base64 with padding (RFC 4648, section 4).
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for three in bytes.chunks(3) {
        let bits = (0..3).fold(0u32, |bits, at| bits << 8 | u32::from(three.get(at).copied().unwrap_or(0)));
        for at in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * at) & 63) as usize];
            out.push(if at <= three.len() { letter as char } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod checks {
    use super::*;

    /// All 32 bytes as letters.
    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The examples of NIST's "SHA-256" of FIPS 180-4, and a million times the letter a.
    #[test]
    fn the_sums_are_the_published_ones() {
        for (text, sum) in [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
            ),
        ] {
            assert_eq!(hex(&sha256(text.as_bytes())), sum, "{text}");
        }
        let many = vec![b'a'; 1_000_000];
        assert_eq!(hex(&sha256(&many)), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    }

    /// Lengths around a block's end, where the padding takes one block more: none is like another.
    #[test]
    fn every_length_has_its_own_sum() {
        let sums: std::collections::BTreeSet<_> = (0..200).map(|length| sha256(&vec![0; length])).collect();
        assert_eq!(sums.len(), 200);
    }

    /// The examples of RFC 4648, section 10.
    #[test]
    fn base64_is_padded() {
        for (text, coded) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
        ] {
            assert_eq!(base64(text.as_bytes()), coded);
        }
        assert_eq!(integrity(b""), "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
        assert_eq!(short(&sha256(b"abc")), "ba7816bf8f01cfea");
    }
}
