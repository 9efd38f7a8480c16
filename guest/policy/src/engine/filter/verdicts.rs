//! Verdicts by node as codes: what [`NodeVerdicts`](crate::contract::NodeVerdicts) is made of.

use crate::engine::room::NodeFit;
use crate::model::NodeIx;

/// The verdicts so far, as one code each, and what the codes mean.
pub(super) struct NodeFitCodes {
    pub(super) codes: Vec<u8>,
    pub(super) distinct: Vec<NodeFit>,
    /// The codes of the numbers passed to [`NodeFitCodes::push_scan_code`], by number; 0: that number has no code yet.
    codes_by_scan_code: [u8; 256],
}

/// Returns the code of an obstacle by its position. If there are more kinds of obstacles than codes, the last code stands for the rest. It still
/// means a node that does not fit.
fn code(at: usize) -> u8 {
    u8::try_from(at.saturating_add(1)).unwrap_or(u8::MAX)
}

/// Checks whether all of these equal one number, eight at a time.
fn are_all(numbers: &[u8], number: u8) -> bool {
    let (eights, rest) = numbers.as_chunks::<8>();
    let all = u64::from_ne_bytes([number; 8]);
    eights.iter().fold(true, |same, eight| same & (u64::from_ne_bytes(*eight) == all))
        && rest.iter().all(|one| *one == number)
}

impl NodeFitCodes {
    /// Creates an empty list with capacity for the codes of so many nodes.
    pub(super) fn with_capacity(nodes: usize) -> NodeFitCodes {
        NodeFitCodes { codes: Vec::with_capacity(nodes), distinct: Vec::new(), codes_by_scan_code: [0; 256] }
    }

    /// Returns the node that the next verdict is about.
    pub(super) fn next(&self) -> NodeIx {
        NodeIx(u32::try_from(self.codes.len()).unwrap_or(u32::MAX))
    }

    #[inline]
    pub(super) fn push(&mut self, verdict: NodeFit) {
        let code = self.code_of(verdict);
        self.codes.push(code);
    }

    /// Adds a verdict by a number of the caller, which must always have the same meaning; 0 is a node that takes the pod.
    #[inline]
    pub(super) fn push_scan_code(&mut self, number: u8, meant: impl Fn(u8) -> NodeFit) {
        let code = self.code_of_scan_code(number, meant);
        self.codes.push(code);
    }

    #[inline]
    fn code_of_scan_code(&mut self, number: u8, meant: impl Fn(u8) -> NodeFit) -> u8 {
        let known = self.codes_by_scan_code.get(usize::from(number)).copied().unwrap_or(0);
        if number == 0 || known != 0 { known } else { self.learn(number, meant(number)) }
    }

    /// Appends verdicts like [`NodeFitCodes::push_scan_code`], for consecutive nodes.
    #[inline]
    pub(super) fn push_scan_codes(&mut self, numbers: &[u8], meant: impl Fn(u8) -> NodeFit) {
        let Some(first) = numbers.first() else { return };
        // Mostly all of them lack the same.
        if are_all(numbers, *first) {
            let code = self.code_of_scan_code(*first, meant);
            return self.codes.extend(std::iter::repeat_n(code, numbers.len()));
        }
        let known = |number: &u8| self.codes_by_scan_code.get(usize::from(*number)).copied().unwrap_or(0);
        let before = self.codes.len();
        self.codes.extend(numbers.iter().map(known));
        let codes = self.codes.get(before..).unwrap_or_default();
        if numbers.iter().zip(codes).any(|(number, code)| *number != 0 && *code == 0) {
            self.codes.truncate(before);
            numbers.iter().for_each(|number| self.push_scan_code(*number, &meant));
        }
    }

    #[cold]
    fn learn(&mut self, number: u8, verdict: NodeFit) -> u8 {
        let code = self.code_of(verdict);
        if let Some(slot) = self.codes_by_scan_code.get_mut(usize::from(number)) {
            *slot = code;
        }
        code
    }

    /// Returns the code of a verdict, a new one for an obstacle that was not seen before.
    fn code_of(&mut self, verdict: NodeFit) -> u8 {
        if verdict == NodeFit::Fits {
            return 0;
        }
        code(self.distinct.iter().position(|seen| *seen == verdict).unwrap_or_else(|| {
            self.distinct.push(verdict);
            self.distinct.len().saturating_sub(1)
        }))
    }

    /// Replaces the verdict of every other fitting node by [`NodeFit::ReservedElsewhere`], where these nodes have a reservation for the pod and fit. The pod
    /// must not use other capacity and leave its reservation idle.
    pub(super) fn prefer_reservations(&mut self, inside: &[usize]) {
        let codes = std::mem::take(&mut self.codes);
        for (at, code) in codes.into_iter().enumerate() {
            match code == 0 && inside.binary_search(&at).is_err() {
                true => self.push(NodeFit::ReservedElsewhere),
                false => self.codes.push(code),
            }
        }
    }

    /// Returns the verdict that a code means. `None`: the node takes the pod.
    pub(super) fn decode(&self, code: u8) -> Option<NodeFit> {
        self.distinct.get(usize::from(code).checked_sub(1)?).copied()
    }
}
