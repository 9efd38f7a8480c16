//! The source of a policy.

use serde::Serialize;

/// The source of a policy.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Source"))]
#[serde(rename_all = "camelCase")]
pub struct PolicySource {
    /// The file, or the name in a registry with the digest that was loaded. `None`: the policy is the embedded one.
    pub file: Option<String>,
    /// Why a policy of a registry may be loaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub trust: Option<&'static str>,
    /// What the conformance report says that the policy of a registry was pushed with. `None`: there is no report.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub report: Option<String>,
    /// The component. `None`: the policy runs without WebAssembly.
    pub component: Option<ComponentDigest>,
}

/// The identity of a component.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Digested"))]
pub struct ComponentDigest {
    /// Its size in bytes.
    pub bytes: usize,
    /// The SHA-256 of its bytes, in hexadecimal.
    pub sha256: String,
}

impl PolicySource {
    /// Returns a short description.
    pub fn short(&self) -> String {
        match &self.component {
            None => "native".to_owned(),
            Some(component) => {
                let digest: String = component.sha256.chars().take(12).collect();
                let trust = self.trust.map(|trust| format!(", {trust}")).unwrap_or_default();
                let report = self.report.as_ref().map(|report| format!(", {report}")).unwrap_or_default();
                format!("component {digest} ({}{trust}{report})", self.name())
            }
        }
    }

    /// Returns the name of the component in messages.
    pub fn name(&self) -> &str {
        self.file.as_deref().unwrap_or("embedded")
    }
}
