//! Why an artifact is not pushed or pulled.

use std::time::Duration;

use crate::{BadReference, Digest};

/// Why an artifact is not pushed or pulled. With each of these errors, no part of the artifact is returned.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The name is not valid.
    #[error(transparent)]
    Reference(#[from] BadReference),
    /// Neither a signature nor a digest says what may be loaded.
    #[error("`{0}` is neither pinned to a digest nor is there a key to verify its signature")]
    Untrusted(String),
    /// The registry cannot be reached.
    #[error("the registry {host} cannot be reached: {why}")]
    Unreachable {
        /// The registry, or a server that it refers to.
        host: String,
        /// What failed.
        why: String,
    },
    /// The registry takes too long.
    #[error("the registry {host} did not answer in full within {after:?}")]
    Timeout {
        /// The registry, or a server that it refers to.
        host: String,
        /// The limit.
        after: Duration,
    },
    /// The registry, or an address that it refers to, would be used without TLS.
    #[error("{url} is not asked without TLS")]
    WithoutTls {
        /// The address.
        url: String,
    },
    /// The registry refers from one address to the next too often, or to an address that is not valid.
    #[error("the registry {host} refers to `{to}`, which is not followed")]
    Redirected {
        /// The registry.
        host: String,
        /// The address that it refers to.
        to: String,
    },
    /// The registry denies access.
    #[error("the registry {host} does not allow it ({status}){}", message_suffix(.said))]
    Denied {
        /// The registry.
        host: String,
        /// The HTTP status.
        status: u16,
        /// What the registry says.
        said: String,
    },
    /// The registry does not have the content.
    #[error("the registry {host} has no {what}")]
    NotFound {
        /// The registry.
        host: String,
        /// The missing content.
        what: String,
    },
    /// The registry fails.
    #[error("the registry {host} answers {status} when asked for {what}{}", message_suffix(.said))]
    Failed {
        /// The registry.
        host: String,
        /// The HTTP status.
        status: u16,
        /// The requested content.
        what: String,
        /// What the registry says.
        said: String,
    },
    /// An answer does not follow the specification.
    #[error("the registry {host} answers with a {what} that cannot be read: {why}")]
    Malformed {
        /// The registry.
        host: String,
        /// The requested content.
        what: String,
        /// What is wrong with it.
        why: String,
    },
    /// The artifact is one of another kind.
    #[error("{what} is `{found}`, not `{expected}`")]
    MediaType {
        /// The part with the type.
        what: &'static str,
        /// Its type.
        found: String,
        /// The type in an artifact of a policy.
        expected: &'static str,
    },
    /// The artifact does not have exactly one layer.
    #[error("the artifact has {0} layers: a Wasm artifact has one, the component")]
    Layers(usize),
    /// A part is larger than the limit.
    #[error("{what} has {bytes} bytes, and {limit} are the limit")]
    TooLarge {
        /// The part that is too large.
        what: String,
        /// Its size, as far as it is known.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// A part is cut off, or longer than it should be.
    #[error("{what} has {bytes} bytes, but should have {expected}: it was cut off or replaced")]
    Size {
        /// The part.
        what: String,
        /// Its size; one more than expected where it is longer.
        bytes: u64,
        /// The size that its descriptor states.
        expected: u64,
    },
    /// The bytes are not those that the digest names.
    #[error("{what} is not what it should be: it has the digest {found}, not {expected}")]
    DigestMismatch {
        /// The part.
        what: String,
        /// The digest that was requested.
        expected: Digest,
        /// The digest of the content that was received.
        found: Digest,
    },
    /// There is no signature.
    #[error("{0} is not signed")]
    Unsigned(Digest),
    /// No signature is by the key.
    #[error("none of the {tried} signature(s) of {digest} is by this key")]
    WrongSignature {
        /// The manifest.
        digest: Digest,
        /// The number of signatures.
        tried: usize,
    },
    /// The signature is by the key, but of another artifact.
    #[error("the signature of {digest} by this key is of {signed} instead")]
    SignedForOther {
        /// The manifest.
        digest: Digest,
        /// The digest that the signature states.
        signed: String,
    },
    /// A key cannot be used.
    #[error("the key cannot be used: {0}")]
    Key(String),
    /// The credentials cannot be read.
    #[error("the credentials in {file} cannot be read: {why}")]
    Credentials {
        /// The file.
        file: String,
        /// What is wrong with it.
        why: String,
    },
    /// The file is no component with a world.
    #[error("the WIT of the component cannot be told: {0}")]
    Wit(String),
    /// The report is not about this component, or no report.
    #[error("the report cannot be pushed: {0}")]
    Report(String),
}

fn message_suffix(said: &str) -> String {
    if said.is_empty() { String::new() } else { format!(": {said}") }
}

impl Error {
    /// Returns what to do about the error.
    pub fn remedy(&self) -> &'static str {
        match self {
            Error::Reference(_) => "write `oci://registry/repository:tag` or `oci://registry/repository@sha256:...`",
            Error::Untrusted(_) => {
                "name the key of its publisher with `--key cosign.pub`, or pin it: append `@sha256:...`; to load it all the same, \
                 say `--insecure-unsigned`"
            }
            Error::Unreachable { .. } => {
                "check the name of the registry, the network and the certificates of this machine"
            }
            Error::Timeout { .. } => "try again, or allow it more time with `--registry-timeout SECONDS`",
            Error::WithoutTls { .. } => {
                "only registries of this machine are asked without TLS; to allow others, say `--plain-http`"
            }
            Error::Redirected { .. } => "ask the operator of the registry: a download may move five times, with TLS",
            Error::Denied { .. } => {
                "run `docker login` for the registry: credentials are read from `auths` in docker's config.json; credential \
                 helpers are not asked"
            }
            Error::NotFound { .. } => "check repository and tag, and that the credentials may see it",
            Error::Failed { .. } => "try again later, or ask the operator of the registry",
            Error::Malformed { .. } => "check that it is a registry, and that no proxy answers for it",
            Error::MediaType { .. } | Error::Layers(_) => {
                "push a component with `lictor push` or `wkg oci push`, and name its manifest"
            }
            Error::TooLarge { .. } => "build the component optimised and without debug information",
            Error::Size { .. } | Error::DigestMismatch { .. } => {
                "do not use it: somebody or something changed it; push it anew, or ask the operator of the registry"
            }
            Error::Unsigned(_) => "sign it: `lictor push --sign-key cosign.key`, or `cosign sign --key cosign.key`",
            Error::WrongSignature { .. } => "use the public key of its publisher, or have it signed with this one",
            Error::SignedForOther { .. } => {
                "do not use it: a signature was copied from another artifact; have it signed anew"
            }
            Error::Key(_) => {
                "use a key pair as `cosign generate-key-pair` makes it: ECDSA on the curve P-256, in PEM; the password of an \
                 encrypted key is read from COSIGN_PASSWORD"
            }
            Error::Credentials { .. } => "repair the file, or run `docker login` again",
            Error::Wit(_) => "run `lictor inspect FILE`: it says what the file is",
            Error::Report(_) => "make it anew for this component: `lictor test --component FILE`",
        }
    }
}
