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
    let (pulled, trust, _) = remote.pull(reference, &PullLimits { component_bytes, ..PullLimits::default() })?;
    Ok(FetchedComponent { name: pulled.reference.to_string(), bytes: pulled.component, trust: Some(trust) })
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
    let report = asked.report.as_deref().map(|path| report(path, &told.sha256)).transpose()?;
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
        signature: pushed.signature,
    };
    done.print(asked.output)
}

/// Pulls a policy.
pub(crate) fn pull(asked: &PullArgs) -> Result<Exit, CommandError> {
    let (pulled, trust, access) = asked.remote.pull(&asked.reference, &PullLimits::default())?;
    let failed = |error| failure(&asked.reference, error);
    let attached = lictor_artifact::pull_attachments(&pulled, &access, &PullLimits::default()).map_err(failed)?;
    let name = pulled.reference.repository.rsplit('/').next().unwrap_or_default();
    let keep = |ending: &str, bytes: Option<&[u8]>| match bytes {
        Some(bytes) => write(&asked.directory.join(format!("{name}.{ending}")), bytes).map(Some),
        None => Ok(None),
    };
    let wit = keep("wit", attached.wit.as_deref())?;
    let report = keep("report.json", attached.report.as_deref())?;
    let component = write(&asked.directory.join(format!("{name}.wasm")), &pulled.component)?;
    let reference = pulled.reference.to_string();
    TransferReport { reference, trust: Some(trust), component, wit, report, signature: None }.print(asked.output)
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

/// Reads a report about this component: an in-toto statement, as `lictor test --component` writes it, whose subject has the digest of the component.
fn report(file: &Path, sha256: &str) -> Result<Vec<u8>, CommandError> {
    let bytes = read(file)?;
    let bad = |why: String| failure(&file.display().to_string(), Error::Report(why));
    let report: serde_json::Value =
        serde_json::from_slice(&bytes).map_err(|error| bad(format!("it is not JSON: {error}")))?;
    let subjects = report.get("subject").and_then(|subjects| subjects.as_array()).into_iter().flatten();
    let named: Vec<&str> = subjects.filter_map(|subject| subject.pointer("/digest/sha256")?.as_str()).collect();
    match named.as_slice() {
        [] => Err(bad("it names no component: it has no `subject` with a digest".to_owned())),
        named if named.contains(&sha256) => Ok(bytes),
        named => Err(bad(format!("it is about the component {}, and this one is {sha256}", named.join(", ")))),
    }
}

/// Writes a file in one step: a reader never sees a part of it.
fn write(file: &PathBuf, bytes: &[u8]) -> Result<String, CommandError> {
    let mut part = file.clone().into_os_string();
    part.push(".part");
    let unwritten = |error| CommandError::Unwritable { file: file.display().to_string(), error };
    fs::write(&part, bytes).and_then(|()| fs::rename(&part, file)).map_err(unwritten)?;
    Ok(file.display().to_string())
}
