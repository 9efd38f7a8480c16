//! The documents of a registry, as far as artifacts of policies need them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Digest;

/// Media types, and the keys of annotations.
pub mod media_type {
    /// A manifest.
    pub const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
    /// A list of manifests.
    pub const INDEX: &str = "application/vnd.oci.image.index.v1+json";
    /// The configuration that makes an artifact a Wasm artifact.
    pub const CONFIG: &str = "application/vnd.wasm.config.v0+json";
    /// The layer with the component.
    pub const COMPONENT: &str = "application/wasm";
    /// The media type of an empty configuration: `{}`.
    pub const EMPTY: &str = "application/vnd.oci.empty.v1+json";
    /// The WIT of a component, as text. There is no registered type for it.
    pub const WIT: &str = "application/vnd.lictor.wit.v1";
    /// The conformance report of a component.
    pub const REPORT: &str = "application/vnd.lictor.report.v1+json";
    /// The media type of the payload that cosign signs.
    pub const SIMPLE_SIGNING: &str = "application/vnd.dev.cosign.simplesigning.v1+json";
    /// A Sigstore bundle, up to its version.
    pub const BUNDLE: &str = "application/vnd.dev.sigstore.bundle";
    /// The annotation of a layer with cosign's signature of it, in base 64.
    pub const SIGNATURE: &str = "dev.cosignproject.cosign/signature";
    /// The annotation of a manifest with the digest of its WIT.
    pub const WIT_DIGEST: &str = "dev.lictor.policy.wit";
    /// The annotation of a manifest with the digest of its conformance report.
    pub const REPORT_DIGEST: &str = "dev.lictor.policy.report";
    /// The annotation of a manifest with the name of its content.
    pub const TITLE: &str = "org.opencontainers.image.title";
    /// The annotation of a manifest with the version of its content.
    pub const VERSION: &str = "org.opencontainers.image.version";
}

/// The description of content in a registry: its type, digest and size.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Descriptor {
    /// Its media type.
    pub media_type: String,
    /// Its digest.
    pub digest: Digest,
    /// Its size in bytes.
    pub size: u64,
    /// The kind of artifact, where the content is a manifest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact_type: Option<String>,
    /// Further descriptions, by key.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
}

impl Descriptor {
    /// Describes these bytes.
    pub fn of(media_type: &str, bytes: &[u8]) -> Descriptor {
        let (artifact_type, annotations) = Default::default();
        let size = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        Descriptor { media_type: media_type.to_owned(), digest: Digest::of(bytes), size, artifact_type, annotations }
    }
}

/// An OCI image manifest, version 1.1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    /// Always 2.
    pub schema_version: u32,
    /// Its own media type; old tools leave it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    /// The kind of artifact, where the configuration does not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact_type: Option<String>,
    /// The configuration.
    pub config: Descriptor,
    /// The contents.
    pub layers: Vec<Descriptor>,
    /// The manifest that this one refers to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<Descriptor>,
    /// Further descriptions, by key.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
}

impl Manifest {
    /// Makes a manifest of these contents.
    pub fn new(config: Descriptor, layers: Vec<Descriptor>) -> Manifest {
        let (artifact_type, subject, annotations) = Default::default();
        let media_type = Some(media_type::MANIFEST.to_owned());
        Manifest { schema_version: 2, media_type, artifact_type, config, layers, subject, annotations }
    }
}

/// An OCI image index: a list of manifests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImageIndex {
    /// Always 2.
    pub schema_version: u32,
    /// Its own media type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    /// The manifests.
    pub manifests: Vec<Descriptor>,
}

impl Default for ImageIndex {
    fn default() -> ImageIndex {
        ImageIndex { schema_version: 2, media_type: Some(media_type::INDEX.to_owned()), manifests: Vec::new() }
    }
}

/// The configuration of a Wasm artifact, as the CNCF's layout has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WasmConfig {
    /// The time of its creation. Always the beginning of 1970 here: the same component is the same artifact, whenever it is pushed.
    pub created: String,
    /// Its author.
    pub author: Option<String>,
    /// Always `wasm`.
    pub architecture: String,
    /// `wasip2` for a component, whatever it imports.
    pub os: String,
    /// The digests of the layers, in their order.
    pub layer_digests: Vec<Digest>,
    /// The exports and imports of the component.
    pub component: Option<WitWorld>,
}

/// The exports and imports of a component.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WitWorld {
    /// Names of exports.
    pub exports: Vec<String>,
    /// Names of imports.
    pub imports: Vec<String>,
    /// The world it was built for, if known.
    pub target: Option<String>,
}

impl WasmConfig {
    /// Makes the configuration of an artifact with this component.
    pub fn of(component: Digest, world: WitWorld) -> WasmConfig {
        WasmConfig {
            created: "1970-01-01T00:00:00Z".to_owned(),
            author: None,
            architecture: "wasm".to_owned(),
            os: "wasip2".to_owned(),
            layer_digests: vec![component],
            component: Some(world),
        }
    }
}
