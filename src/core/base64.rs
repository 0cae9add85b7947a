//! Base64: bytes as letters and digits (RFC 4648).

/// Digits of base64 for files and scripts (RFC 4648, section 4): the digit at index i has the value i.
pub const STANDARD_DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Digits of base64 for addresses (RFC 4648, section 5): the digit at index i has the value i.
pub const ADDRESS_DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Encodes bytes in base64 with these digits, without padding.
pub fn encode_base64(bytes: &[u8], digits: &[u8; 64]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let group = chunk.iter().fold(0_u32, |group, byte| (group << 8) | u32::from(*byte));
        let group = group << (8 * (3 - chunk.len()));
        // Of one byte there are two digits, of two bytes three.
        for at in 0..=chunk.len() {
            let digit = (group >> (18 - 6 * at)) & 63;
            out.push(char::from(digits[digit as usize]));
        }
    }
    out
}

/// Decodes base64 with these digits, without padding; `None` if the text is no base64.
pub fn decode_base64(text: &str, digits: &[u8; 64]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 2);
    let (mut group, mut bits) = (0_u32, 0);
    for letter in text.bytes() {
        let digit = digits.iter().position(|digit| *digit == letter)?;
        group = ((group << 6) | digit as u32) & 0xffff;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push(((group >> bits) & 0xff) as u8);
        }
    }
    (text.len() % 4 != 1).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back_with_the_digits_of_either_kind() {
        assert_eq!(encode_base64(b"foobar", STANDARD_DIGITS), "Zm9vYmFy");
        assert_eq!(encode_base64(&[0xfb, 0xff], STANDARD_DIGITS), "+/8");
        assert_eq!(encode_base64(&[0xfb, 0xff], ADDRESS_DIGITS), "-_8");
        for length in 0..8_u8 {
            let bytes: Vec<u8> = (0..length).map(|at| at.wrapping_mul(97)).collect();
            let text = encode_base64(&bytes, ADDRESS_DIGITS);
            assert_eq!(decode_base64(&text, ADDRESS_DIGITS), Some(bytes));
        }
        assert_eq!(decode_base64("+/8", ADDRESS_DIGITS), None);
        assert_eq!(decode_base64("Zm9vY", STANDARD_DIGITS), None);
    }
}
