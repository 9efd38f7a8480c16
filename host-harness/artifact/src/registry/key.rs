//! Keys: ECDSA on the curve P-256, as cosign makes them.

use std::fmt;

use p256::ecdsa::signature::{Signer, Verifier};
use p256::ecdsa::{Signature, SigningKey as Signing, VerifyingKey};
use p256::pkcs8::{DecodePrivateKey, DecodePublicKey};

use super::{Error, sealed};

/// The public key of a publisher.
#[derive(Debug, Clone)]
pub struct PublicKey(VerifyingKey);

/// The private key of a publisher. It is never shown.
#[derive(Clone)]
pub struct SigningKey(Signing);

impl PublicKey {
    /// Reads a PEM file with `PUBLIC KEY`, such as `cosign.pub`.
    ///
    /// # Errors
    ///
    /// The file is something else, or a key of another kind.
    pub fn read(pem: &str) -> Result<PublicKey, Error> {
        if pem.contains("PRIVATE KEY-----") {
            return Err(Error::Key("it is a private key; to verify, use the public one, `cosign.pub`".to_owned()));
        }
        let bad = |_| Error::Key("it is no public key of the curve P-256 in PEM".to_owned());
        VerifyingKey::from_public_key_pem(pem.trim()).map(PublicKey).map_err(bad)
    }

    /// Returns whether a signature (ASN.1 DER) is of these bytes and by this key.
    pub(crate) fn signed(&self, bytes: &[u8], signature: &[u8]) -> bool {
        Signature::from_der(signature).is_ok_and(|signature| self.0.verify(bytes, &signature).is_ok())
    }
}

impl SigningKey {
    /// Reads a PEM file: an encrypted key of cosign, which its password opens, or an open one (`PRIVATE KEY` or `EC PRIVATE KEY`).
    ///
    /// # Errors
    ///
    /// The file is something else, a key of another kind, or the password does not open the key.
    pub fn read(pem: &str, password: Option<&str>) -> Result<SigningKey, Error> {
        let bad = |why: &str| Error::Key(why.to_owned());
        let no_key = "it is no private key of the curve P-256 in PEM";
        if sealed::is_encrypted(pem) {
            let password = password.ok_or_else(|| bad("it is encrypted, and COSIGN_PASSWORD is not set"))?;
            let der = sealed::open(pem, password.as_bytes()).map_err(bad)?;
            return Signing::from_pkcs8_der(&der).map(SigningKey).map_err(|_| bad(no_key));
        }
        let opened = match pem.contains("-----BEGIN EC PRIVATE KEY-----") {
            true => p256::SecretKey::from_sec1_pem(ec_part(pem)).map(Signing::from).ok(),
            false => Signing::from_pkcs8_pem(pem.trim()).ok(),
        };
        opened.map(SigningKey).ok_or_else(|| bad(no_key))
    }

    /// Returns the key that verifies the signatures of this one.
    pub fn public(&self) -> PublicKey {
        PublicKey(*self.0.verifying_key())
    }

    /// Signs bytes: ECDSA with SHA-256, in ASN.1 DER. The same bytes have the same signature (RFC 6979).
    pub(crate) fn sign(&self, bytes: &[u8]) -> Vec<u8> {
        let signature: Signature = self.0.sign(bytes);
        signature.to_der().as_bytes().to_vec()
    }
}

/// Returns the part of a PEM file from the key on: OpenSSL writes the parameters of the curve before it.
fn ec_part(pem: &str) -> &str {
    pem.find("-----BEGIN EC PRIVATE KEY-----").and_then(|at| pem.get(at..)).unwrap_or(pem).trim()
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("SigningKey")
    }
}
