//! The exports and imports of a component, as WIT.

use wit_component::WitPrinter;
use wit_parser::decoding::{DecodedWasm, decode};
use wit_parser::{Resolve, WorldKey};

use super::Error;
use crate::WitWorld;

/// Returns the WIT of a component, as text, and the names of its exports and imports.
pub(crate) fn describe(component: &[u8]) -> Result<(String, WitWorld), Error> {
    let DecodedWasm::Component(resolve, id) = decode(component).map_err(|error| bad(&error))? else {
        return Err(Error::Wit("it is a WIT package, not a component".to_owned()));
    };
    let Some(world) = resolve.worlds.get(id) else { return Err(Error::Wit("it has no world".to_owned())) };
    let names = |keys: Vec<&WorldKey>| keys.into_iter().map(|key| name(&resolve, key)).collect();
    let (exports, imports) = (names(world.exports.keys().collect()), names(world.imports.keys().collect()));
    let Some(package) = world.package else { return Err(Error::Wit("its world is in no package".to_owned())) };
    let others: Vec<_> = resolve.packages.iter().map(|(id, _)| id).filter(|id| *id != package).collect();
    let mut printer = WitPrinter::default();
    printer.print(&resolve, package, &others).map_err(|error| bad(&error))?;
    Ok((printer.output.to_string(), WitWorld { exports, imports, target: None }))
}

fn name(resolve: &Resolve, key: &WorldKey) -> String {
    resolve.name_world_key(key)
}

fn bad(error: &dyn std::fmt::Display) -> Error {
    Error::Wit(format!("{error:#}"))
}
