//! A policy is configured, and says what follows from it.

use std::collections::BTreeSet;

use lictor_contract::ExtensionPoint;

use super::OpenError;
use crate::cluster::check_placed_kinds;
use crate::policy::Policy;
use crate::reason::MessageTemplates;
use crate::replace::Configuration;

/// Configures a policy with a system; with its first system where the name is empty. Returns the configuration, and the
/// schedulers whose pods the system decides about.
pub(super) fn configure(
    policy: &mut dyn Policy,
    system: &str,
    arguments: &str,
) -> Result<(Configuration, Vec<String>), OpenError> {
    let mut described = policy.describe()?.systems;
    let system = match described.first() {
        Some(first) if system.is_empty() => first.name.clone(),
        _ => system.to_owned(),
    };
    policy.configure(&system, arguments)?.map_err(OpenError::Refused)?;
    described.retain(|info| info.name == system);
    let info = described.pop().ok_or(OpenError::SystemNotDescribed(system))?;
    let points: BTreeSet<_> = info.extension_points.iter().filter_map(|name| ExtensionPoint::named(name)).collect();
    if let Some(point) = points.iter().find(|point| !policy.has(point.interface())) {
        return Err(OpenError::MissingInterface { system: info.name, point: *point });
    }
    check_placed_kinds(&info.interests.placed_kinds)?;
    let configuration = Configuration {
        system: info.name,
        arguments: arguments.to_owned(),
        points,
        judges_room: info.judges_room,
        evicts_higher_priority: info.evicts_higher_priority,
        templates: MessageTemplates::new(info.templates),
        interests: info.interests,
    };
    Ok((configuration, info.schedulers))
}
