//! SHA-256 sums, by which browsers check what they fetch (Subresource Integrity), and by which builds are named.

use base64::prelude::{BASE64_STANDARD, Engine};
use sha2::{Digest, Sha256};

/// The SHA-256 sum of all bytes.
pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// The value of an `integrity` attribute: the algorithm's name and the sum.
pub fn integrity(bytes: &[u8]) -> String {
    format!("sha256-{}", BASE64_STANDARD.encode(sha256(bytes)))
}

/// The first eight bytes of a sum as 16 hexadecimal digits: enough to tell builds apart.
pub fn short(sum: &[u8; 32]) -> String {
    sum[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod checks {
    use super::*;

    /// The sums of FIPS 180-4's examples, in the forms that browsers and our file names take.
    #[test]
    fn sums_are_written_as_browsers_read_them() {
        assert_eq!(integrity(b""), "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
        assert_eq!(short(&sha256(b"abc")), "ba7816bf8f01cfea");
    }
}
