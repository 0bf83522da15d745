//! Decimal text to the nearest f64, fast for the short numbers of motion rows.
//!
//! `[+-] digits [. digits] [e [+-] digits]` with at least one digit; words such as `nan` or `0x10` are not
//! numbers. A mantissa below 2⁵³ and a power of ten up to 10²² are both exact in f64, so one multiplication or
//! division rounds correctly (Clinger, *How to read floating point numbers accurately*, 1990, the fast path).
//! Everything else goes to the standard library, which rounds correctly too.

/// Powers of ten that f64 holds exactly.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

/// Reads a number at the start of `text`: its value and length in bytes, or `None` where none stands.
/// The caller checks that a separator follows. The value is infinite where it exceeds f64.
#[inline]
pub(crate) fn parse_prefix(text: &[u8]) -> Option<(f64, usize)> {
    let mut i = 0;
    let negative = match text.first() {
        Some(b'-') => {
            i = 1;
            true
        }
        Some(b'+') => {
            i = 1;
            false
        }
        _ => false,
    };
    let mut mantissa = 0u64;
    let whole_start = i;
    while let Some(&c) = text.get(i) {
        let digit = c.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        mantissa = mantissa.wrapping_mul(10).wrapping_add(u64::from(digit));
        i += 1;
    }
    let mut digits = i - whole_start;
    let mut fraction = 0;
    if text.get(i) == Some(&b'.') {
        i += 1;
        let start = i;
        while let Some(&c) = text.get(i) {
            let digit = c.wrapping_sub(b'0');
            if digit > 9 {
                break;
            }
            mantissa = mantissa.wrapping_mul(10).wrapping_add(u64::from(digit));
            i += 1;
        }
        fraction = i - start;
        digits += fraction;
    }
    if digits == 0 {
        return None;
    }
    let mut exponent = 0i64;
    if let Some(b'e' | b'E') = text.get(i) {
        (exponent, i) = parse_exponent(text, i + 1)?;
    }
    let power = exponent - fraction as i64;
    // 19 digits cannot overflow the mantissa.
    if digits <= 19 && mantissa < (1 << 53) && (-22..=22).contains(&power) {
        let m = mantissa as f64;
        let value = if power < 0 { m / POWERS[-power as usize] } else { m * POWERS[power as usize] };
        return Some((if negative { -value } else { value }, i));
    }
    let token = core::str::from_utf8(&text[..i]).expect("only ASCII was accepted");
    token.parse().ok().map(|value| (value, i))
}

/// Reads `[+-] digits` from `i`; the magnitude is held at a value that is beyond f64 anyway.
fn parse_exponent(text: &[u8], mut i: usize) -> Option<(i64, usize)> {
    let negative = match text.get(i) {
        Some(b'-') => {
            i += 1;
            true
        }
        Some(b'+') => {
            i += 1;
            false
        }
        _ => false,
    };
    let start = i;
    let mut value = 0i64;
    while let Some(c) = text.get(i).filter(|c| c.is_ascii_digit()) {
        value = (value * 10 + i64::from(c - b'0')).min(1_000_000_000);
        i += 1;
    }
    (i > start).then_some((if negative { -value } else { value }, i))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn whole(text: &str) -> Option<f64> {
        parse_prefix(text.as_bytes()).filter(|&(_, n)| n == text.len()).map(|(v, _)| v)
    }

    #[test]
    fn reads_what_exporters_write() {
        for (text, value) in [
            ("0", 0.0_f64),
            ("-0", -0.0),
            (".0083333", 0.0083333),
            ("45.", 45.0),
            ("-.25", -0.25),
            ("+3", 3.0),
            ("1.5e1", 15.0),
            ("4.25E-16", 4.25e-16),
            ("0.10000000000000000555", 0.1),
            ("9007199254740993", 9_007_199_254_740_992.0),
        ] {
            assert_eq!(whole(text).map(f64::to_bits), Some(value.to_bits()), "{text}");
        }
        assert_eq!(whole("1e999"), Some(f64::INFINITY));
        assert_eq!(whole("1e99999999999999999999"), Some(f64::INFINITY));
    }

    #[test]
    fn refuses_what_is_no_number() {
        for text in [
            "",
            "-",
            ".",
            "e5",
            "nan",
            "inf",
            "-inf",
            "0x10",
            "1,5",
            "3-7.5",
            "1e",
            "1e+",
            "--1",
            "-1.#IND00",
        ] {
            assert_eq!(whole(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn agrees_with_the_standard_library(text in "[+-]?[0-9]{0,22}(\\.[0-9]{0,22})?([eE][+-]?[0-9]{1,3})?") {
            let wanted = text.parse::<f64>().ok();
            prop_assert_eq!(whole(&text).map(f64::to_bits), wanted.map(f64::to_bits));
        }

        #[test]
        fn every_written_number_reads_back(value in any::<f64>().prop_filter("finite", |v| v.is_finite())) {
            prop_assert_eq!(whole(&format!("{value:e}")).map(f64::to_bits), Some(value.to_bits()));
            prop_assert_eq!(whole(&format!("{value}")).map(f64::to_bits), Some(value.to_bits()));
        }
    }
}
