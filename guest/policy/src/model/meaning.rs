//! Amounts with a meaning: used, requested, promised, guaranteed, deserved and max are types of their own. So no formula can take one
//! for another.

use std::marker::PhantomData;

use super::ResourceIx;

/// The meaning of an amount of one resource.
pub trait AmountKind: Copy {
    /// Creates an amount with this meaning.
    fn new(amount: i64) -> Self;
    /// Returns the amount.
    fn amount(self) -> i64;
}

/// An amount that can be a term of a sum: pods use it, or are to use it.
pub trait Summand: AmountKind {}

/// An amount that a sum is compared with.
pub trait BoundAmount: AmountKind {}

macro_rules! meanings {
    ($kind:ident: $($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
        pub struct $name(pub i64);

        impl AmountKind for $name {
            fn new(amount: i64) -> $name {
                $name(amount)
            }
            fn amount(self) -> i64 {
                self.0
            }
        }

        impl $kind for $name {}
    )*};
}

meanings! { Summand:
    /// Used by pods on nodes.
    Used;
    /// Requested by pods, or requested beyond what they use.
    Requested;
    /// Promised to nominated pods.
    Promised;
    /// Used by victims.
    Freed;
}

meanings! { BoundAmount:
    /// Guaranteed to a queue, which gets it back from others: Koordinator's min, YuniKorn's guaranteed, Volcano's guarantee.
    Guaranteed;
    /// Deserved by a queue while others do not need it: Volcano's deserved.
    Deserved;
    /// Maximum of a queue: max, Volcano's capability, or the share that replaces max.
    Max;
}

/// A bound on some resources. A resource that is not named is not bounded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceBound<K>(Vec<(ResourceIx, i64)>, PhantomData<K>);

impl<K> Default for ResourceBound<K> {
    fn default() -> ResourceBound<K> {
        ResourceBound(Vec::new(), PhantomData)
    }
}

impl<K: AmountKind> ResourceBound<K> {
    /// Creates a bound on these resources. Of a repeated resource, the last amount counts.
    pub fn new(amounts: impl IntoIterator<Item = (ResourceIx, i64)>) -> ResourceBound<K> {
        let named: std::collections::BTreeMap<_, _> = amounts.into_iter().collect();
        ResourceBound(named.into_iter().collect(), PhantomData)
    }

    /// Returns the bound on one resource. `None`: the resource is not bounded.
    pub fn get(&self, resource: ResourceIx) -> Option<K> {
        self.0.iter().find(|(r, _)| *r == resource).map(|(_, amount)| K::new(*amount))
    }

    /// Returns the named resources and their bounds, by number.
    pub fn iter(&self) -> impl Iterator<Item = (ResourceIx, K)> + '_ {
        self.0.iter().map(|(resource, amount)| (*resource, K::new(*amount)))
    }

    /// Returns the named resources and their amounts, without the meaning.
    pub fn amounts(&self) -> impl Iterator<Item = (ResourceIx, i64)> + '_ {
        self.0.iter().copied()
    }
}
