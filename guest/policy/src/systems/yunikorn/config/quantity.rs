//! YuniKorn's amounts: whole numbers of 0 or more with an optional suffix, without fractions.

use super::{ConfigProblem, Quantity};

const REMEDY: &str = "write a whole number with no suffix or one of k M G T P E Ki Mi Gi Ti Pi Ei; vcore also takes m";

/// Reads an amount of a resource, given YuniKorn's name of the resource. `vcore` becomes `cpu`, in thousandths.
pub fn read(resource: &str, text: &str, line: usize) -> Result<Quantity, ConfigProblem> {
    let vcore = resource == "vcore";
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let malformed = || ConfigProblem::new(line, format!("`{text}` is not an amount of {resource}"), REMEDY);
    let (digits, suffix) = text.split_at_checked(end).filter(|(digits, _)| !digits.is_empty()).ok_or_else(malformed)?;
    let factor: i128 = match suffix {
        "m" if vcore => 1,
        _ => factor(suffix).ok_or_else(malformed)?.saturating_mul(if vcore { 1000 } else { 1 }),
    };
    let amount = digits.parse::<i128>().ok().and_then(|number| number.checked_mul(factor));
    let amount = amount.and_then(|amount| i64::try_from(amount).ok()).ok_or_else(|| {
        let message = format!("`{text}` of {resource} is too large; the maximum is {}", i64::MAX);
        ConfigProblem::new(line, message, "write a smaller amount, or remove the resource if it has no bound")
    })?;
    let resource = if vcore { "cpu" } else { resource }.to_owned();
    Ok(Quantity { resource, amount, line })
}

/// Returns the factor of a suffix. `None`: the suffix is unknown.
fn factor(suffix: &str) -> Option<i128> {
    const DECIMAL: [&str; 7] = ["", "k", "M", "G", "T", "P", "E"];
    const BINARY: [&str; 7] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
    let power = |list: [&str; 7], base: i128| {
        let at = list.iter().position(|known| *known == suffix)?;
        base.checked_pow(u32::try_from(at).ok()?)
    };
    power(DECIMAL, 1000).or_else(|| power(BINARY, 1024))
}
