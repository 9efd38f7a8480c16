//! Amounts of resources: what is requested, what is held, what is allowed.
//!
//! A resource is a dense number, an amount a whole number of the contract's unit.
//!
//! Arithmetic cannot fail here. The cluster refuses what would bring the sum of all requests, or of all nodes, past
//! [`MAX_TOTAL`](super::totals::MAX_TOTAL). Every sum that is formed later adds some of these requests to some of these nodes, each at most twice, so it
//! fits 64 bits. Additions saturate only so that no panic is left in the code.

/// A resource, as the host numbered it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ResourceIx(pub u32);

/// The request of one pod: amounts above zero, by resource number.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ResourceRequest(Box<[(ResourceIx, i64)]>);

impl ResourceRequest {
    /// Creates a request of these amounts. Amounts of zero or less are left out, and repeated resources add up.
    pub fn new(mut amounts: Vec<(ResourceIx, i64)>) -> ResourceRequest {
        let is_normal = amounts.iter().all(|(_, amount)| *amount > 0) && amounts.is_sorted_by(|a, b| a.0 < b.0);
        if is_normal {
            return ResourceRequest(amounts.into_boxed_slice());
        }
        amounts.retain(|(_, amount)| *amount > 0);
        amounts.sort_unstable_by_key(|(resource, _)| *resource);
        let mut merged: Vec<(ResourceIx, i64)> = Vec::with_capacity(amounts.len());
        for (resource, amount) in amounts {
            match merged.last_mut() {
                Some((last, sum)) if *last == resource => *sum = sum.saturating_add(amount),
                _ => merged.push((resource, amount)),
            }
        }
        ResourceRequest(merged.into_boxed_slice())
    }

    /// Returns the resources and their amounts, by number.
    pub fn iter(&self) -> impl Iterator<Item = (ResourceIx, i64)> + '_ {
        self.0.iter().copied()
    }

    /// Returns the amount of one resource; 0 if it is not requested.
    pub fn get(&self, resource: ResourceIx) -> i64 {
        self.0.iter().find(|(r, _)| *r == resource).map_or(0, |(_, amount)| *amount)
    }
}

/// An amount of every resource, such as what is used or what is free. Negative where more is used than there is.
#[derive(Debug, Clone, Default)]
pub struct Amounts(Vec<i64>);

/// No amounts of any resource.
pub static NO_AMOUNTS: Amounts = Amounts(Vec::new());

impl Amounts {
    /// Returns the amount of one resource.
    pub fn get(&self, resource: ResourceIx) -> i64 {
        usize::try_from(resource.0).ok().and_then(|at| self.0.get(at)).copied().unwrap_or(0)
    }

    /// Sets the amount of one resource.
    pub fn set(&mut self, resource: ResourceIx, amount: i64) {
        if let Some(slot) = self.slot(resource) {
            *slot = amount;
        }
    }

    /// Returns the non-zero amounts, by resource.
    pub fn iter(&self) -> impl Iterator<Item = (ResourceIx, i64)> + '_ {
        (0u32..).map(ResourceIx).zip(self.0.iter().copied()).filter(|(_, amount)| *amount != 0)
    }

    /// Adds a request.
    pub fn add(&mut self, request: &ResourceRequest) {
        self.change(request, i64::saturating_add)
    }

    /// Takes a request away.
    pub fn subtract(&mut self, request: &ResourceRequest) {
        self.change(request, i64::saturating_sub)
    }

    /// Returns the first resource of the request that is lacking. `None`: there is enough of each.
    pub fn lacks(&self, request: &ResourceRequest) -> Option<ResourceIx> {
        request.iter().find(|(resource, amount)| self.get(*resource) < *amount).map(|(resource, _)| resource)
    }

    fn change(&mut self, request: &ResourceRequest, by: fn(i64, i64) -> i64) {
        for (resource, amount) in request.iter() {
            if let Some(slot) = self.slot(resource) {
                *slot = by(*slot, amount);
            }
        }
    }

    fn slot(&mut self, resource: ResourceIx) -> Option<&mut i64> {
        let at = usize::try_from(resource.0).ok()?;
        if at >= self.0.len() {
            self.0.resize(at.saturating_add(1), 0);
        }
        self.0.get_mut(at)
    }
}

/// Compares resource by resource: trailing zeros of a list do not count.
impl PartialEq for Amounts {
    fn eq(&self, other: &Amounts) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for Amounts {}

/// Returns the minimum number of pods that free the missing amount, none of which frees more than `largest`.
pub fn min_pods_to_free(missing: i64, largest: i64) -> i64 {
    let count = missing.max(0).unsigned_abs().div_ceil(largest.max(1).unsigned_abs());
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CPU: ResourceIx = ResourceIx(0);
    const MEMORY: ResourceIx = ResourceIx(1);

    fn request(amounts: &[(ResourceIx, i64)]) -> ResourceRequest {
        ResourceRequest::new(amounts.to_vec())
    }

    #[test]
    fn a_request_is_sorted_and_merged_and_names_only_what_it_asks_for() {
        let asked = request(&[(MEMORY, 5), (CPU, 2), (MEMORY, 1), (ResourceIx(7), 0)]);
        assert_eq!(asked.iter().collect::<Vec<_>>(), [(CPU, 2), (MEMORY, 6)]);
    }

    #[test]
    fn room_is_compared_only_where_it_is_asked_for() {
        let mut room = Amounts::default();
        room.set(CPU, 4);
        room.set(MEMORY, -1);
        assert_eq!(room.lacks(&request(&[(CPU, 4)])), None);
        assert_eq!(room.lacks(&request(&[(CPU, 5)])), Some(CPU));
        assert_eq!(room.lacks(&request(&[(CPU, 1), (MEMORY, 1)])), Some(MEMORY));
    }

    #[test]
    fn amounts_are_equal_where_every_resource_is() {
        let mut short = Amounts::default();
        short.set(CPU, 1);
        let mut long = short.clone();
        long.set(ResourceIx(9), 3);
        assert_ne!(short, long);
        long.set(ResourceIx(9), 0);
        assert_eq!(short, long);
    }
}
