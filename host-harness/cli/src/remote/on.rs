//! Pushing and pulling, where registries are built in.

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{env, fs};

use lictor_artifact::{
    ArtifactReference, Credentials, Digest, Error, PublicKey, PullLimits, Pulled, PushContents, RegistrySettings,
    SigningKey, Trust,
};
use lictor_host::sandbox::SandboxLimits;
use serde::Serialize;

use super::report::ReportSummary;
use super::{FetchedComponent, PullArgs, PushArgs, RegistryArgs, RegistryNetworkArgs};
use crate::exit::Exit;
use crate::failure::CommandError;
use crate::kept;
use crate::page::TextPage;
use crate::screen::{Screen, TextOrJson, print_json};

/// The password of an encrypted key, as cosign reads it.
const PASSWORD: &str = "COSIGN_PASSWORD";

/// The report of a push or a pull.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TransferReport {
    /// The reference of the artifact, pinned to a digest.
    reference: String,
    /// Why the artifact may be loaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    trust: Option<&'static str>,
    component: String,
    wit: Option<String>,
    report: Option<String>,
    /// What the report says.
    #[serde(skip_serializing_if = "Option::is_none")]
    conformance: Option<String>,
    /// The tag of the signature.
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<String>,
}

/// Reads a component of a registry.
pub(super) fn fetch(
    reference: &str,
    remote: &RegistryArgs,
    limits: &SandboxLimits,
) -> Result<FetchedComponent, CommandError> {
    let component_bytes = u64::try_from(limits.component_bytes).unwrap_or(u64::MAX);
    let limits = PullLimits { component_bytes, ..PullLimits::default() };
    let (pulled, trust, access) = remote.pull(reference, &limits)?;
    let report = lictor_artifact::pull_report(&pulled, &access, &limits).map_err(|error| failure(reference, error))?;
    let report = remote.checked_report(reference, &pulled, report.as_deref())?;
    let (name, bytes) = (pulled.reference.to_string(), pulled.component);
    Ok(FetchedComponent { name, bytes, trust: Some(trust), report })
}

/// Pushes a policy.
pub(crate) fn push(asked: &PushArgs) -> Result<Exit, CommandError> {
    let failed = |error| failure(&asked.reference, error);
    let reference = ArtifactReference::parse(&asked.reference).map_err(|error| failed(error.into()))?;
    let file = asked.component.display().to_string();
    let component = read(&asked.component)?;
    let told = kept::sandbox(SandboxLimits::default())
        .map_err(|error| CommandError::Component { file: file.clone(), error })?
        .inspect(&component);
    if let Some(error) = told.refused {
        return Err(CommandError::Component { file, error });
    }
    let report = asked.report.as_deref().map(|path| asked.read_report(path, &told.sha256)).transpose()?;
    let title = told.description.as_ref().map(|policy| (policy.name.as_str(), policy.version.as_str()));
    let key = asked.sign_key.as_deref().map(signing_key).transpose()?;
    let access = asked.network.access().map_err(failed)?;
    let contents = PushContents { component: &component, report: report.as_deref(), title };
    let pushed = lictor_artifact::push(&reference, &contents, key.as_ref(), &access).map_err(failed)?;
    let done = TransferReport {
        reference: pushed.reference.to_string(),
        trust: None,
        component: pushed.component.to_string(),
        wit: Some(pushed.wit.to_string()),
        report: pushed.report.as_ref().map(Digest::to_string),
        conformance: None,
        signature: pushed.signature,
    };
    done.print(asked.output)
}

/// Pulls a policy.
pub(crate) fn pull(asked: &PullArgs) -> Result<Exit, CommandError> {
    let (pulled, trust, access) = asked.remote.pull(&asked.reference, &PullLimits::default())?;
    let failed = |error| failure(&asked.reference, error);
    let attached = lictor_artifact::pull_attachments(&pulled, &access, &PullLimits::default()).map_err(failed)?;
    let conformance = asked.remote.checked_report(&asked.reference, &pulled, attached.report.as_deref())?;
    let name = pulled.reference.repository.rsplit('/').next().unwrap_or_default();
    let keep = |ending: &str, bytes: Option<&[u8]>| match bytes {
        Some(bytes) => write(&asked.directory.join(format!("{name}.{ending}")), bytes).map(Some),
        None => Ok(None),
    };
    let wit = keep("wit", attached.wit.as_deref())?;
    let report = keep("report.json", attached.report.as_deref())?;
    let component = write(&asked.directory.join(format!("{name}.wasm")), &pulled.component)?;
    let reference = pulled.reference.to_string();
    let done = TransferReport { reference, trust: Some(trust), component, wit, report, conformance, signature: None };
    done.print(asked.output)
}

impl RegistryNetworkArgs {
    fn access(&self) -> Result<RegistrySettings, Error> {
        let (plain_http, timeout) = (self.plain_http, Duration::from_secs(self.registry_timeout));
        Ok(RegistrySettings { credentials: Credentials::of_docker()?, plain_http, timeout })
    }
}

impl RegistryArgs {
    /// Pulls a component that may be loaded. Returns also why it may, and the access to the registry.
    fn pull(
        &self,
        reference: &str,
        limits: &PullLimits,
    ) -> Result<(Pulled, &'static str, RegistrySettings), CommandError> {
        let failed = |error| failure(reference, error);
        let name = ArtifactReference::parse(reference).map_err(|error| failed(error.into()))?;
        let (trust, why) = match &self.key {
            Some(file) => (Trust::Key(public_key(file)?), "signature verified"),
            None if name.digest.is_none() && self.insecure_unsigned => (Trust::Unsigned, "not verified"),
            None => (Trust::Pinned, "pinned digest"),
        };
        let access = self.network.access().map_err(failed)?;
        let pulled = lictor_artifact::pull(&name, &access, &trust, limits).map_err(failed)?;
        Ok((pulled, why, access))
    }

    /// Reads what the report of a pulled component says. `None`: the component has no report.
    ///
    /// # Errors
    /// A report is required, and there is none, or something failed in it, or it is no report about this component.
    fn checked_report(
        &self,
        reference: &str,
        pulled: &Pulled,
        report: Option<&[u8]>,
    ) -> Result<Option<String>, CommandError> {
        let component = Digest::of(&pulled.component);
        let sha256 = component.as_str().trim_start_matches("sha256:");
        let read = report.map(|report| ReportSummary::read(report, sha256));
        let unmet = match &read {
            Some(Ok(summary)) if summary.is_passed => None,
            Some(Ok(summary)) => Some(format!("not everything passed ({summary})")),
            Some(Err(why)) => Some(why.clone()),
            None => Some("the component was pushed without one".to_owned()),
        };
        if let Some(why) = unmet.filter(|_| self.require_report) {
            let message = format!("`--require-report` demands a conformance report without failures: {why}");
            let remedy = "have the publisher push it with `--report`, or leave out `--require-report`";
            return Err(CommandError::Registry { about: reference.to_owned(), message, remedy });
        }
        Ok(read.map(|read| read.map_or_else(|why| format!("report not readable: {why}"), |it| it.to_string())))
    }
}

impl PushArgs {
    /// Reads the report about the component of this digest.
    ///
    /// # Errors
    /// The file is no such report, or something failed in it and the user does not allow that.
    fn read_report(&self, file: &Path, sha256: &str) -> Result<Vec<u8>, CommandError> {
        let bytes = read(file)?;
        let bad = |why| failure(&file.display().to_string(), Error::Report(why));
        let summary = ReportSummary::read(&bytes, sha256).map_err(bad)?;
        if !summary.is_passed && !self.allow_failed_report {
            return Err(bad(format!(
                "not everything passed ({summary}); `--allow-failed-report` pushes it all the same"
            )));
        }
        Ok(bytes)
    }
}

impl TransferReport {
    fn print(&self, output: TextOrJson) -> Result<Exit, CommandError> {
        if matches!(output, TextOrJson::Json) {
            print_json(self)?;
            return Ok(Exit::Success);
        }
        let mut page = TextPage::new(Screen::stdout());
        let rows = [
            ("reference", Some(&self.reference)),
            ("component", Some(&self.component)),
            ("wit", self.wit.as_ref()),
            ("report", self.report.as_ref()),
            ("conformance", self.conformance.as_ref()),
            ("signature", self.signature.as_ref()),
        ];
        for (name, value) in rows {
            if let Some(value) = value {
                page.line(format!("{name:<11} {value}"));
            }
        }
        if let Some(trust) = self.trust {
            page.line(format!("{:<11} {trust}", "trust"));
        }
        page.print()?;
        Ok(Exit::Success)
    }
}

/// Makes the failure of an error of a registry. Control characters are removed: a registry's text is part of some messages, and must not steer the
/// terminal.
fn failure(about: &str, error: Error) -> CommandError {
    let message = error.to_string().replace(char::is_control, " ");
    CommandError::Registry { about: about.to_owned(), message, remedy: error.remedy() }
}

fn read(file: &Path) -> Result<Vec<u8>, CommandError> {
    fs::read(file).map_err(|error| CommandError::Unreadable { file: file.display().to_string(), error })
}

fn text(file: &Path) -> Result<String, CommandError> {
    // A key that is no text is not valid: the reader of keys reports that.
    read(file).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

fn public_key(file: &Path) -> Result<PublicKey, CommandError> {
    PublicKey::read(&text(file)?).map_err(|error| failure(&file.display().to_string(), error))
}

fn signing_key(file: &Path) -> Result<SigningKey, CommandError> {
    let password = env::var(PASSWORD).ok();
    SigningKey::read(&text(file)?, password.as_deref()).map_err(|error| failure(&file.display().to_string(), error))
}

/// Writes a file in one step: a reader never sees a part of it.
fn write(file: &PathBuf, bytes: &[u8]) -> Result<String, CommandError> {
    let mut part = file.clone().into_os_string();
    part.push(".part");
    let unwritten = |error| CommandError::Unwritable { file: file.display().to_string(), error };
    fs::write(&part, bytes).and_then(|()| fs::rename(&part, file)).map_err(unwritten)?;
    Ok(file.display().to_string())
}
