//! Where a policy comes from.

use serde::Serialize;

/// The source of a policy.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Source {
    /// The file, or the name in a registry with the digest that was loaded; none for the embedded policy.
    pub file: Option<String>,
    /// Why one of a registry may be loaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub trust: Option<&'static str>,
    /// The component; none where the policy runs without WebAssembly.
    pub component: Option<Digested>,
}

/// The identity of a component.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Digested {
    /// Its size in bytes.
    pub bytes: usize,
    /// The SHA-256 of its bytes, in hexadecimal.
    pub sha256: String,
}

impl Source {
    /// A short description.
    pub fn short(&self) -> String {
        match &self.component {
            None => "native".to_owned(),
            Some(component) => {
                let digest: String = component.sha256.chars().take(12).collect();
                let trust = self.trust.map(|trust| format!(", {trust}")).unwrap_or_default();
                format!("component {digest} ({}{trust})", self.name())
            }
        }
    }

    /// The name of its component in messages.
    pub fn name(&self) -> &str {
        self.file.as_deref().unwrap_or("embedded")
    }
}
