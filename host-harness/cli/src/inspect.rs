//! `lictor inspect`: what a component is.

use std::path::PathBuf;

use clap::Args;
use lictor_contract::{Description, ExtensionPoint, SystemInfo};

use super::arguments::kind;
use super::choice::{name_of, read_component};
use super::exit::Exit;
use super::failure::Failure;
use super::kept;
use super::page::{Page, table};
use super::screen::{Screen, TextOrJson, print_json};
use crate::embedded;
use lictor_host::sandbox::{Export, Inspection};

/// Show what a component is: contract, imports, exports, laws; and why it is refused, where it is
#[derive(Debug, Args)]
pub(super) struct Asked {
    /// The component [default: the embedded one]
    #[arg(value_name = "COMPONENT")]
    component: Option<PathBuf>,
    /// How to print it
    #[arg(long, value_enum, default_value = "text")]
    output: TextOrJson,
}

/// Shows a component.
pub(super) fn run(asked: &Asked) -> Result<Exit, Failure> {
    let read;
    let (file, bytes) = match &asked.component {
        None => (None, embedded()),
        Some(path) => {
            read = read_component(path)?;
            (Some(path.display().to_string()), read.as_slice())
        }
    };
    let file = name_of(file.as_deref()).to_owned();
    let sandbox = kept::sandbox().map_err(|error| Failure::Component { file: file.clone(), error })?;
    let told = sandbox.inspect(bytes);
    match asked.output {
        TextOrJson::Json => print_json(&told)?,
        TextOrJson::Text => page(&file, &told).print()?,
    }
    match told.refused {
        None => Ok(Exit::Done),
        Some(error) => Err(Failure::Component { file, error }),
    }
}

/// What is known, for people.
fn page(file: &str, told: &Inspection) -> Page {
    let mut page = Page::new(Screen::stdout());
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
    exports(&mut page, &told.exports);
    laws(&mut page, told.description.as_ref());
    page
}

fn exports(page: &mut Page, exports: &[Export]) {
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

fn laws(page: &mut Page, policy: Option<&Description>) {
    for set in policy.iter().flat_map(|policy| &policy.systems) {
        page.heading(&format!("Laws {}: {}", set.name, set.about));
        interests(page, set);
        if set.arguments.is_empty() {
            continue;
        }
        page.line("");
        let mut rows = table(["ARGUMENT", "KIND", "DEFAULT", "WHAT IT DOES"]);
        for argument in &set.arguments {
            rows.add_row([&argument.name, kind(argument.kind), &argument.default, &argument.about]);
        }
        page.table(2, rows);
    }
}

fn interests(page: &mut Page, set: &SystemInfo) {
    let points: Vec<String> = set.extension_points.iter().map(|point| point_name(*point).to_owned()).collect();
    let kinds = set.interests.kinds.iter().map(|kind| match kind.group.as_str() {
        "" => kind.kind.clone(),
        group => format!("{}.{group}", kind.kind),
    });
    let rows = [
        ("decides at", points),
        ("wants kinds", kinds.collect()),
        ("pod labels", set.interests.labels.clone()),
        ("pod annotations", set.interests.annotations.clone()),
        ("node labels", set.interests.node_labels.clone()),
    ];
    for (name, values) in rows {
        page.paragraph(&format!("  {name:<15} "), 18, &or_none(&values));
    }
}

fn point_name(point: ExtensionPoint) -> &'static str {
    match point {
        ExtensionPoint::QueueOrder => "queue-order",
        ExtensionPoint::PreFilter => "pre-filter",
        ExtensionPoint::Filter => "filter",
        ExtensionPoint::PostFilter => "post-filter",
        ExtensionPoint::Reserve => "reserve",
        ExtensionPoint::Permit => "permit",
        ExtensionPoint::Act => "act",
    }
}

fn or_none(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
