//! Makes components out of the few lines that are wrong with them.
//!
//! Each `.wat` file in this folder is a core module with one fault. It replaces the core module in the built-in component. The exports of the
//! built-in module that it lacks are added: functions that return the address 0, where the memory is zero. To the canonical ABI that is
//! "pass", "no findings", an empty list: the empty module `(module)` becomes a sound policy that objects to nothing.

use std::ops::Range;
use std::sync::LazyLock;

use lictor::embedded;

/// Where arguments are written to: behind the zeros that are answered with.
const ARGUMENTS: &str = r#"(func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const 4096))"#;

/// Builds the built-in component with another core module.
pub fn policy(module: &str) -> Vec<u8> {
    let component = embedded();
    let section = core_module(component);
    let replaced = wat::parse_str(completed(module)).unwrap();
    let mut bytes = component[..9].to_vec();
    write_size(&mut bytes, replaced.len());
    bytes.extend(replaced);
    bytes.extend(&component[section.end..]);
    bytes
}

/// Returns the same component with a name replaced everywhere by another one of the same length.
pub fn renamed(component: &[u8], from: &str, to: &str) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let mut bytes = component.to_vec();
    let found: Vec<usize> = (0..bytes.len()).filter(|&start| bytes[start..].starts_with(from.as_bytes())).collect();
    assert!(!found.is_empty(), "{from}");
    for start in found {
        bytes[start..start + from.len()].copy_from_slice(to.as_bytes());
    }
    bytes
}

/// Returns the range of the core module in a component: its first section.
fn core_module(component: &[u8]) -> Range<usize> {
    assert_eq!(component[8], 1, "the first section is a core module");
    let mut rest = Reader { bytes: &component[9..] };
    let size = rest.number();
    let start = component.len() - rest.bytes.len();
    start..start + size
}

fn write_size(bytes: &mut Vec<u8>, mut size: usize) {
    while size >= 0x80 {
        bytes.push((size & 0x7f) as u8 | 0x80);
        size >>= 7;
    }
    bytes.push(size as u8);
}

/// Returns the module with all exports of the built-in one that it lacks.
fn completed(module: &str) -> String {
    let mut text = module.trim_end().strip_suffix(')').expect("a module").to_owned();
    let lacking = EXPORTS.iter().filter(|(name, _)| !module.contains(name));
    text.extend(lacking.map(|(_, item)| item.as_str()));
    text + ")"
}

/// What the built-in core module exports: `(export "name")`, and the whole item. It is read, not compiled: that takes seconds.
static EXPORTS: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
    let core = &embedded()[core_module(embedded())];
    let types = Reader::of_section(core, 1).list(|it| {
        assert_eq!(it.number(), 0x60, "a function");
        (it.list(Reader::value), it.list(Reader::value))
    });
    let functions = Reader::of_section(core, 3).list(Reader::number);
    let exports = Reader::of_section(core, 7).list(|it| (it.name(), it.number(), it.number()));
    let item = |(name, kind, index): (String, usize, usize)| {
        let name = format!("(export \"{name}\")");
        let item = match kind {
            0 if ARGUMENTS.contains(&name) => ARGUMENTS.to_owned(),
            0 => format!("(func {name} {})", body(&types[functions[index]])),
            2 => format!("(memory {name} 1)"),
            _ => return None,
        };
        Some((name, item))
    };
    exports.into_iter().filter_map(item).collect()
});

fn body((parameters, results): &(Vec<&str>, Vec<&str>)) -> String {
    let answer = if results.is_empty() { "" } else { "(i32.const 0)" };
    format!("(param {}) (result {}) {answer}", parameters.join(" "), results.join(" "))
}

/// Reads a section of a core module that imports nothing.
struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    fn of_section(module: &'a [u8], wanted: usize) -> Reader<'a> {
        let mut module = Reader { bytes: &module[8..] };
        loop {
            let (section, size) = (module.number(), module.number());
            let content = module.take(size);
            if section == wanted {
                return Reader { bytes: content };
            }
        }
    }

    fn take(&mut self, size: usize) -> &'a [u8] {
        let (taken, rest) = self.bytes.split_at(size);
        self.bytes = rest;
        taken
    }

    /// Reads a number of seven bits a byte, the least significant first.
    fn number(&mut self) -> usize {
        let mut number = 0;
        for shift in (0..).step_by(7) {
            let byte = self.take(1)[0];
            number |= usize::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                break;
            }
        }
        number
    }

    fn list<T>(&mut self, mut item: impl FnMut(&mut Reader<'a>) -> T) -> Vec<T> {
        (0..self.number()).map(|_| item(self)).collect()
    }

    fn name(&mut self) -> String {
        let size = self.number();
        String::from_utf8(self.take(size).to_vec()).unwrap()
    }

    fn value(&mut self) -> &'static str {
        match self.number() {
            0x7f => "i32",
            0x7e => "i64",
            0x7d => "f32",
            0x7c => "f64",
            other => panic!("{other:#x} is no number type"),
        }
    }
}
