//! Lengths of time as Go writes them: `1m30s`, `1.5h`, `300ms`.
//!
//! Syntax of Go's `time.ParseDuration`. The crates that claim it panic or never end on some input, and a policy reads durations from
//! strangers' objects.

/// The units and their nanoseconds.
const UNITS: [(&str, i128); 8] = [
    ("ns", 1),
    ("us", 1_000),
    ("\u{b5}s", 1_000),
    ("\u{3bc}s", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

/// Why a length of time could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DurationError {
    /// It is not written as one.
    #[error("`{0}` is not a length of time")]
    Malformed(String),
    /// It lies in the past.
    #[error("`{0}` is negative, and the clock never runs backwards")]
    Negative(String),
    /// It is longer than can be counted.
    #[error("`{0}` is longer than {max} nanoseconds", max = i64::MAX)]
    Overflow(String),
}

/// Reads a length of time, in nanoseconds; what is finer is cut off.
pub fn parse(text: &str) -> Result<i64, DurationError> {
    let malformed = || DurationError::Malformed(text.to_owned());
    let (negative, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let mut total: i128 = 0;
    if rest != "0" {
        if rest.is_empty() {
            return Err(malformed());
        }
        while !rest.is_empty() {
            let (number, after) = split(rest, |c| !(c.is_ascii_digit() || c == '.'));
            let (unit, after) = split(after, |c| c.is_ascii_digit() || c == '.');
            let (_, factor) = UNITS.iter().find(|(name, _)| *name == unit).ok_or_else(malformed)?;
            let part = times(number, *factor).ok_or_else(malformed)?;
            total = total.saturating_add(part);
            rest = after;
        }
    }
    if negative && total > 0 {
        return Err(DurationError::Negative(text.to_owned()));
    }
    i64::try_from(total).map_err(|_| DurationError::Overflow(text.to_owned()))
}

/// Splits before the first character that ends the part.
fn split(text: &str, ends: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at_checked(text.find(ends).unwrap_or(text.len())).unwrap_or((text, ""))
}

/// Multiplies a decimal number by a factor. The result saturates where it is too large to count. `None`: the text is no number.
fn times(number: &str, factor: i128) -> Option<i128> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = |text: &str| text.chars().all(|c| c.is_ascii_digit());
    if !digits(whole) || !digits(fraction) || (whole.is_empty() && fraction.is_empty()) {
        return None;
    }
    let mut value = match whole {
        "" => 0,
        whole => whole.parse::<i128>().unwrap_or(i128::MAX).saturating_mul(factor),
    };
    let mut share = factor;
    for digit in fraction.chars() {
        share = share.checked_div(10).unwrap_or(0);
        value = value.saturating_add(share.saturating_mul(i128::from(digit.to_digit(10).unwrap_or(0))));
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_go_writes() {
        for (text, nanoseconds) in [
            ("0", 0),
            ("0s", 0),
            ("31s", 31_000_000_000),
            ("1m30s", 90_000_000_000),
            ("1.5h", 5_400_000_000_000),
            (".5s", 500_000_000),
            ("1.s", 1_000_000_000),
            ("300ms", 300_000_000),
            ("7us", 7_000),
            ("7\u{b5}s", 7_000),
            ("3ns", 3),
            ("+2s", 2_000_000_000),
            ("-0s", 0),
            ("0.99999999999999999999999s", 999_999_999),
        ] {
            assert_eq!(parse(text), Ok(nanoseconds), "{text}");
        }
    }

    #[test]
    fn refuses_the_rest() {
        for text in ["", "-", "s", "1", "30", "1.2.3s", ".s", "1\u{e9}", "1 s", "1d", "s1"] {
            assert_eq!(parse(text), Err(DurationError::Malformed(text.to_owned())), "{text}");
        }
        assert_eq!(parse("-1s"), Err(DurationError::Negative("-1s".to_owned())));
        for text in ["9223372036854775808ns", "99999999999999999999999999999999999999999999h"] {
            assert_eq!(parse(text), Err(DurationError::Overflow(text.to_owned())), "{text}");
        }
        assert_eq!(parse("9223372036854775807ns"), Ok(i64::MAX));
    }
}
