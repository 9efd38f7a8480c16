//! Checks that an artifact is signed by a key.

use super::bundle;
use super::client::Registry;
use super::signature::{claim, signature_of};
use super::{Error, PublicKey};
use crate::{Descriptor, Digest, Manifest, media_type};

/// The most bytes of a payload: those of cosign have about 250.
const PAYLOAD: u64 = 64 << 10;
/// The most bytes of a bundle: with an entry of a transparency log it has some thousands.
const BUNDLE: u64 = 1 << 20;
/// The most signatures of one artifact that are checked.
const SIGNATURES: usize = 64;

/// Checks that a manifest is signed by this key.
///
/// # Errors
/// No signature is by this key, or one by this key is of another manifest.
pub(crate) fn verify(registry: &Registry, digest: &Digest, key: &PublicKey) -> Result<(), Error> {
    let mut tried = SignatureAttempts::default();
    if simple(registry, digest, key, &mut tried)? || bundled(registry, digest, key, &mut tried)? {
        return Ok(());
    }
    Err(tried.error(digest))
}

/// The results for the signatures that do not fit.
#[derive(Default)]
pub(crate) struct SignatureAttempts {
    count: usize,
    broken: Option<Error>,
    other: Option<String>,
}

impl SignatureAttempts {
    /// Returns the most helpful error.
    fn error(self, digest: &Digest) -> Error {
        let digest = digest.clone();
        match self {
            SignatureAttempts { other: Some(signed), .. } => Error::SignedForOther { digest, signed },
            SignatureAttempts { broken: Some(error), .. } => error,
            SignatureAttempts { count: 0, .. } => Error::Unsigned(digest),
            SignatureAttempts { count: tried, .. } => Error::WrongSignature { digest, tried },
        }
    }
}

/// Looks for a signature below cosign's tag.
fn simple(registry: &Registry, digest: &Digest, key: &PublicKey, tried: &mut SignatureAttempts) -> Result<bool, Error> {
    let Some(found) = registry.find_manifest(&digest.tag(".sig"))? else { return Ok(false) };
    let manifest: Manifest = registry.parse("manifest of signatures", &found.bytes)?;
    let layers = manifest.layers.iter().filter(|layer| layer.media_type == media_type::SIMPLE_SIGNING);
    for layer in layers.take(SIGNATURES) {
        tried.count = tried.count.saturating_add(1);
        let Some(signature) = signature_of(layer) else { continue };
        let payload = match registry.layer("the payload of a signature", layer, PAYLOAD) {
            Ok(payload) => payload,
            Err(error) => {
                // Another signature may be complete.
                tried.broken.get_or_insert(error);
                continue;
            }
        };
        if !key.signed(&payload, &signature) {
            continue;
        }
        match claim(&payload) {
            Some(claimed) if claimed == digest.as_str() => return Ok(true),
            claimed => tried.other = Some(claimed.unwrap_or_else(|| "something that is no artifact".to_owned())),
        }
    }
    Ok(false)
}

/// Looks for a signature in the bundles that refer to the manifest.
fn bundled(
    registry: &Registry,
    digest: &Digest,
    key: &PublicKey,
    tried: &mut SignatureAttempts,
) -> Result<bool, Error> {
    let is_bundle = |kind: Option<&String>| kind.is_some_and(|kind| kind.starts_with(media_type::BUNDLE));
    let index = registry.referrers(digest)?;
    let referrers = index.manifests.iter().filter(|entry| is_bundle(entry.artifact_type.as_ref()));
    for entry in referrers.take(SIGNATURES) {
        tried.count = tried.count.saturating_add(1);
        let bytes = match bundle_of(registry, &entry.digest) {
            Ok(bytes) => bytes,
            Err(error) => {
                tried.broken.get_or_insert(error);
                continue;
            }
        };
        let Some(signed) = bytes.and_then(|bytes| bundle::claim(&bytes, key)) else { continue };
        let signed: Vec<String> = signed.iter().map(|sum| format!("sha256:{sum}")).collect();
        if signed.iter().any(|signed| signed == digest.as_str()) {
            return Ok(true);
        }
        tried.other = Some(signed.join(", "));
    }
    Ok(false)
}

/// Returns the bundle of a manifest. `None`: the manifest carries none.
fn bundle_of(registry: &Registry, referrer: &Digest) -> Result<Option<Vec<u8>>, Error> {
    let found = registry.manifest(referrer.as_str())?;
    let manifest: Manifest = registry.parse("manifest of a bundle", &found.bytes)?;
    let is_bundle = |layer: &&Descriptor| layer.media_type.starts_with(media_type::BUNDLE);
    let layer = manifest.layers.iter().find(is_bundle);
    layer.map(|layer| registry.layer("a bundle", layer, BUNDLE)).transpose()
}
