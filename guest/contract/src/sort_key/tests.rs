//! Keys against what they stand for.

use std::cmp::Reverse;

use proptest::prelude::*;

use super::*;

/// The parts of a key.
type Parts = (bool, i32, i64, Vec<u8>, i64);

/// Returns a text of few letters, a zero among them, so that some texts begin with another one.
fn text(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| char::from(byte % 3)).collect()
}

fn key((flag, priority, time, name, last): &Parts) -> Vec<u8> {
    let key = KeyBuilder::new().flag(*flag).descending(*priority).ascending(*time);
    key.text(&text(name)).descending(*last).build()
}

proptest! {
    #[test]
    fn keys_compare_as_their_parts(a in any::<Parts>(), mut b in any::<Parts>(), alike in 0..4) {
        if alike > 0 {
            b.0 = a.0;
        }
        if alike > 1 {
            b.1 = a.1;
        }
        if alike > 2 {
            b.2 = a.2;
        }
        let parts = |(flag, priority, time, name, last): &Parts| {
            (*flag, Reverse(*priority), *time, text(name), Reverse(*last))
        };
        prop_assert_eq!(key(&a).cmp(&key(&b)), parts(&a).cmp(&parts(&b)));
    }
}
