//! The reprieve: which evicted candidates can stay after all.

/// Considers each evicted candidate in order. A candidate without an obstacle stays from then on. Returns the others with their
/// obstacles.
///
/// `against` puts the candidate back; if there is an obstacle, it evicts the candidate again.
pub fn reprieve<C, W>(
    candidates: impl IntoIterator<Item = C>,
    mut against: impl FnMut(&C) -> Option<W>,
) -> Vec<(C, W)> {
    candidates.into_iter().filter_map(|candidate| against(&candidate).map(|why| (candidate, why))).collect()
}

/// Returns the candidates that cannot be reprieved, without the obstacles.
pub fn not_reprieved<C>(candidates: impl IntoIterator<Item = C>, mut is_back: impl FnMut(&C) -> bool) -> Vec<C> {
    let needed = reprieve(candidates, |candidate| if is_back(candidate) { None } else { Some(()) });
    needed.into_iter().map(|(candidate, ())| candidate).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_candidate_comes_back_beside_those_that_came_back_before_it() {
        let mut room = 5;
        let needed = reprieve([2, 4, 3, 1], |size| {
            let left = room - size;
            if left < 0 {
                return Some(-left);
            }
            room = left;
            None
        });
        assert_eq!(needed, [(4, 1), (1, 1)], "2 and 3 use the room up; 4 lacks 1, and so does 1");
    }
}
