//! Amounts as Kubernetes writes them: `500m`, `32Gi`, `1e3`.

/// A billionth: the smallest step that there is.
const NANO: i128 = 1_000_000_000;

/// The suffixes, each with what it multiplies by, as a numerator and a denominator.
const SUFFIXES: [(&str, i128, i128); 15] = [
    ("Ki", 1 << 10, 1),
    ("Mi", 1 << 20, 1),
    ("Gi", 1 << 30, 1),
    ("Ti", 1 << 40, 1),
    ("Pi", 1 << 50, 1),
    ("Ei", 1 << 60, 1),
    ("n", 1, NANO),
    ("u", 1, 1_000_000),
    ("m", 1, 1_000),
    ("k", 1_000, 1),
    ("M", 1_000_000, 1),
    ("G", NANO, 1),
    ("T", NANO * 1_000, 1),
    ("P", NANO * 1_000_000, 1),
    ("E", NANO * NANO, 1),
];

/// Reads an amount in billionths, rounded up. `None`: the text is no amount.
pub fn parse(text: &str) -> Option<i128> {
    for (suffix, times, over) in SUFFIXES {
        if let Some(number) = text.strip_suffix(suffix) {
            return scaled(number, times, over);
        }
    }
    match text.split_once(['e', 'E']) {
        Some((number, exponent)) => {
            let exponent: i32 = exponent.parse().ok()?;
            let power = 10_i128.checked_pow(exponent.unsigned_abs())?;
            if exponent < 0 { scaled(number, 1, power) } else { scaled(number, power, 1) }
        }
        None => scaled(text, 1, 1),
    }
}

/// Reads a decimal number, and returns it multiplied and divided, in billionths, rounded up. `None`: the text is no number, or too large.
fn scaled(number: &str, times: i128, over: i128) -> Option<i128> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits: i128 = format!("{whole}{fraction}").parse().ok()?;
    let over = over.checked_mul(10_i128.checked_pow(u32::try_from(fraction.len()).ok()?)?)?;
    let amount = digits.checked_mul(times)?.checked_mul(NANO)?;
    Some(amount.div_euclid(over) + i128::from(amount.rem_euclid(over) != 0))
}

#[test]
fn amounts_are_read() {
    for (text, nano) in [
        ("2", 2 * NANO),
        ("500m", NANO / 2),
        ("1.5", NANO * 3 / 2),
        ("0.5Gi", NANO << 29),
        ("1e3", 1_000 * NANO),
        ("1E", NANO * NANO * NANO),
        ("2E-1", NANO / 5),
        ("1k", 1_000 * NANO),
        ("100n", 100),
        ("0.1n", 1),
    ] {
        assert_eq!(parse(text), Some(nano), "{text}");
    }
    for text in ["", "much", "1x", "1.2.3", "Ki"] {
        assert_eq!(parse(text), None, "{text}");
    }
}
