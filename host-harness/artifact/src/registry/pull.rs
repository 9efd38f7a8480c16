//! Pulling.

use super::client::{Registry, RegistrySettings};
use super::verify::verify;
use super::{Error, PublicKey};
use crate::{ArtifactReference, Descriptor, Digest, Manifest, media_type};

/// The reason why an artifact may be loaded.
#[derive(Debug, Clone)]
pub enum Trust {
    /// It is signed by the owner of this key.
    Key(PublicKey),
    /// Its digest is part of the reference.
    Pinned,
    /// No reason: anyone with write access to the registry decides what is loaded.
    Unsigned,
}

/// The limits of what is read.
#[derive(Debug, Clone)]
pub struct PullLimits {
    /// Bytes of the component: 32 MiB by default, as much as the sandbox takes.
    pub component_bytes: u64,
    /// Bytes of the WIT, and of the report: 4 MiB each by default.
    pub attachment_bytes: u64,
}

impl Default for PullLimits {
    fn default() -> PullLimits {
        PullLimits { component_bytes: 32 << 20, attachment_bytes: 4 << 20 }
    }
}

/// A component that was pulled and verified.
#[derive(Debug)]
pub struct Pulled {
    /// Its name, with the digest of its manifest.
    pub reference: ArtifactReference,
    /// The digest of its manifest.
    pub digest: Digest,
    /// The component.
    pub component: Vec<u8>,
    manifest: Manifest,
}

/// The documents that were pushed with a component.
#[derive(Debug, Default)]
pub struct Attachments {
    /// Its WIT.
    pub wit: Option<Vec<u8>>,
    /// Its conformance report.
    pub report: Option<Vec<u8>>,
}

/// Pulls a component. The signature is verified before the component is downloaded.
///
/// # Errors
///
/// The component may not be loaded, does not exist, is no policy's artifact or too large, or does not match its digest or signature; see [`Error`].
/// Where neither a key nor a digest is given, no request is sent to the registry.
pub fn pull(
    name: &ArtifactReference,
    access: &RegistrySettings,
    trust: &Trust,
    limits: &PullLimits,
) -> Result<Pulled, Error> {
    if matches!((trust, &name.digest), (Trust::Pinned, None)) {
        return Err(Error::Untrusted(name.to_string()));
    }
    let registry = Registry::of(name, access, false);
    let (digest, manifest) = resolve(&registry, name)?;
    let layer = component_of(&manifest)?;
    if layer.size > limits.component_bytes {
        let (what, limit) = ("the component".to_owned(), limits.component_bytes);
        return Err(Error::TooLarge { what, bytes: layer.size, limit });
    }
    if let Trust::Key(key) = trust {
        verify(&registry, &digest, key)?;
    }
    let component = registry.layer("the component", layer, limits.component_bytes)?;
    Ok(Pulled { reference: name.pinned(&digest), digest, component, manifest })
}

/// Pulls the WIT and the report of a component, where it was pushed with them. The manifest names their digests: they are verified as the component
/// is.
///
/// # Errors
///
/// As those of [`pull`].
pub fn pull_attachments(pulled: &Pulled, access: &RegistrySettings, limits: &PullLimits) -> Result<Attachments, Error> {
    let wit = attachment(pulled, access, limits, ("the WIT", media_type::WIT_DIGEST))?;
    Ok(Attachments { wit, report: pull_report(pulled, access, limits)? })
}

/// Pulls the conformance report of a component, verified as the component is. `None`: the component was pushed without one.
///
/// # Errors
///
/// As those of [`pull`].
pub fn pull_report(pulled: &Pulled, access: &RegistrySettings, limits: &PullLimits) -> Result<Option<Vec<u8>>, Error> {
    attachment(pulled, access, limits, ("the report", media_type::REPORT_DIGEST))
}

/// Pulls the document whose digest is the value of an annotation of the manifest.
fn attachment(
    pulled: &Pulled,
    access: &RegistrySettings,
    limits: &PullLimits,
    (what, annotation): (&str, &str),
) -> Result<Option<Vec<u8>>, Error> {
    let registry = Registry::of(&pulled.reference, access, false);
    let Some(stated) = pulled.manifest.annotations.get(annotation) else { return Ok(None) };
    let bad = |why| Error::Malformed { host: registry.host().to_owned(), what: "manifest".to_owned(), why };
    let digest = Digest::try_from(stated.clone()).map_err(bad)?;
    registry.blob(what, &digest, limits.attachment_bytes).map(Some)
}

/// Returns the manifest, and the digest of its bytes as they were received.
fn resolve(registry: &Registry, name: &ArtifactReference) -> Result<(Digest, Manifest), Error> {
    let asked = name.digest.as_ref().map(Digest::as_str).or(name.tag.as_deref()).unwrap_or_default();
    let found = registry.manifest(asked)?;
    if found.media_type != media_type::MANIFEST {
        let expected = media_type::MANIFEST;
        return Err(Error::MediaType { what: "the manifest", found: found.media_type, expected });
    }
    let manifest = registry.parse("manifest", &found.bytes)?;
    Ok((Digest::of(&found.bytes), manifest))
}

/// Returns the layer with the component.
///
/// # Errors
/// A media type differs from that of a policy, or the manifest does not have exactly one layer.
fn component_of(manifest: &Manifest) -> Result<&Descriptor, Error> {
    let is = |what, found: &str, expected| match found == expected {
        true => Ok(()),
        false => Err(Error::MediaType { what, found: found.to_owned(), expected }),
    };
    is("the manifest", manifest.media_type.as_deref().unwrap_or(media_type::MANIFEST), media_type::MANIFEST)?;
    is("the configuration", &manifest.config.media_type, media_type::CONFIG)?;
    let [layer] = manifest.layers.as_slice() else { return Err(Error::Layers(manifest.layers.len())) };
    is("the layer", &layer.media_type, media_type::COMPONENT)?;
    Ok(layer)
}
