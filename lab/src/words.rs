//! Texts that stay on one line, and fingerprints of what was written.

pub(crate) use stuntlab_control::settings::line_break;
pub use stuntlab_control::settings::one_line;

/// FNV-1a: a number that tells one row of bytes from another, not a lock against forgers.
pub(crate) fn fingerprint(bytes: impl IntoIterator<Item = u8>) -> u64 {
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, mix)
}

/// A fingerprint as files spell it.
pub(crate) fn spelled(fingerprint: u64) -> String {
    format!("{fingerprint:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprints_are_those_of_the_reference() {
        assert_eq!(fingerprint(*b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fingerprint(*b"foobar"), 0x8594_4171_f739_67e8);
    }
}
