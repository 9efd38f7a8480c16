//! Pushing.

use super::client::{Registry, RegistrySettings};
use super::signature::sign;
use super::uploads::json;
use super::{Error, SigningKey, wit};
use crate::{ArtifactReference, Descriptor, Digest, Manifest, WasmConfig, media_type};

/// The content to push.
#[derive(Debug, Clone)]
pub struct PushContents<'a> {
    /// The component.
    pub component: &'a [u8],
    /// Its conformance report, JSON.
    pub report: Option<&'a [u8]>,
    /// The name and the version of the component, for human readers of the registry.
    pub title: Option<(&'a str, &'a str)>,
}

/// The result of a push.
#[derive(Debug)]
pub struct Pushed {
    /// Its name, with the digest of its manifest.
    pub reference: ArtifactReference,
    /// The digest of the component.
    pub component: Digest,
    /// The digest of its WIT.
    pub wit: Digest,
    /// The digest of its report.
    pub report: Option<Digest>,
    /// The tag with its signature.
    pub signature: Option<String>,
}

/// Pushes a component, with its WIT and its report, and signs it where there is a key. The tag is written last: it never names an artifact whose
/// signature is not there yet. The same contents are the same artifact, whenever they are pushed.
///
/// # Errors
///
/// The component has no WIT, the reference has no tag or a digest, or the registry refuses the push; see [`Error`].
pub fn push(
    name: &ArtifactReference,
    contents: &PushContents<'_>,
    key: Option<&SigningKey>,
    access: &RegistrySettings,
) -> Result<Pushed, Error> {
    let tag = tag_of(name)?;
    let (text, world) = wit::describe(contents.component)?;
    let registry = Registry::of(name, access, true);
    let layer = Descriptor::of(media_type::COMPONENT, contents.component);
    let config = json(&WasmConfig::of(layer.digest.clone(), world))?;
    let described = Descriptor::of(media_type::CONFIG, &config);
    registry.put_blob("the component", &layer.digest, contents.component)?;
    registry.put_blob("the configuration", &described.digest, &config)?;

    let (component, wit) = (layer.digest.clone(), Digest::of(text.as_bytes()));
    let report = contents.report.map(Digest::of);
    let mut manifest = Manifest::new(described, vec![layer]);
    let mut annotate = |name: &str, value: &str| manifest.annotations.insert(name.to_owned(), value.to_owned());
    annotate(media_type::WIT_DIGEST, wit.as_str());
    if let Some(report) = &report {
        annotate(media_type::REPORT_DIGEST, report.as_str());
    }
    if let Some((title, version)) = contents.title {
        annotate(media_type::TITLE, title);
        annotate(media_type::VERSION, version);
    }
    let manifest = json(&manifest)?;
    let subject = Descriptor::of(media_type::MANIFEST, &manifest);
    registry.put_manifest(subject.digest.as_str(), media_type::MANIFEST, &manifest)?;
    registry.refer(&subject, media_type::WIT, text.as_bytes())?;
    if let Some(report) = contents.report {
        registry.refer(&subject, media_type::REPORT, report)?;
    }
    let signature = match key {
        Some(key) => Some(attach(&registry, name, &subject.digest, key)?),
        None => None,
    };
    registry.put_manifest(tag, media_type::MANIFEST, &manifest)?;
    Ok(Pushed { reference: name.pinned(&subject.digest), component, wit, report, signature })
}

fn tag_of(name: &ArtifactReference) -> Result<&str, Error> {
    let why = match (&name.tag, &name.digest) {
        (Some(tag), None) => return Ok(tag),
        (None, _) => "it has no tag to push to",
        (Some(_), Some(_)) => "a digest is what a push answers, not what it is told",
    };
    Err(crate::BadReference { text: name.to_string(), why }.into())
}

/// Adds a signature to those below cosign's tag.
fn attach(registry: &Registry, name: &ArtifactReference, digest: &Digest, key: &SigningKey) -> Result<String, Error> {
    let (payload, layer) = sign(name, digest, key);
    let tag = digest.tag(".sig");
    let mut layers = match registry.find_manifest(&tag)? {
        Some(found) => registry.parse::<Manifest>("manifest of signatures", &found.bytes)?.layers,
        None => Vec::new(),
    };
    if layers.contains(&layer) {
        return Ok(tag);
    }
    layers.push(layer.clone());
    registry.put_blob("the payload of the signature", &layer.digest, &payload)?;
    // The image is as cosign writes it: without files, and its layers are the payloads.
    let ids: Vec<&Digest> = layers.iter().map(|layer| &layer.digest).collect();
    let config = serde_json::json!({
        "architecture": "", "os": "", "config": {}, "created": "0001-01-01T00:00:00Z",
        "history": [], "rootfs": {"type": "layers", "diff_ids": ids},
    });
    let config = json(&config)?;
    let described = Descriptor::of("application/vnd.oci.image.config.v1+json", &config);
    registry.put_blob("the configuration of the signature", &described.digest, &config)?;
    registry.put_manifest(&tag, media_type::MANIFEST, &json(&Manifest::new(described, layers))?)?;
    Ok(tag)
}
