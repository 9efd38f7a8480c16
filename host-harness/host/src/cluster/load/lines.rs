//! The lines of a document in a compact form: four numbers for each value, and each key once.

use std::ops::Range;

/// The step from a value to one of its parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PathStep<'a> {
    /// The root of a document.
    Root,
    /// The value of a key.
    Key(&'a str),
    /// An item, from 0.
    Index(u32),
}

/// `Step` with the key as a part of `Lines::keys`.
#[derive(Debug, Clone, Copy)]
enum StoredPathStep {
    Root,
    Key(u32, u32),
    Index(u32),
}

/// The position of a value in a document.
#[derive(Debug, Clone, Copy)]
struct ValuePosition {
    step: StoredPathStep,
    line: u32,
    /// The spot after the last part of this value; `u32::MAX` while it is open.
    end: u32,
}

/// All values of a document in the order of the text: the parts of a value follow it.
#[derive(Debug, Clone, Default)]
pub(super) struct ValueLines {
    positions: Vec<ValuePosition>,
    keys: String,
}

/// Converts a length or position to `u32`. Texts are far smaller than 4 GiB.
fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

impl ValueLines {
    /// Opens a value and returns its spot. Close it after all of its parts.
    pub(super) fn open(&mut self, step: PathStep<'_>, line: u32) -> u32 {
        let spot = small(self.positions.len());
        let step = self.store(step);
        self.positions.push(ValuePosition { step, line, end: u32::MAX });
        spot
    }

    /// Closes a value: everything since it was opened is a part of it.
    pub(super) fn close(&mut self, spot: u32) {
        let end = small(self.positions.len());
        if let Some(spot) = self.positions.get_mut(spot as usize) {
            spot.end = end;
        }
    }

    /// Drops a value and everything after it.
    pub(super) fn forget(&mut self, spot: u32) {
        self.positions.truncate(spot as usize);
    }

    /// Returns the lines of a value and of its parts.
    pub(super) fn part(&self, spot: u32) -> ValueLines {
        let mut part = ValueLines::default();
        part.append_range(self, self.range(spot), PathStep::Root);
        part
    }

    /// Appends the lines of another value.
    pub(super) fn append(&mut self, part: &ValueLines, step: PathStep<'_>) {
        self.append_range(part, part.range(0), step);
    }

    /// Returns the line of a spot; 0 where the spot does not exist.
    pub(super) fn line(&self, spot: u32) -> u32 {
        self.positions.get(spot as usize).map_or(0, |s| s.line)
    }

    /// Follows a JSON pointer from a spot, as far as the value exists.
    pub(super) fn find(&self, from: u32, pointer: &str) -> u32 {
        let mut at = from;
        for token in pointer.split('/').skip(1) {
            let key = token.replace("~1", "/").replace("~0", "~");
            match self.child(at, &key) {
                Some(child) => at = child,
                None => break,
            }
        }
        at
    }

    /// Returns the spot of the part with this key or index. `None`: the value has no such part.
    pub(super) fn child(&self, of: u32, key: &str) -> Option<u32> {
        let range = self.range(of);
        let mut at = small(range.start).saturating_add(1);
        while (at as usize) < range.end {
            let spot = self.positions.get(at as usize)?;
            let found = match self.load(spot.step) {
                PathStep::Root => false,
                PathStep::Key(name) => name == key,
                PathStep::Index(index) => key.parse() == Ok(index),
            };
            if found {
                return Some(at);
            }
            at = spot.end;
        }
        None
    }

    fn range(&self, spot: u32) -> Range<usize> {
        let end = self.positions.get(spot as usize).map_or(0, |s| s.end) as usize;
        spot as usize..end.min(self.positions.len())
    }

    fn store(&mut self, step: PathStep<'_>) -> StoredPathStep {
        match step {
            PathStep::Root => StoredPathStep::Root,
            PathStep::Index(index) => StoredPathStep::Index(index),
            PathStep::Key(key) => {
                let start = small(self.keys.len());
                self.keys.push_str(key);
                StoredPathStep::Key(start, small(self.keys.len()))
            }
        }
    }

    fn load(&self, step: StoredPathStep) -> PathStep<'_> {
        match step {
            StoredPathStep::Root => PathStep::Root,
            StoredPathStep::Index(index) => PathStep::Index(index),
            StoredPathStep::Key(start, end) => {
                PathStep::Key(self.keys.get(start as usize..end as usize).unwrap_or_default())
            }
        }
    }

    fn append_range(&mut self, from: &ValueLines, range: Range<usize>, first: PathStep<'_>) {
        let base = small(self.positions.len());
        let start = small(range.start);
        for (index, spot) in from.positions.get(range).unwrap_or_default().iter().enumerate() {
            let step = self.store(if index == 0 { first } else { from.load(spot.step) });
            let end = spot.end.saturating_sub(start).saturating_add(base);
            self.positions.push(ValuePosition { step, line: spot.line, end });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaf(lines: &mut ValueLines, step: PathStep<'_>, line: u32) {
        let spot = lines.open(step, line);
        lines.close(spot);
    }

    /// Returns the lines of `{a: {b~/c: 1}, d: [x, {e: 2}]}`, with each value on a line of its own.
    fn sample() -> ValueLines {
        let mut lines = ValueLines::default();
        let root = lines.open(PathStep::Root, 1);
        let a = lines.open(PathStep::Key("a"), 2);
        leaf(&mut lines, PathStep::Key("b~/c"), 3);
        lines.close(a);
        let d = lines.open(PathStep::Key("d"), 4);
        leaf(&mut lines, PathStep::Index(0), 5);
        let item = lines.open(PathStep::Index(1), 6);
        leaf(&mut lines, PathStep::Key("e"), 7);
        lines.close(item);
        lines.close(d);
        lines.close(root);
        lines
    }

    #[test]
    fn finds_by_pointer_or_the_nearest_around_it() {
        let lines = sample();
        for (pointer, line) in [
            ("", 1),
            ("/a", 2),
            ("/a/b~0~1c", 3),
            ("/a/none/deeper", 2),
            ("/d/0", 5),
            ("/d/1/e", 7),
            ("/d/2", 4),
            ("/none", 1),
        ] {
            assert_eq!(lines.line(lines.find(0, pointer)), line, "{pointer}");
        }
    }

    #[test]
    fn a_part_keeps_its_lines_wherever_it_is_appended() {
        let lines = sample();
        let part = lines.part(lines.child(0, "d").unwrap());
        assert_eq!(part.line(part.find(0, "/1/e")), 7);
        let mut other = ValueLines::default();
        let root = other.open(PathStep::Root, 20);
        leaf(&mut other, PathStep::Key("before"), 21);
        other.append(&part, PathStep::Key("d"));
        leaf(&mut other, PathStep::Key("after"), 22);
        other.close(root);
        assert_eq!(other.line(other.find(0, "/d/1/e")), 7);
        assert_eq!(other.line(other.find(0, "/after")), 22);
    }
}
