//! Goes over JSON without building it: where values begin and end, and which keys mappings have.
//!
//! What is unusual here is none: the text is then read value by value, which knows every case and names what is wrong.

use super::builder::MAX_DEPTH;
use crate::cluster::object::holds_quantities;

/// A scanner over a text, from left to right.
#[derive(Debug, Clone)]
pub(super) struct JsonScanner<'t> {
    text: &'t str,
    position: usize,
}

impl<'t> JsonScanner<'t> {
    /// Starts a scanner at the beginning of a text.
    pub(super) fn new(text: &'t str) -> JsonScanner<'t> {
        JsonScanner { text, position: 0 }
    }

    /// Returns the position of the scanner, in bytes from the beginning.
    pub(super) fn position(&self) -> usize {
        self.position
    }

    /// Skips spaces and returns the next byte without passing it. `None`: the text has ended.
    pub(super) fn peek(&mut self) -> Option<u8> {
        let rest = self.text.as_bytes().get(self.position..)?;
        let spaces = rest.iter().position(|byte| !matches!(byte, b' ' | b'\n' | b'\r' | b'\t'))?;
        self.position = self.position.saturating_add(spaces);
        rest.get(spaces).copied()
    }

    /// Passes this byte. `None`: the next byte is another one.
    pub(super) fn pass(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.position = self.position.saturating_add(1))
    }

    /// Returns whether another entry of a mapping or sequence follows, and passes the comma or `end`. `None`: neither follows.
    pub(super) fn more(&mut self, end: u8) -> Option<bool> {
        if self.peek()? == end {
            self.position = self.position.saturating_add(1);
            return Some(false);
        }
        self.pass(b',').map(|()| true)
    }

    /// Passes a string and returns it as written, with its quotes. `None`: no complete string follows.
    pub(super) fn string(&mut self) -> Option<&'t str> {
        self.pass(b'"')?;
        let start = self.position.checked_sub(1)?;
        loop {
            let rest = self.text.as_bytes().get(self.position..)?;
            let next = memchr::memchr2(b'"', b'\\', rest)?;
            self.position = self.position.saturating_add(next).saturating_add(1);
            if rest.get(next) == Some(&b'"') {
                return self.text.get(start..self.position);
            }
            self.position = self.position.saturating_add(1);
        }
    }

    /// Passes a key and the colon after it, and returns the key without quotes. `None`: the key has escapes, or no key follows.
    pub(super) fn key(&mut self) -> Option<&'t str> {
        let key = self.string()?;
        self.pass(b':')?;
        let key = key.strip_prefix('"')?.strip_suffix('"')?;
        (!key.contains('\\')).then_some(key)
    }

    /// Passes a number or a word (`true`, `false`, `null`) and returns it. `None`: neither follows.
    pub(super) fn word(&mut self) -> Option<&'t str> {
        self.peek()?;
        let rest = self.text.get(self.position..)?;
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
        let end = rest.bytes().position(|byte| !is_part(&byte)).unwrap_or(rest.len());
        self.position = self.position.saturating_add(end);
        rest.get(..end).filter(|word| !word.is_empty())
    }

    /// Passes a value of any kind and returns its text. The contents of the value are not checked. `None`: the value is incomplete.
    pub(super) fn value(&mut self) -> Option<&'t str> {
        match self.peek()? {
            b'"' => self.string(),
            b'{' | b'[' => self.container(),
            _ => self.word(),
        }
    }

    fn container(&mut self) -> Option<&'t str> {
        let (start, mut depth) = (self.position, 0_usize);
        loop {
            let rest = self.text.as_bytes().get(self.position..)?;
            let next = rest.iter().position(|byte| matches!(byte, b'"' | b'{' | b'}' | b'[' | b']'))?;
            self.position = self.position.saturating_add(next);
            match rest.get(next)? {
                b'"' => {
                    self.string()?;
                    continue;
                }
                b'{' | b'[' => depth = depth.saturating_add(1),
                _ => depth = depth.saturating_sub(1),
            }
            self.position = self.position.saturating_add(1);
            match depth {
                0 => return self.text.get(start..self.position),
                MAX_DEPTH.. => return None,
                _ => {}
            }
        }
    }
}

/// The properties of an object that are known without building it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ObjectOutline<'t> {
    /// `apiVersion` and `kind`, where they are texts without escapes.
    pub(super) api_version: &'t str,
    pub(super) kind: &'t str,
    /// The object has a key `items`.
    pub(super) has_items: bool,
}

/// Writes an object without spaces and without `metadata.managedFields`, with quantities as texts. `None`: the object is unusual. It is not a
/// mapping, has an unusual key or the same key twice, has a text or number that may have no meaning, or has no kind.
pub(super) fn compact<'t>(object: &'t str, to: &mut String) -> Option<ObjectOutline<'t>> {
    let mut writer = CompactWriter { scan: JsonScanner::new(object), to, keys: Vec::new() };
    let sketch = writer.object()?;
    writer.scan.peek().is_none().then_some(sketch)
}

struct CompactWriter<'t, 'w> {
    scan: JsonScanner<'t>,
    to: &'w mut String,
    /// The keys of the mappings that are open, from the outermost one.
    keys: Vec<&'t str>,
}

impl<'t> CompactWriter<'t, '_> {
    fn object(&mut self) -> Option<ObjectOutline<'t>> {
        let (mut api_version, mut kind, mut has_items) = (None, None, false);
        self.mapping(0, |writer, key| {
            match key {
                "apiVersion" => api_version = Some(writer.scan.clone().string()?),
                "kind" => kind = Some(writer.scan.clone().string()?),
                "items" => has_items = true,
                _ => {}
            }
            writer.value(1, key)
        })?;
        let plain = |text: &'t str| text.strip_prefix('"')?.strip_suffix('"').filter(|text| !text.contains('\\'));
        Some(ObjectOutline { api_version: plain(api_version?)?, kind: plain(kind?)?, has_items })
    }

    /// Writes a mapping; `each` writes the value of a key.
    fn mapping(&mut self, depth: usize, mut each: impl FnMut(&mut Self, &'t str) -> Option<()>) -> Option<()> {
        self.scan.pass(b'{')?;
        self.to.push('{');
        let (first, empty) = (self.keys.len(), self.to.len());
        let mut more = self.scan.peek()? != b'}';
        if !more {
            self.scan.pass(b'}')?;
        }
        if depth >= MAX_DEPTH.saturating_sub(8) {
            return None;
        }
        while more {
            let key = self.scan.key()?;
            self.keys.push(key);
            let before = self.to.len();
            if before > empty {
                self.to.push(',');
            }
            self.to.push('"');
            self.to.push_str(key);
            self.to.push_str("\":");
            let start = self.to.len();
            each(self, key)?;
            if self.to.len() == start {
                self.to.truncate(before);
            }
            more = self.scan.more(b'}')?;
        }
        self.to.push('}');
        let keys = self.keys.get_mut(first..)?;
        let is_twice = has_duplicate(keys);
        self.keys.truncate(first);
        (!is_twice).then_some(())
    }

    /// Writes the value of a key; nothing for `managedFields` of metadata.
    fn value(&mut self, depth: usize, of: &str) -> Option<()> {
        match self.scan.peek()? {
            b'{' if holds_quantities(of) => self.mapping(depth, |writer, _| writer.quantity()),
            b'{' => self.mapping(depth, |writer, key| {
                if of == "metadata" && key == "managedFields" {
                    return writer.managed_fields(depth);
                }
                writer.value(depth.saturating_add(1), key)
            }),
            b'[' => self.sequence(depth),
            b'"' => self.scan.string().filter(|text| is_plain(text)).map(|text| self.to.push_str(text)),
            _ => self.scan.word().filter(|word| is_usual(word)).map(|word| self.to.push_str(word)),
        }
    }

    /// Writes a quantity as a text, as the types of Kubernetes have it.
    fn quantity(&mut self) -> Option<()> {
        if self.scan.peek()? == b'"' {
            return self.value(0, "");
        }
        let number = self.scan.word()?;
        let is_whole = number.bytes().all(|byte| byte.is_ascii_digit()) && (number == "0" || !number.starts_with('0'));
        if !is_whole || !is_usual(number) {
            return None;
        }
        self.to.push('"');
        self.to.push_str(number);
        self.to.push('"');
        Some(())
    }

    fn sequence(&mut self, depth: usize) -> Option<()> {
        self.scan.pass(b'[')?;
        self.to.push('[');
        let mut more = self.scan.peek()? != b']';
        if !more {
            self.scan.pass(b']')?;
        }
        let mut is_first = true;
        while more {
            if !std::mem::take(&mut is_first) {
                self.to.push(',');
            }
            self.value(depth.saturating_add(1), "")?;
            more = self.scan.more(b']')?;
        }
        self.to.push(']');
        Some(())
    }

    /// Checks `managedFields` like every other value, and writes nothing. `None`: the value is unusual or not valid.
    fn managed_fields(&mut self, depth: usize) -> Option<()> {
        let start = self.to.len();
        self.value(depth.saturating_add(1), "")?;
        let is_valid = serde_json::from_str::<serde::de::IgnoredAny>(self.to.get(start..)?).is_ok();
        self.to.truncate(start);
        is_valid.then_some(())
    }
}

/// Returns whether a key occurs twice.
fn has_duplicate(keys: &mut [&str]) -> bool {
    if keys.len() > 16 {
        keys.sort_unstable();
        return keys.windows(2).any(|pair| matches!(pair, [one, other] if one == other));
    }
    keys.iter().enumerate().any(|(place, key)| keys.iter().take(place).any(|before| before == key))
}

/// Returns whether a text is valid. Only a text with `\u` escapes can be invalid: one half of a surrogate pair has no meaning.
fn is_plain(text: &str) -> bool {
    !text.contains("\\u") || serde_json::from_str::<String>(text).is_ok()
}

/// Returns whether a word is `true`, `false`, `null` or a number without exponent that is short enough for 64 bits. Nearly all numbers are.
fn is_usual(word: &str) -> bool {
    word.len() < 19 && (!word.contains(['e', 'E']) || matches!(word, "true" | "false"))
}
