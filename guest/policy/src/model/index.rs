//! Typed indexes and the tables they index.

use std::collections::{BTreeMap, BTreeSet};
use std::marker::PhantomData;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::sweep::SweepSchedule;

/// A number that names an entry of a table.
pub trait TableIndex: Copy {
    /// Returns the position in the table.
    fn position(self) -> usize;
    /// Converts a position into an index. `None`: the position has more than 32 bits.
    fn from_position(at: usize) -> Option<Self>;
}

macro_rules! indexes {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        pub struct $name(pub u32);

        impl TableIndex for $name {
            fn position(self) -> usize {
                usize::try_from(self.0).unwrap_or(usize::MAX)
            }
            fn from_position(at: usize) -> Option<Self> {
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
    /// A class of pods. The number of a class without pods is given to another class.
    ClassIx;
    /// A class of pods that guards cannot tell apart. Classes are renumbered at times, but never within a search.
    VictimClassIx;
    /// A queue or quota; renumbered whenever the tree changes.
    QueueIx;
    /// A job.
    JobIx;
    /// A disruption budget. The number of a removed budget is given to another budget.
    BudgetIx;
    /// A set of pods that a selector chooses, as the host numbered it.
    SelectorIx;
    /// A topology, as the host numbered it.
    TopologyIx;
    /// The constraints between some pods and others, as the host numbered them.
    InterPodIx;
    /// A count of pods by domain; renumbered whenever a topology or a constraint between pods changes.
    DomainCountsIx;
    /// A name that is compared but rarely shown. A number is never given to a second name.
    NameId;
}

/// Entries by index; an index may be free.
#[derive(Debug, Clone)]
pub struct Table<I, T>(Vec<Option<T>>, PhantomData<I>);

impl<I, T> Default for Table<I, T> {
    fn default() -> Self {
        Table(Vec::new(), PhantomData)
    }
}

impl<I: TableIndex, T> Table<I, T> {
    /// Returns an entry. `None`: the index is free.
    pub fn get(&self, ix: I) -> Option<&T> {
        self.0.get(ix.position())?.as_ref()
    }

    /// Returns an entry for changes. `None`: the index is free.
    pub fn get_mut(&mut self, ix: I) -> Option<&mut T> {
        self.0.get_mut(ix.position())?.as_mut()
    }

    /// Puts an entry at an index and returns the entry that was there.
    pub fn insert(&mut self, ix: I, entry: T) -> Option<T> {
        let at = ix.position();
        if self.0.len() < at {
            self.0.resize_with(at, || None);
        }
        match self.0.get_mut(at) {
            Some(old) => old.replace(entry),
            None => {
                self.0.push(Some(entry));
                None
            }
        }
    }

    /// Puts an entry at the first index past all others.
    pub fn push(&mut self, entry: T) -> Option<I> {
        let ix = I::from_position(self.0.len())?;
        self.0.push(Some(entry));
        Some(ix)
    }

    /// Puts an entry at the first free index. `None`: no index is free.
    pub fn insert_at_free(&mut self, entry: T) -> Option<I> {
        let Some(at) = self.0.iter().position(Option::is_none) else { return self.push(entry) };
        let ix = I::from_position(at)?;
        self.insert(ix, entry);
        Some(ix)
    }

    /// Takes an entry out.
    pub fn remove(&mut self, ix: I) -> Option<T> {
        self.0.get_mut(ix.position())?.take()
    }

    /// Returns the number of indexes, free ones included.
    pub fn len_with_holes(&self) -> usize {
        self.0.len()
    }

    /// Returns the entries and their indexes, by index.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (I, &T)> {
        self.0.iter().enumerate().filter_map(|(at, entry)| Some((I::from_position(at)?, entry.as_ref()?)))
    }

    /// Returns the entries and their indexes for changes, by index.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (I, &mut T)> {
        self.0.iter_mut().enumerate().filter_map(|(at, entry)| Some((I::from_position(at)?, entry.as_mut()?)))
    }
}

/// The number of recent names that are cached besides the sorted names.
const RECENT: usize = 256;

/// Names as numbers.
#[derive(Debug, Clone, Default)]
pub struct NameTable {
    numbers: BTreeMap<Arc<str>, NameId>,
    /// The number of the next new name.
    next: u32,
    sweep: SweepSchedule,
    /// A cache by hash of the last interned names: many pods in a row are of few namespaces and queues.
    recent: Vec<Option<(Arc<str>, NameId)>>,
}

impl NameTable {
    /// Returns the number of a name, a new one if it has none.
    pub fn intern(&mut self, name: &str) -> NameId {
        self.intern_shared(name).1
    }

    /// Returns the shared text of a name, and its number, a new one if it has none.
    pub fn intern_shared(&mut self, name: &str) -> (Arc<str>, NameId) {
        let slot = slot(name);
        if let Some(Some((recent, symbol))) = self.recent.get(slot)
            && **recent == *name
        {
            return (Arc::clone(recent), *symbol);
        }
        let (name, symbol) = match self.numbers.get_key_value(name) {
            Some((name, symbol)) => (name.clone(), *symbol),
            None => {
                let (name, symbol) = (Arc::from(name), NameId(self.next));
                self.next = self.next.saturating_add(1);
                self.numbers.insert(Arc::clone(&name), symbol);
                (name, symbol)
            }
        };
        self.recent.resize(RECENT, None);
        if let Some(recent) = self.recent.get_mut(slot) {
            *recent = Some((Arc::clone(&name), symbol));
        }
        (name, symbol)
    }

    /// Returns the number of a name. `None`: the name was never interned.
    pub fn get(&self, name: &str) -> Option<NameId> {
        self.numbers.get(name).copied()
    }

    /// Returns how many names there are.
    pub fn count(&self) -> usize {
        self.numbers.len()
    }

    /// Returns whether there may be as many unused names as used ones, so that a sweep is worth its time.
    pub fn is_sweep_due(&self) -> bool {
        self.sweep.is_due(self.count())
    }

    /// Forgets the names that nothing has. One that comes again gets another number.
    pub fn sweep(&mut self, used: &BTreeSet<NameId>) {
        self.numbers.retain(|_, symbol| used.contains(symbol));
        self.recent.clear();
        self.sweep.done(self.count());
    }
}

/// Returns the place of a name among the recent ones.
fn slot(name: &str) -> usize {
    usize::try_from(hash(name)).map_or(0, |hash| hash % RECENT)
}

/// Returns a hash of a name, FNV-1a: names with different hashes are different.
pub fn hash(name: &str) -> u32 {
    name.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}
