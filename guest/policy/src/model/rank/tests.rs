//! Ranks against names.

use proptest::prelude::*;

use super::*;

#[test]
fn a_gap_that_is_used_up_spreads_all_names_anew() {
    let mut ranks = Ranks::default();
    ranks.add(0u32);
    ranks.add(1_000_000);
    // Each name is put between the last two, alternately on either side, so no run forms.
    let (mut low, mut high) = (0, 1_000_000);
    let mut respread = 0;
    for at in 0..18 {
        let name = u32::midpoint(low, high);
        respread += usize::from(ranks.add(name) == RankChange::Respread);
        if at % 2 == 0 { high = name } else { low = name }
    }
    assert!(respread > 0, "each takes all but a 1024th of the gap, which is 2 to the 32 wide");
    let order: Vec<u64> = ranks.iter().map(|(_, rank)| rank).collect();
    assert!(order.is_sorted_by(|a, b| a < b), "{order:?}");
}

#[test]
fn runs_of_names_between_others_leave_the_gaps_open() {
    let mut ranks = Ranks::default();
    for name in 0..=4u32 {
        ranks.add((name, 50_000u32));
    }
    // Four runs in turn, two of them backwards.
    let names = (0..2048u32).flat_map(|at| [(1, at), (2, 40_000 - at), (3, at), (4, 40_000 - at)]);
    let respread = names.filter(|name| ranks.add(*name) == RankChange::Respread).count();
    assert_eq!(
        respread, 0,
        "each takes a 1024th of what is left of its gap, of which an eighth is left after 2048 of them"
    );
    let order: Vec<u64> = ranks.iter().map(|(_, rank)| rank).collect();
    assert!(order.is_sorted_by(|a, b| a < b), "{order:?}");
}

#[test]
fn names_in_order_are_ranked_in_order_until_the_numbers_end() {
    let mut ranks = Ranks { tail: vec![(0u32, u64::MAX - 2 * STRIDE - 1)], ..Ranks::default() };
    let added: Vec<RankChange> = (1..=4).map(|name| ranks.add(name)).collect();
    assert_eq!(added[0], RankChange::Rank(u64::MAX - STRIDE - 1));
    assert_eq!(added.iter().filter(|added| **added == RankChange::Respread).count(), 1, "{added:?}");
    let order: Vec<(u32, u64)> = ranks.iter().map(|(name, rank)| (*name, rank)).collect();
    assert!(order.is_sorted_by(|a, b| a.0 < b.0 && a.1 < b.1), "{order:?}");
}

proptest! {
    #[test]
    fn ranks_compare_as_names_do(names in proptest::collection::vec(0u16..500, 0..300), removed in 0usize..50) {
        let mut ranks = Ranks::default();
        for (at, name) in names.iter().enumerate() {
            ranks.add(*name);
            if at % 7 == 0 && let Some(gone) = names.get(removed) {
                ranks.remove(gone);
            }
        }
        let order: Vec<(u16, u64)> = ranks.iter().map(|(name, rank)| (*name, rank)).collect();
        prop_assert!(order.iter().all(|(name, rank)| ranks.get(name) == Some(*rank)));
        prop_assert!(order.is_sorted_by(|a, b| a.0 < b.0 && a.1 < b.1));
    }
}
