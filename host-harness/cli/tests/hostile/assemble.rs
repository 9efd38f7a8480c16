//! Makes components out of the few lines that are wrong with them.
//!
//! A file beside this one is a core module with one fault. It takes the place of the core module in the built-in component,
//! and what that one exports besides is added: functions that return the address 0, where the memory is zero. To the
//! canonical ABI that is "pass", "no findings", an empty list: the empty module `(module)` becomes a sound policy that
//! objects to nothing.

use std::ops::Range;
use std::sync::LazyLock;

use lictor::embedded;
use wasmtime::{Engine, ExportType, ExternType, FuncType, Module, ValType};

/// Where arguments are written to: behind the zeros that are answered with.
const ARGUMENTS: &str = r#"(func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const 4096))"#;

/// The built-in component with another core module.
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

/// The same component with another name, of the same length, wherever this one stands.
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

/// Where the core module is in a component: its first section.
fn core_module(component: &[u8]) -> Range<usize> {
    assert_eq!(component[8], 1, "the first section is a core module");
    let mut start = 9;
    let mut size = 0;
    for shift in (0..).step_by(7) {
        let byte = component[start];
        size |= usize::from(byte & 0x7f) << shift;
        start += 1;
        if byte < 0x80 {
            break;
        }
    }
    start..start + size
}

fn write_size(bytes: &mut Vec<u8>, mut size: usize) {
    while size >= 0x80 {
        bytes.push((size & 0x7f) as u8 | 0x80);
        size >>= 7;
    }
    bytes.push(size as u8);
}

/// The module with everything that the built-in one exports and it does not.
fn completed(module: &str) -> String {
    let mut text = module.trim_end().strip_suffix(')').expect("a module").to_owned();
    let lacking = EXPORTS.iter().filter(|(name, _)| !module.contains(name));
    text.extend(lacking.map(|(_, item)| item.as_str()));
    text + ")"
}

/// What the built-in core module exports: `(export "name")`, and the whole item.
static EXPORTS: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
    let core = Module::new(&Engine::default(), &embedded()[core_module(embedded())]).unwrap();
    let item = |name: &str, ty: ExternType| match ty {
        ExternType::Memory(_) => Some(format!("(memory {name} 1)")),
        ExternType::Func(_) if ARGUMENTS.contains(name) => Some(ARGUMENTS.to_owned()),
        ExternType::Func(ty) => Some(format!("(func {name} {})", body(&ty))),
        _ => None,
    };
    let named = |export: &ExportType| {
        let name = format!("(export \"{}\")", export.name());
        item(&name, export.ty()).map(|item| (name, item))
    };
    core.exports().filter_map(|export| named(&export)).collect()
});

fn body(ty: &FuncType) -> String {
    let names = |types: &mut dyn Iterator<Item = ValType>| types.map(|ty| format!(" {ty}")).collect::<String>();
    let (parameters, results) = (names(&mut ty.params()), names(&mut ty.results()));
    let answer = if results.is_empty() { "" } else { "(i32.const 0)" };
    format!("(param{parameters}) (result{results}) {answer}")
}
