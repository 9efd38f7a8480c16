//! `lictor inspect`: the properties of a component.

use std::path::PathBuf;

use clap::Args;
use lictor_contract::{Description, SystemInfo};

use super::choice::name_of;
use super::exit::Exit;
use super::failure::CommandError;
use super::kept;
use super::limited::LimitArgs;
use super::page::{TextPage, table};
use super::remote::RegistryArgs;
use super::screen::{Screen, TextOrJson, print_json};
use crate::embedded;
use lictor_host::sandbox::{Export, Inspection, Presence};

/// Show the contract, interfaces, imports and systems of a component, and why it is refused if it is
#[derive(Debug, Args)]
pub(super) struct InspectArgs {
    /// The component: a file, or one of a registry, `oci://...` [default: the embedded one]
    #[arg(value_name = "COMPONENT")]
    component: Option<PathBuf>,
    #[command(flatten)]
    remote: RegistryArgs,
    #[command(flatten)]
    limits: LimitArgs,
    /// The format of the output
    #[arg(long, value_enum, default_value = "text")]
    output: TextOrJson,
}

/// Shows a component.
pub(super) fn run(asked: &InspectArgs) -> Result<Exit, CommandError> {
    let limits = asked.limits.read()?;
    let read = match &asked.component {
        None => asked.remote.must_be_unused().map(|()| None)?,
        Some(path) => Some(asked.remote.fetch(path, &limits)?),
    };
    let bytes = read.as_ref().map_or(embedded(), |read| read.bytes.as_slice());
    let file = name_of(read.as_ref().map(|read| read.name.as_str())).to_owned();
    let sandbox = kept::sandbox(limits).map_err(|error| CommandError::Component { file: file.clone(), error })?;
    let told = sandbox.inspect(bytes);
    match asked.output {
        TextOrJson::Json => print_json(&told)?,
        TextOrJson::Text => page(&file, &told).print()?,
    }
    match told.refused {
        None => Ok(Exit::Success),
        Some(error) => Err(CommandError::Component { file, error }),
    }
}

/// Makes the page with the properties of a component.
fn page(file: &str, told: &Inspection) -> TextPage {
    let mut page = TextPage::new(Screen::stdout());
    let mut facts = vec![
        ("component", file.to_owned()),
        ("size", format!("{} bytes", told.bytes)),
        ("sha256", told.sha256.clone()),
    ];
    facts.extend(told.contract.iter().map(|version| ("contract", format!("lictor:policy@{version}"))));
    if !told.exports.is_empty() {
        facts.push(("imports", or_none(&told.imports)));
    }
    facts.extend(told.description.iter().map(|policy| ("policy", format!("{} {}", policy.name, policy.version))));
    for (name, value) in facts {
        page.paragraph(&format!("{name:<11} "), 12, &value);
    }
    interfaces(&mut page, &told.interfaces);
    exports(&mut page, &told.exports);
    laws(&mut page, told.description.as_ref());
    page
}

fn interfaces(page: &mut TextPage, interfaces: &[Presence]) {
    if interfaces.is_empty() {
        return;
    }
    page.heading("Interfaces");
    let of = |required: bool, present: bool| {
        let alike = interfaces.iter().filter(|it| (it.required, it.present) == (required, present));
        alike.map(|it| it.interface.clone()).collect::<Vec<_>>()
    };
    let rows = [
        ("required", of(true, true)),
        ("required, missing", of(true, false)),
        ("optional", of(false, true)),
        ("optional, missing", of(false, false)),
    ];
    for (name, interfaces) in rows {
        if !interfaces.is_empty() {
            page.paragraph(&format!("  {name:<17} "), 20, &interfaces.join(", "));
        }
    }
}

fn exports(page: &mut TextPage, exports: &[Export]) {
    if exports.is_empty() {
        return;
    }
    page.heading("Exports");
    for export in exports {
        page.line(format!("  {}", export.name));
        for function in &export.functions {
            page.paragraph("    ", 8, &format!("{}: {}", function.name, function.signature));
        }
    }
}

fn laws(page: &mut TextPage, policy: Option<&Description>) {
    for set in policy.iter().flat_map(|policy| &policy.systems) {
        page.heading(&format!("Laws {}: {}", set.name, set.about));
        interests(page, set);
        if set.arguments.is_empty() {
            continue;
        }
        page.line("");
        let mut rows = table(["ARGUMENT", "KIND", "DEFAULT", "WHAT IT DOES"]);
        for argument in &set.arguments {
            rows.add_row([&argument.name, &argument.kind, &argument.default, &argument.about]);
        }
        page.table(2, rows);
    }
}

fn interests(page: &mut TextPage, set: &SystemInfo) {
    let named = |group: &str, kind: &str| if group.is_empty() { kind.to_owned() } else { format!("{kind}.{group}") };
    let kinds = set.interests.kinds.iter().map(|kind| named(&kind.group, &kind.kind));
    let placed = set.interests.placed_kinds.iter().map(|kind| named(&kind.group, &kind.kind));
    let rows = [
        ("decides at", set.extension_points.clone()),
        ("object kinds", kinds.collect()),
        ("placed kinds", placed.collect()),
        ("pod labels", set.interests.labels.clone()),
        ("labels of who is leaving", set.interests.leaving_labels.clone()),
        ("pod annotations", set.interests.annotations.clone()),
        ("pod fields", set.interests.pod_fields.clone()),
        ("node labels", set.interests.node_labels.clone()),
    ];
    for (name, values) in rows {
        page.paragraph(&format!("  {name:<15} "), 18, &or_none(&values));
    }
}

fn or_none(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
