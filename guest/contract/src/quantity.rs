//! Kubernetes quantities as whole numbers in the unit the contract counts in.
//!
//! Syntax and rounding are those of apimachinery `resource.Quantity`: a decimal number with a binary suffix (`Ki` to `Ei`), a
//! decimal one (`n`, `u`, `m`, none, `k` to `E`) or an exponent (`e3`, `E3`); what is finer than the unit is rounded up.

mod shown;

use std::str::FromStr;

use rust_decimal::Decimal;

pub use shown::{exact, readable};

/// The unit an amount is counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Thousandths: `cpu`.
    Milli,
    /// The resource's own unit: bytes, pieces.
    One,
}

impl Unit {
    /// Returns the unit of a resource of this name.
    pub fn of(resource: &str) -> Unit {
        if resource == "cpu" { Unit::Milli } else { Unit::One }
    }
}

/// Why a quantity could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QuantityError {
    /// It is not written as a quantity.
    #[error("`{0}` is not a quantity")]
    Malformed(String),
    /// It is less than nothing.
    #[error("`{0}` is negative")]
    Negative(String),
    /// It is larger than a 64-bit count of its unit.
    #[error("`{0}` is too large: more than {max} in the unit it is counted in", max = i64::MAX)]
    Overflow(String),
}

/// Reads a quantity that may not be negative.
pub fn parse(text: &str, unit: Unit) -> Result<i64, QuantityError> {
    match whole(text, unit) {
        Some(amount) => Ok(amount),
        None => parse_exactly(text, unit),
    }
}

/// Parses a quantity in the form of nearly all of them: digits and perhaps a suffix, with nothing to be rounded. `None`: it has another form.
fn whole(text: &str, unit: Unit) -> Option<i64> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, suffix) = text.split_at_checked(digits)?;
    let factor = match (unit, suffix) {
        (Unit::Milli, "m") | (Unit::One, "") => 1,
        (Unit::Milli, "") | (Unit::One, "k") => 1000,
        (Unit::One, "M") => 1_000_000,
        (Unit::One, "G") => 1_000_000_000,
        (Unit::One, "Ki") => 1 << 10,
        (Unit::One, "Mi") => 1 << 20,
        (Unit::One, "Gi") => 1 << 30,
        (Unit::One, "Ti") => 1 << 40,
        _ => return None,
    };
    number.parse::<i64>().ok()?.checked_mul(factor)
}

/// Parses a quantity in any form.
fn parse_exactly(text: &str, unit: Unit) -> Result<i64, QuantityError> {
    let malformed = || QuantityError::Malformed(text.to_owned());
    let overflow = || QuantityError::Overflow(text.to_owned());
    let end = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '+' | '-'))).unwrap_or(text.len());
    let (number, suffix) = text.split_at_checked(end).ok_or_else(malformed)?;
    let digits = number.strip_prefix(['+', '-']).unwrap_or(number);
    if !is_number(digits) {
        return Err(malformed());
    }
    let factor = Factor::of(suffix).ok_or_else(malformed)?;
    let magnitude = Decimal::from_str(digits).map_err(|_| overflow())?;
    if number.starts_with('-') && !magnitude.is_zero() {
        return Err(QuantityError::Negative(text.to_owned()));
    }
    let scale = match unit {
        Unit::Milli => Decimal::ONE_THOUSAND,
        Unit::One => Decimal::ONE,
    };
    if let Factor::Ten(exponent) = factor
        && exponent < SMALLEST
    {
        return tiny(magnitude, exponent, scale).ok_or_else(overflow);
    }
    let amount = factor.value().and_then(|f| magnitude.checked_mul(f)?.checked_mul(scale)).ok_or_else(overflow)?;
    i64::try_from(amount.ceil()).map_err(|_| overflow())
}

/// The smallest exponent of which a decimal holds the power of ten.
const SMALLEST: i32 = -28;

/// Returns a number times a power of ten that no decimal holds, in the unit, rounded up: as Kubernetes reads it, what is not zero is at least one.
fn tiny(magnitude: Decimal, exponent: i32, scale: Decimal) -> Option<i64> {
    let numerator = magnitude.mantissa().checked_mul(scale.mantissa())?;
    let digits = magnitude.scale().checked_add(exponent.unsigned_abs())?;
    let Some(denominator) = 10i128.checked_pow(digits) else { return Some(i64::from(numerator > 0)) };
    let whole = numerator.checked_div(denominator)?;
    let rest = numerator.checked_rem(denominator)?;
    i64::try_from(whole.checked_add(i128::from(rest > 0))?).ok()
}

/// Checks that a text consists of digits, with at most one point among them.
fn is_number(digits: &str) -> bool {
    digits.contains(|c: char| c.is_ascii_digit())
        && digits.chars().all(|c| c.is_ascii_digit() || c == '.')
        && digits.matches('.').count() <= 1
}

/// The factor that a suffix stands for.
enum Factor {
    /// A power of ten.
    Ten(i32),
    /// A power of two.
    Two(u32),
}

impl Factor {
    /// Reads a suffix.
    fn of(suffix: &str) -> Option<Factor> {
        Some(match suffix {
            "n" => Factor::Ten(-9),
            "u" => Factor::Ten(-6),
            "m" => Factor::Ten(-3),
            "" => Factor::Ten(0),
            "k" => Factor::Ten(3),
            "M" => Factor::Ten(6),
            "G" => Factor::Ten(9),
            "T" => Factor::Ten(12),
            "P" => Factor::Ten(15),
            "E" => Factor::Ten(18),
            "Ki" => Factor::Two(10),
            "Mi" => Factor::Two(20),
            "Gi" => Factor::Two(30),
            "Ti" => Factor::Two(40),
            "Pi" => Factor::Two(50),
            "Ei" => Factor::Two(60),
            _ => Factor::Ten(suffix.strip_prefix(['e', 'E'])?.parse().ok()?),
        })
    }

    /// Returns the number. `None`: a decimal cannot hold it.
    fn value(&self) -> Option<Decimal> {
        match *self {
            Factor::Two(bits) => 1i128.checked_shl(bits).map(Decimal::from),
            Factor::Ten(exponent) => match u32::try_from(exponent) {
                Ok(up) => Decimal::try_from_i128_with_scale(10i128.checked_pow(up)?, 0).ok(),
                Err(_) => Decimal::try_from_i128_with_scale(1, exponent.unsigned_abs()).ok(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_at_once_is_what_is_read_exactly() {
        let suffixes = ["", "m", "u", "k", "M", "G", "T", "Ki", "Mi", "Gi", "Ti", "Pi", "e3", "x", "mm"];
        let numbers =
            ["", "0", "007", "1", "999", "-1", "+1", "1.5", "8388607", "9223372036854775807", "99999999999999999999"];
        for unit in [Unit::Milli, Unit::One] {
            let texts = numbers.iter().flat_map(|number| suffixes.map(|suffix| format!("{number}{suffix}")));
            for text in texts {
                if let Some(amount) = whole(&text, unit) {
                    assert_eq!(parse_exactly(&text, unit), Ok(amount), "{text}");
                }
            }
        }
        assert_eq!((whole("4Gi", Unit::One), whole("500m", Unit::Milli)), (Some(4 << 30), Some(500)));
    }

    #[test]
    fn reads_every_suffix() {
        for (text, unit, expected) in [
            ("4", Unit::Milli, 4000),
            ("500m", Unit::Milli, 500),
            ("0.1", Unit::Milli, 100),
            (".5", Unit::Milli, 500),
            ("100u", Unit::Milli, 1),
            ("1n", Unit::One, 1),
            ("1500m", Unit::One, 2),
            ("0", Unit::One, 0),
            ("-0", Unit::One, 0),
            ("+3", Unit::One, 3),
            ("1Ki", Unit::One, 1024),
            ("1.5Gi", Unit::One, 1_610_612_736),
            ("2k", Unit::One, 2000),
            ("3M", Unit::One, 3_000_000),
            ("1G", Unit::One, 1_000_000_000),
            ("1e3", Unit::One, 1000),
            ("12E2", Unit::One, 1200),
            ("1E", Unit::One, 1_000_000_000_000_000_000),
            ("7Ei", Unit::One, 8_070_450_532_247_928_832),
            ("1e-30", Unit::Milli, 1),
            ("0e-30", Unit::One, 0),
            ("1e-2147483647", Unit::One, 1),
            // 7 * 10^28 * 10^-29 is 0.7 of a core.
            ("70000000000000000000000000000e-29", Unit::Milli, 700),
        ] {
            assert_eq!(parse(text, unit), Ok(expected), "{text}");
        }
    }

    #[test]
    fn refuses_what_is_no_quantity() {
        for text in ["", "Gi", "1 Gi", "1gi", "1KB", "--1", "1.2.3", "1-2", "abc", "1e", "NaN", "0x10", "1_000"] {
            assert_eq!(parse(text, Unit::One), Err(QuantityError::Malformed(text.to_owned())));
        }
    }

    #[test]
    fn refuses_less_than_nothing_and_more_than_can_be_counted() {
        assert_eq!(parse("-1", Unit::One), Err(QuantityError::Negative("-1".to_owned())));
        assert_eq!(parse("-100m", Unit::Milli), Err(QuantityError::Negative("-100m".to_owned())));
        for text in ["8Ei", "10E", "9223372036854775808", "1e30", "99999999999999999999999999999999999"] {
            assert_eq!(parse(text, Unit::One), Err(QuantityError::Overflow(text.to_owned())));
        }
        assert_eq!(parse("9223372036854775807", Unit::One), Ok(i64::MAX));
    }
}
