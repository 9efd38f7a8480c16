//! A ConfigMap that names the policy to be in force, and receives the result.
//!
//! The annotation [`COMPONENT`] names the policy: a file of the process, a component of a registry, or [`DATA`] for the component in the ConfigMap
//! itself. The annotation [`RESULT`] holds the result. A process that did not carry out the wish itself, because it stood by or was started later,
//! continues from the result: a policy that took over is in force, and a policy that was refused or rolled back is not tried again.

mod orders;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::io::Read;

use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::ConfigMap;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{ReplacementProgress, ReplacementRefusal, ReplacementRequest, ReplacementStage, TermOverrides};

pub use orders::{ConfigMapClient, ConfigMapError};

/// The component to be in force: `oci://...`, a file of the process, `embedded`, or `data`.
pub const COMPONENT: &str = "lictor.dev/component";
/// Any text: where it changes, the wish is tried once more.
const REQUEST_ID: &str = "lictor.dev/ordered";
/// The terms, as the options of `lictor run` of these names.
const SHADOW: &str = "lictor.dev/shadow";
const WATCH: &str = "lictor.dev/watch";
const ALLOW: &str = "lictor.dev/allow";
const ANSWERS: &str = "lictor.dev/answers";
const PATIENCE: &str = "lictor.dev/patience";
/// The result, as JSON: a [`ReplacementResult`].
pub const RESULT: &str = "lictor.dev/replacement";
/// The word for the component in the ConfigMap.
pub const DATA: &str = "data";
/// The key of `binaryData` with the component.
const PLAIN: &str = "component.wasm";
/// The key of `binaryData` with the component compressed by zstd.
const COMPRESSED: &str = "component.wasm.zst";
/// The key of `data` with the arguments of the policy.
const ARGUMENTS: &str = "arguments.yaml";
/// The most bytes of a component after it is decompressed: much more than is ever loaded.
const MOST: u64 = 256 * 1024 * 1024;
/// The most bytes of a component in a ConfigMap: a mebibyte, with some room for the rest of the ConfigMap.
const MAX_COMPONENT_BYTES: usize = 1_000_000;
/// The level of the compression: compressing takes some seconds.
const LEVEL: i32 = 19;
/// The number of differences that are written, and the characters of each.
const WRITTEN_DIFFERENCES: (usize, usize) = (5, 400);

/// The result of the wish of a ConfigMap.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplacementResult {
    /// The SHA-256 of the wish.
    pub of: String,
    /// The process that carried it out.
    pub by: String,
    /// The progress of the replacement.
    pub progress: ReplacementProgress,
}

/// The wish of a ConfigMap, with its result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigMapRequest {
    /// The SHA-256 of the wish.
    pub digest: String,
    /// The wish, or what is wrong with it.
    pub request: Result<ReplacementRequest, ReplacementRefusal>,
    /// The result. `None`: no process has done anything about the wish yet.
    pub result: Option<ReplacementResult>,
}

/// Reads the wish of a ConfigMap; `name` is its name for people. `None`: the ConfigMap wishes for nothing.
pub fn read(name: &str, map: &ConfigMap) -> Option<ConfigMapRequest> {
    let annotations = map.metadata.annotations.as_ref()?;
    let component = annotations.get(COMPONENT).filter(|component| !component.is_empty())?;
    let arguments = map.data.as_ref().and_then(|data| data.get(ARGUMENTS));
    let bytes: Vec<&[u8]> = match component.as_str() {
        DATA => [PLAIN, COMPRESSED].iter().map(|key| binary(map, key).unwrap_or_default()).collect(),
        _ => Vec::new(),
    };
    let mut digest = Sha256::new();
    let texts = [COMPONENT, REQUEST_ID, SHADOW, WATCH, ALLOW, ANSWERS, PATIENCE].map(|key| annotations.get(key));
    for part in
        texts.into_iter().chain([arguments]).map(|text| text.map_or(&[][..], |text| text.as_bytes())).chain(bytes)
    {
        digest.update(part.len().to_le_bytes());
        digest.update(part);
    }
    let digest = format!("{:x}", digest.finalize());
    let answer = annotations.get(RESULT).and_then(|text| serde_json::from_str::<ReplacementResult>(text).ok());
    let wish = terms(annotations).and_then(|on| {
        let (component, bytes) = match component.as_str() {
            DATA => (name.to_owned(), Some(component_bytes(map)?)),
            component => (component.to_owned(), None),
        };
        Ok(ReplacementRequest { component, bytes, arguments: arguments.cloned(), on })
    });
    Some(ConfigMapRequest { result: answer.filter(|answer| answer.of == digest), digest, request: wish })
}

fn binary<'a>(map: &'a ConfigMap, key: &str) -> Option<&'a [u8]> {
    map.binary_data.as_ref()?.get(key).map(|bytes| bytes.0.as_slice())
}

/// Returns the component in the ConfigMap, decompressed.
///
/// # Errors
/// The ConfigMap has no component or two, or the component cannot be decompressed.
fn component_bytes(map: &ConfigMap) -> Result<Vec<u8>, ReplacementRefusal> {
    let refuse = |message: String, remedy: &str| Err(ReplacementRefusal { message, remedy: remedy.to_owned() });
    match (binary(map, PLAIN), binary(map, COMPRESSED)) {
        (Some(plain), None) => Ok(plain.to_vec()),
        (None, Some(compressed)) => {
            let mut bytes = Vec::new();
            let read = zstd::Decoder::new(compressed).and_then(|all| all.take(MOST).read_to_end(&mut bytes));
            match read {
                Ok(_) => Ok(bytes),
                Err(error) => {
                    refuse(format!("`{COMPRESSED}` cannot be read: {error}"), "compress the component with zstd")
                }
            }
        }
        (Some(_), Some(_)) => {
            refuse(format!("there are `{PLAIN}` and `{COMPRESSED}`"), "leave one of them: nobody knows which is meant")
        }
        (None, None) => {
            let remedy =
                "put the component under one of these keys of `binaryData`, or name another one in the annotation";
            refuse(format!("there is neither `{PLAIN}` nor `{COMPRESSED}`"), remedy)
        }
    }
}

fn terms(annotations: &BTreeMap<String, String>) -> Result<TermOverrides, ReplacementRefusal> {
    fn number<T: std::str::FromStr>(
        annotations: &BTreeMap<String, String>,
        key: &str,
    ) -> Result<Option<T>, ReplacementRefusal> {
        let wrong = |text: &String| ReplacementRefusal {
            message: format!("the annotation `{key}` is no number: `{text}`"),
            remedy: "write a number, or take the annotation away".to_owned(),
        };
        annotations.get(key).map(|text| text.trim().parse().map_err(|_| wrong(text))).transpose()
    }
    let allow = match annotations.get(ALLOW).map(|text| text.trim()) {
        Some("any") => Some(u64::MAX),
        _ => number(annotations, ALLOW)?,
    };
    Ok(TermOverrides {
        shadow: number(annotations, SHADOW)?,
        watch: number(annotations, WATCH)?,
        allow,
        answers: number(annotations, ANSWERS)?,
        patience: number(annotations, PATIENCE)?,
    })
}

/// Makes the patch that writes a wish into a ConfigMap; `ordered` makes it another order than the one before.
///
/// # Errors
/// The component does not fit into a ConfigMap, not even compressed.
pub fn request_patch(wish: &ReplacementRequest, ordered: &str) -> Result<Value, ReplacementRefusal> {
    let (mut component, mut data) = (wish.component.clone(), Value::Null);
    if let Some(bytes) = &wish.bytes {
        let refuse = |message: String| ReplacementRefusal {
            message,
            remedy: "push it to a registry, and name `oci://...`".to_owned(),
        };
        let compressed = zstd::encode_all(bytes.as_slice(), LEVEL).map_err(|error| refuse(error.to_string()))?;
        if compressed.len() > MAX_COMPONENT_BYTES {
            let (size, whole) = (compressed.len(), bytes.len());
            let message =
                format!("it has {whole} bytes, {size} compressed, and a ConfigMap takes {MAX_COMPONENT_BYTES} of them");
            return Err(refuse(message));
        }
        component = DATA.to_owned();
        data = json!(ByteString(compressed));
    }
    let allow = wish.on.allow.map(|allow| if allow == u64::MAX { "any".to_owned() } else { allow.to_string() });
    let seconds = |seconds: Option<u32>| seconds.map(|seconds| seconds.to_string());
    Ok(json!({
        "metadata": {"annotations": {
            COMPONENT: component,
            REQUEST_ID: ordered,
            SHADOW: seconds(wish.on.shadow),
            WATCH: seconds(wish.on.watch),
            ALLOW: allow,
            ANSWERS: wish.on.answers.map(|answers| answers.to_string()),
            PATIENCE: seconds(wish.on.patience),
        }},
        "data": {ARGUMENTS: wish.arguments},
        "binaryData": {PLAIN: null, COMPRESSED: data},
    }))
}

/// Makes the patch that writes the result into a ConfigMap. `of`: the SHA-256 of the wish; `by`: the name of this process.
pub(super) fn result_patch(of: &str, by: &str, progress: &ReplacementProgress) -> Value {
    let mut progress = progress.clone();
    let (most, long) = WRITTEN_DIFFERENCES;
    progress.differences.truncate(most);
    for text in progress.differences.iter_mut().chain(&mut progress.said) {
        *text = text.chars().take(long).collect();
    }
    let answer = ReplacementResult { of: of.to_owned(), by: by.to_owned(), progress };
    let text = serde_json::to_string(&answer).unwrap_or_default();
    json!({"metadata": {"annotations": {RESULT: text}}})
}

/// The next action of a process about a ConfigMap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FollowAction {
    /// Do nothing.
    Nothing,
    /// Give the earlier order for the ConfigMap up.
    GiveUp,
    /// Order the wish: its policy is compared, and takes over.
    Submit,
    /// Adopt the wish, which took over elsewhere: sessions are opened with its policy.
    Adopt,
}

/// Returns the next action, where `own` is the digest of the wish that this process has ordered or adopted.
pub(super) fn next(said: Option<&ConfigMapRequest>, own: Option<&str>, leads: bool) -> FollowAction {
    let Some(said) = said else { return if own.is_some() { FollowAction::GiveUp } else { FollowAction::Nothing } };
    if own == Some(said.digest.as_str()) {
        return FollowAction::Nothing;
    }
    let stage = said.result.as_ref().map(|answer| answer.progress.stage);
    match (stage, leads) {
        (Some(ReplacementStage::Done), false) => FollowAction::Adopt,
        (Some(ReplacementStage::RolledBack | ReplacementStage::Refused), _) | (_, false) => FollowAction::Nothing,
        (_, true) => FollowAction::Submit,
    }
}
