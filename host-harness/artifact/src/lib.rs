//! Policies in OCI registries.
//!
//! An artifact has the layout of the CNCF's Wasm working group and wasm-pkg-tools: a manifest whose configuration is
//! `application/vnd.wasm.config.v0+json` and whose single layer is the component, `application/wasm`. Its WIT and its conformance report refer to it
//! (`subject`, OCI 1.1), and the manifest names their digests, so a signature covers them, too.
//!
//! Signatures are cosign's with a key pair (ECDSA P-256, SHA-256): a simple-signing payload below the tag `sha256-<digest>.sig`, or a Sigstore bundle
//! that refers to the manifest. Keyless signatures (Fulcio, Rekor) are not verified.
//!
//! `pull` returns only verified content: digests are always verified, the signature where a key is given.

mod digest;
mod manifest;
mod reference;

#[cfg(feature = "registry")]
mod registry;
#[cfg(all(feature = "registry", feature = "testing"))]
pub mod testing;

pub use digest::Digest;
pub use manifest::{Descriptor, ImageIndex, Manifest, WasmConfig, WitWorld, media_type};
pub use reference::{ArtifactReference, BadReference};
#[cfg(feature = "registry")]
pub use registry::*;
