//! Fingerprints: a number that tells one row of bytes from another (FNV-1a, 64 bits), not a lock against forgers.

/// FNV-1a, byte by byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint(u64);

impl Default for Fingerprint {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fingerprint {
    /// Takes a byte in.
    pub const fn byte(&mut self, byte: u8) {
        self.word(byte as u64);
    }

    /// Takes eight bytes in at once: quicker, and another number than byte by byte.
    pub const fn word(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x0100_0000_01b3);
    }

    /// Takes the bits of numbers in, byte by byte.
    pub fn numbers<'a>(&mut self, numbers: impl IntoIterator<Item = &'a f64>) {
        for x in numbers {
            x.to_bits().to_le_bytes().into_iter().for_each(|byte| self.byte(byte));
        }
    }

    /// The number.
    pub const fn value(self) -> u64 {
        self.0
    }
}

/// The fingerprint of a row of bytes.
pub fn fingerprint(bytes: impl IntoIterator<Item = u8>) -> u64 {
    let mut print = Fingerprint::default();
    bytes.into_iter().for_each(|byte| print.byte(byte));
    print.value()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprints_are_those_of_the_reference() {
        assert_eq!(fingerprint(*b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fingerprint(*b"foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn numbers_count_by_their_bits() {
        let print = |x: f64| {
            let mut print = Fingerprint::default();
            print.numbers([&x]);
            print.value()
        };
        assert_eq!(print(1.5), fingerprint(1.5_f64.to_bits().to_le_bytes()));
        assert_ne!(print(0.0), print(-0.0));
    }
}
