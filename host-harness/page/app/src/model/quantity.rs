//! Amounts as people read them.

use lictor_contract::quantity::{Unit, parse, readable};
use lictor_decide::record::NO_LIMIT;

/// Returns the amount of a quantity. `None`: the text means "no limit", or is no quantity.
pub fn amount(resource: &str, quantity: &str) -> Option<i64> {
    parse(quantity, Unit::of(resource)).ok().filter(|amount| *amount < NO_LIMIT)
}

/// Returns an amount as text, rounded.
pub fn shown(resource: &str, amount: i64) -> String {
    readable(resource, amount)
}

/// Returns a quantity, rounded. A text that is no quantity stays as it is.
pub fn rounded(resource: &str, quantity: &str) -> String {
    amount(resource, quantity).map_or_else(|| quantity.to_owned(), |amount| shown(resource, amount))
}

/// Returns an amount divided by a whole, at least 0; more than 1 where the amount is larger than the whole.
pub fn ratio(amount: i64, whole: i64) -> f64 {
    if whole <= 0 {
        return 0.0;
    }
    // Precise enough to be drawn.
    (amount.max(0) as f64) / (whole as f64)
}

/// Returns the last word of the name of a resource: `gpu` of `nvidia.com/gpu`.
pub fn short(resource: &str) -> &str {
    resource.rsplit('/').next().unwrap_or(resource)
}

/// Returns a number of things in words: `1 node`, `2 nodes`.
pub fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_limit_is_no_amount() {
        assert_eq!(amount("cpu", "1500m"), Some(1500));
        assert_eq!(amount("memory", "1Ki"), Some(1024));
        assert_eq!(amount("memory", "2000000000000000000"), None);
        assert_eq!(amount("cpu", "no"), None);
    }

    #[test]
    fn a_part_of_nothing_is_nothing() {
        assert_eq!((ratio(1, 4), ratio(5, 0), ratio(-1, 4)), (0.25, 0.0, 0.0));
        assert_eq!(short("nvidia.com/gpu"), "gpu");
        assert_eq!([0, 1, 2].map(|count| counted(count, "node")), ["0 nodes", "1 node", "2 nodes"]);
    }
}
