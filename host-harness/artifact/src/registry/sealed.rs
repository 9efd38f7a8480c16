//! Encrypted private keys, as `cosign generate-key-pair` writes them: scrypt of the password opens a NaCl secret box.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use poly1305::Poly1305;
use poly1305::universal_hash::KeyInit;
use salsa20::XSalsa20;
use salsa20::cipher::{KeyIvInit, StreamCipher};
use scrypt::Params;
use serde::Deserialize;

/// The names in the PEM header; the second is of old versions.
const LABELS: [&str; 2] = ["ENCRYPTED SIGSTORE PRIVATE KEY", "ENCRYPTED COSIGN PRIVATE KEY"];
/// The highest cost of opening a password: 2^20 rounds of 8 blocks are 1 GiB.
const COST: u32 = 20;
const BLOCKS: u32 = 8;

#[derive(Deserialize)]
struct EncryptedKey {
    kdf: Kdf,
    cipher: Cipher,
    ciphertext: String,
}

#[derive(Deserialize)]
struct Kdf {
    name: String,
    params: ScryptParameters,
    salt: String,
}

#[derive(Deserialize)]
struct ScryptParameters {
    #[serde(rename = "N")]
    rounds: u32,
    r: u32,
    p: u32,
}

#[derive(Deserialize)]
struct Cipher {
    name: String,
    nonce: String,
}

/// Returns whether a PEM file is an encrypted key of cosign.
pub(crate) fn is_encrypted(pem: &str) -> bool {
    LABELS.iter().any(|label| pem.contains(&format!("-----BEGIN {label}-----")))
}

/// Opens an encrypted key: PKCS #8, in DER.
pub(crate) fn open(pem: &str, password: &[u8]) -> Result<Vec<u8>, &'static str> {
    let broken = "the encrypted key is damaged";
    let lines = pem.lines().map(str::trim).skip_while(|line| !line.starts_with("-----BEGIN")).skip(1);
    let text: String = lines.take_while(|line| !line.starts_with("-----END")).collect();
    let json = STANDARD.decode(text).map_err(|_| broken)?;
    let sealed: EncryptedKey = serde_json::from_slice(&json).map_err(|_| broken)?;
    if sealed.kdf.name != "scrypt" || sealed.cipher.name != "nacl/secretbox" {
        return Err("it is encrypted in another way than by scrypt and nacl/secretbox");
    }
    let ScryptParameters { rounds, r, p } = sealed.kdf.params;
    let log_n = rounds.checked_ilog2().filter(|log| rounds.is_power_of_two() && *log <= COST && r <= BLOCKS && p <= 4);
    let log_n = log_n.and_then(|log| u8::try_from(log).ok()).ok_or("opening it would cost too much")?;
    let params = Params::new(log_n, r, p).map_err(|_| broken)?;
    let salt = STANDARD.decode(sealed.kdf.salt).map_err(|_| broken)?;
    let mut key = [0; 32];
    scrypt::scrypt(password, &salt, &params, &mut key).map_err(|_| broken)?;
    let nonce: [u8; 24] = STANDARD.decode(sealed.cipher.nonce).ok().and_then(|it| it.try_into().ok()).ok_or(broken)?;
    let sealed = STANDARD.decode(sealed.ciphertext).map_err(|_| broken)?;
    let (tag, contents) = sealed.split_at_checked(16).ok_or(broken)?;
    let (own, opened) = secret_box(&key, &nonce, contents, contents);
    // The file is the user's own: the time of the comparison reveals nothing to others.
    if own == tag { Ok(opened) } else { Err("the password in COSIGN_PASSWORD is not that of the key") }
}

/// Computes NaCl's secret box: the tag of the encrypted text, and the contents encrypted, or decrypted, which is the same operation. The first 32
/// bytes of the key stream are the key of the tag (`crypto_secretbox` of NaCl's documentation).
fn secret_box(key: &[u8; 32], nonce: &[u8; 24], encrypted: &[u8], contents: &[u8]) -> ([u8; 16], Vec<u8>) {
    let mut stream = XSalsa20::new(key.into(), nonce.into());
    let mut authenticating = [0; 32];
    stream.apply_keystream(&mut authenticating);
    let mut contents = contents.to_vec();
    stream.apply_keystream(&mut contents);
    (Poly1305::new(&authenticating.into()).compute_unpadded(encrypted).into(), contents)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Encrypts a key, with fewer rounds than cosign.
    pub(crate) fn seal(der: &[u8], password: &[u8]) -> String {
        let (salt, nonce, mut key) = ([7; 32], [9; 24], [0; 32]);
        scrypt::scrypt(password, &salt, &Params::new(4, 8, 1).unwrap(), &mut key).unwrap();
        let (_, encrypted) = secret_box(&key, &nonce, &[], der);
        let (tag, _) = secret_box(&key, &nonce, &encrypted, &[]);
        let text = STANDARD.encode([tag.as_slice(), &encrypted].concat());
        let json = serde_json::json!({
            "kdf": {"name": "scrypt", "params": {"N": 16, "r": 8, "p": 1}, "salt": STANDARD.encode(salt)},
            "cipher": {"name": "nacl/secretbox", "nonce": STANDARD.encode(nonce)},
            "ciphertext": text,
        });
        let body = STANDARD.encode(json.to_string());
        let lines: Vec<&str> = body.as_bytes().chunks(64).map(|line| std::str::from_utf8(line).unwrap()).collect();
        format!("-----BEGIN {0}-----\n{1}\n-----END {0}-----\n", LABELS[0], lines.join("\n"))
    }

    #[test]
    fn only_the_password_opens_it() {
        let pem = seal(b"a key", b"secret");
        assert!(is_encrypted(&pem) && !is_encrypted("-----BEGIN PRIVATE KEY-----"));
        assert_eq!(open(&pem, b"secret"), Ok(b"a key".to_vec()));
        assert!(open(&pem, b"Secret").unwrap_err().contains("password"));
        assert!(open(&pem.replace('e', "f"), b"secret").is_err());
        let json = r#"{"kdf":{"name":"scrypt","params":{"N":1073741824,"r":8,"p":1},"salt":""},"cipher":{"name":"nacl/secretbox",
            "nonce":""},"ciphertext":""}"#;
        let costly = format!("-----BEGIN {0}-----\n{1}\n-----END {0}-----\n", LABELS[0], STANDARD.encode(json));
        assert!(open(&costly, b"").unwrap_err().contains("cost"));
    }
}
