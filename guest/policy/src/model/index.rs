//! Typed indexes and the tables they index.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use serde::{Deserialize, Serialize};

/// A number that names an entry of a table.
pub trait Index: Copy {
    /// The position in the table.
    fn at(self) -> usize;
    /// The index of a position; none past 32 bits.
    fn of(at: usize) -> Option<Self>;
}

macro_rules! indexes {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        pub struct $name(pub u32);

        impl Index for $name {
            fn at(self) -> usize {
                usize::try_from(self.0).unwrap_or(usize::MAX)
            }
            fn of(at: usize) -> Option<Self> {
                u32::try_from(at).ok().map($name)
            }
        }
    )*};
}

indexes! {
    /// A node, as the host numbered it.
    NodeIx;
    /// A pod, as the host numbered it.
    PodIx;
    /// A pod shape, as the host numbered it.
    ShapeIx;
    /// A class of pods; never numbered anew.
    ClassIx;
    /// A class of pods that guards cannot tell apart; numbered anew at times, never within a search.
    VictimClassIx;
    /// A queue or quota; numbered anew whenever the tree changes.
    QueueIx;
    /// A job.
    JobIx;
    /// A disruption budget; the number of one that is gone is given to another one.
    BudgetIx;
    /// A set of pods that a selector chooses, as the host numbered it.
    SelectorIx;
    /// A topology, as the host numbered it.
    TopologyIx;
    /// What stands between some pods and others, as the host numbered it.
    InterPodIx;
    /// A count of pods by domain; numbered anew whenever a topology or what stands between pods changes.
    BookIx;
    /// A name that is compared but rarely shown.
    Symbol;
}

/// Entries by index; an index may be free.
#[derive(Debug, Clone)]
pub struct Table<I, T>(Vec<Option<T>>, PhantomData<I>);

impl<I, T> Default for Table<I, T> {
    fn default() -> Self {
        Table(Vec::new(), PhantomData)
    }
}

impl<I: Index, T> Table<I, T> {
    /// The entry.
    pub fn get(&self, ix: I) -> Option<&T> {
        self.0.get(ix.at())?.as_ref()
    }

    /// The entry, to be changed.
    pub fn get_mut(&mut self, ix: I) -> Option<&mut T> {
        self.0.get_mut(ix.at())?.as_mut()
    }

    /// Puts an entry at an index and gives back what was there.
    pub fn insert(&mut self, ix: I, entry: T) -> Option<T> {
        let needed = ix.at().saturating_add(1);
        if self.0.len() < needed {
            self.0.resize_with(needed, || None);
        }
        self.0.get_mut(ix.at())?.replace(entry)
    }

    /// Puts an entry at the first index past all others.
    pub fn push(&mut self, entry: T) -> Option<I> {
        let ix = I::of(self.0.len())?;
        self.0.push(Some(entry));
        Some(ix)
    }

    /// Puts an entry at the first index that is free; none where none is.
    pub fn add(&mut self, entry: T) -> Option<I> {
        let Some(at) = self.0.iter().position(Option::is_none) else { return self.push(entry) };
        let ix = I::of(at)?;
        self.insert(ix, entry);
        Some(ix)
    }

    /// Takes an entry out.
    pub fn remove(&mut self, ix: I) -> Option<T> {
        self.0.get_mut(ix.at())?.take()
    }

    /// The number of indexes, free ones included.
    pub fn span(&self) -> usize {
        self.0.len()
    }

    /// The entries and their indexes, by index.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (I, &T)> {
        self.0.iter().enumerate().filter_map(|(at, entry)| Some((I::of(at)?, entry.as_ref()?)))
    }

    /// The entries and their indexes, to be changed.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (I, &mut T)> {
        self.0.iter_mut().enumerate().filter_map(|(at, entry)| Some((I::of(at)?, entry.as_mut()?)))
    }
}

/// Names as numbers.
#[derive(Debug, Clone, Default)]
pub struct Symbols(BTreeMap<String, Symbol>);

impl Symbols {
    /// The number of a name, a new one if it has none.
    pub fn intern(&mut self, name: &str) -> Symbol {
        if let Some(symbol) = self.get(name) {
            return symbol;
        }
        let symbol = Symbol(u32::try_from(self.0.len()).unwrap_or(u32::MAX));
        self.0.insert(name.to_owned(), symbol);
        symbol
    }

    /// The number of a name that has one.
    pub fn get(&self, name: &str) -> Option<Symbol> {
        self.0.get(name).copied()
    }
}
