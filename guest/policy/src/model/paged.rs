//! Entries by numbers that are given one after the other and never again: what is gone takes no room.

use std::marker::PhantomData;

use super::index::TableIndex;

/// The number of entries of one page.
const PAGE: usize = 64;

/// A table in pages. A page is freed when all its entries are gone. So a table takes memory for its entries, and half a byte for each number that was
/// ever given.
#[derive(Debug, Clone)]
pub struct PagedTable<I, T> {
    pages: Vec<TablePage<T>>,
    entries: usize,
    /// The number after the highest one ever given.
    next: usize,
    index: PhantomData<I>,
}

/// A page: its entries, and how many there are.
#[derive(Debug, Clone)]
struct TablePage<T> {
    entries: Vec<Option<T>>,
    used: usize,
}

impl<T> TablePage<T> {
    fn new() -> TablePage<T> {
        TablePage { entries: Vec::new(), used: 0 }
    }
}

impl<I, T> Default for PagedTable<I, T> {
    fn default() -> Self {
        PagedTable { pages: Vec::new(), entries: 0, next: 0, index: PhantomData }
    }
}

impl<I: TableIndex, T> PagedTable<I, T> {
    /// Returns an entry.
    pub fn get(&self, ix: I) -> Option<&T> {
        let (page, at) = place(ix);
        self.pages.get(page)?.entries.get(at)?.as_ref()
    }

    /// Returns an entry, to be changed.
    pub fn get_mut(&mut self, ix: I) -> Option<&mut T> {
        let (page, at) = place(ix);
        self.pages.get_mut(page)?.entries.get_mut(at)?.as_mut()
    }

    /// Puts an entry under a number and returns the entry that was there.
    pub fn insert(&mut self, ix: I, entry: T) -> Option<T> {
        let (page, at) = place(ix);
        self.next = self.next.max(ix.position().saturating_add(1));
        if self.pages.len() <= page {
            if let Some(last) = self.pages.last_mut().filter(|last| last.used == 0) {
                *last = TablePage::new();
            }
            self.pages.resize_with(page.saturating_add(1), TablePage::new);
        }
        let TablePage { entries, used } = self.pages.get_mut(page)?;
        if entries.capacity() == 0 {
            entries.reserve_exact(PAGE);
        }
        if entries.len() < at {
            entries.resize_with(at, || None);
        }
        let old = match entries.get_mut(at) {
            Some(old) => old.replace(entry),
            None => {
                entries.push(Some(entry));
                None
            }
        };
        if old.is_none() {
            *used = used.saturating_add(1);
            self.entries = self.entries.saturating_add(1);
        }
        old
    }

    /// Puts an entry under the number after all that were ever given. `None`: there are too many to number.
    pub fn push(&mut self, entry: T) -> Option<I> {
        let ix = I::from_position(self.next)?;
        self.insert(ix, entry);
        Some(ix)
    }

    /// Takes an entry out.
    pub fn remove(&mut self, ix: I) -> Option<T> {
        let (at_page, at) = place(ix);
        // The next numbers are of the last page.
        let is_last = at_page.saturating_add(1) == self.pages.len();
        let page = self.pages.get_mut(at_page)?;
        let old = page.entries.get_mut(at)?.take()?;
        page.used = page.used.saturating_sub(1);
        self.entries = self.entries.saturating_sub(1);
        if page.used == 0 && !is_last {
            *page = TablePage::new();
        }
        Some(old)
    }

    /// Returns how many entries there are.
    pub fn len(&self) -> usize {
        self.entries
    }

    /// Returns the entries and their numbers, in the order of the numbers.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (I, &T)> {
        let pages = self.pages.iter().map(|page| &page.entries).enumerate();
        pages.flat_map(|(page, entries)| {
            entries.iter().enumerate().filter_map(move |(at, entry)| Some((number(page, at)?, entry.as_ref()?)))
        })
    }

    /// Returns the entries and their numbers for changes, in the order of the numbers.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (I, &mut T)> {
        let pages = self.pages.iter_mut().map(|page| &mut page.entries).enumerate();
        pages.flat_map(|(page, entries)| {
            entries.iter_mut().enumerate().filter_map(move |(at, entry)| Some((number(page, at)?, entry.as_mut()?)))
        })
    }
}

/// Returns the page of a number, and the position on the page.
fn place<I: TableIndex>(ix: I) -> (usize, usize) {
    (ix.position() / PAGE, ix.position() % PAGE)
}

fn number<I: TableIndex>(page: usize, at: usize) -> Option<I> {
    I::from_position(page.checked_mul(PAGE)?.checked_add(at)?)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    use super::*;
    use crate::model::PodIx;

    #[test]
    fn entries_that_are_gone_take_no_room() {
        let pages =
            |table: &PagedTable<PodIx, u8>| table.pages.iter().filter(|page| page.entries.capacity() > 0).count();
        let (mut one_by_one, mut in_waves) = (PagedTable::default(), PagedTable::default());
        for number in 0..20_000 {
            one_by_one.insert(PodIx(number), 0);
            in_waves.insert(PodIx(number), 0);
            if let Some(gone) = number.checked_sub(100) {
                one_by_one.remove(PodIx(gone));
            }
            if number % 100 == 99 {
                for gone in number - 99..=number {
                    in_waves.remove(PodIx(gone));
                }
            }
        }
        assert_eq!((one_by_one.len(), in_waves.len()), (100, 0));
        assert!(pages(&one_by_one) <= 3, "a hundred entries lie on two or three pages");
        assert!(pages(&in_waves) <= 1, "the last page waits for the next numbers");
    }

    proptest! {
        #[test]
        fn a_paged_table_is_a_map(steps in proptest::collection::vec((0_u32..300, any::<bool>()), 0..400)) {
            let (mut table, mut map) = (PagedTable::default(), BTreeMap::new());
            for (at, (number, is_new)) in steps.into_iter().enumerate() {
                let old = if is_new { table.insert(PodIx(number), at) } else { table.remove(PodIx(number)) };
                let known = if is_new { map.insert(number, at) } else { map.remove(&number) };
                prop_assert_eq!(old, known);
                prop_assert_eq!(table.get(PodIx(number)), map.get(&number));
                prop_assert_eq!(table.len(), map.len());
            }
            table.iter_mut().for_each(|(_, entry)| *entry = !*entry);
            let all: Vec<(u32, usize)> = table.iter().map(|(ix, entry)| (ix.0, !*entry)).collect();
            prop_assert_eq!(all, map.clone().into_iter().collect::<Vec<_>>());
            let last = table.iter().next_back().map(|(ix, _)| ix.0);
            prop_assert_eq!(last, map.last_key_value().map(|(number, _)| *number));
            let pushed = table.push(0).map(|ix| ix.0);
            prop_assert!(pushed.is_some_and(|pushed| last.is_none_or(|last| pushed > last) && !map.contains_key(&pushed)));
        }
    }
}
