//! Quantities as they are shown: an amount of a resource is in thousandths for `cpu`, else in the resource's own unit.

/// Writes an amount exactly, in the largest unit that leaves no fraction: `1500m`, `1536Mi`.
pub fn exact(resource: &str, amount: i64) -> String {
    const BINARY: [(&str, u32); 6] = [("Ei", 60), ("Pi", 50), ("Ti", 40), ("Gi", 30), ("Mi", 20), ("Ki", 10)];
    let bytes = resource == "memory" || resource == "ephemeral-storage" || resource.starts_with("hugepages-");
    if resource == "cpu" {
        return match (amount.checked_div(1000), amount.checked_rem(1000)) {
            (Some(cores), Some(0)) => cores.to_string(),
            _ => format!("{amount}m"),
        };
    }
    let unit = BINARY.iter().find(|(_, bits)| bytes && amount != 0 && amount.trailing_zeros() >= *bits);
    unit.map_or_else(|| amount.to_string(), |(suffix, bits)| format!("{}{suffix}", amount >> bits))
}

/// Writes an amount for readers. Cores have their fraction. Bytes that would be a long number are in the largest unit that fits, rounded down to a
/// tenth.
pub fn readable(resource: &str, n: i64) -> String {
    const MANY: usize = 8;
    let exact = exact(resource, n);
    if resource == "cpu" {
        let (cores, rest) = (n.div_euclid(1000), n.rem_euclid(1000));
        let decimal = format!("{cores}.{rest:03}");
        return if n < 0 || rest == 0 { exact } else { decimal.trim_end_matches('0').to_owned() };
    }
    let bytes = exact.ends_with('i') || resource == "memory";
    let unit = [("Ti", 40u32), ("Gi", 30), ("Mi", 20)].into_iter().find(|(_, bits)| n >> bits > 0);
    match unit {
        Some((suffix, bits)) if bytes && exact.len() > MANY => {
            let tenths = i128::from(n).saturating_mul(10) >> bits;
            format!("{}.{}{suffix}", tenths.div_euclid(10), tenths.rem_euclid(10))
        }
        _ => exact,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_written_exactly() {
        for (resource, n, text) in [
            ("cpu", 4000, "4"),
            ("cpu", 1500, "1500m"),
            ("cpu", 0, "0"),
            ("cpu", -2000, "-2"),
            ("memory", 1 << 30, "1Gi"),
            ("memory", 3 << 29, "1536Mi"),
            ("memory", 1_000_000, "1000000"),
            ("memory", 0, "0"),
            ("memory", -(1 << 31), "-2Gi"),
            ("nvidia.com/gpu", 1024, "1024"),
        ] {
            assert_eq!(exact(resource, n), text);
        }
    }

    #[test]
    fn amounts_are_written_to_be_read() {
        for (resource, n, text) in [
            ("cpu", 31_200, "31.2"),
            ("cpu", 4000, "4"),
            ("cpu", 5, "0.005"),
            ("cpu", -1500, "-1500m"),
            ("memory", 640 << 30, "640Gi"),
            // 214977312Ki are 205.018 Gi.
            ("memory", 214_977_312 << 10, "205.0Gi"),
            ("memory", (3 << 40) + 1, "3.0Ti"),
            ("memory", 1536 << 20, "1536Mi"),
            ("nvidia.com/gpu", 1 << 40, "1099511627776"),
        ] {
            assert_eq!(readable(resource, n), text);
        }
    }
}
