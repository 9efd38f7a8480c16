//! Random numbers that never change between machines and versions: SplitMix64 (Steele, Lea, Flood 2014).

/// A source of random numbers.
#[derive(Debug, Clone)]
pub(super) struct Dice(u64);

impl Dice {
    /// The source of a seed.
    pub(super) fn of(seed: u64) -> Dice {
        Dice(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below a bound; 0 where there is none.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound).unwrap_or(u64::MAX);
        self.next().checked_rem(bound).and_then(|rest| usize::try_from(rest).ok()).unwrap_or(0)
    }

    /// True with this probability, in percent.
    pub(super) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of these.
    pub(super) fn pick<'a, T>(&mut self, these: &'a [T]) -> Option<&'a T> {
        these.get(self.below(these.len()))
    }

    /// Another order of these.
    pub(super) fn shuffle<T>(&mut self, these: &mut [T]) {
        for end in (1..these.len()).rev() {
            let at = self.below(end.saturating_add(1));
            these.swap(at, end);
        }
    }
}
