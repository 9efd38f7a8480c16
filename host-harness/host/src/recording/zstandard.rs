//! Zstandard: by the reference library, and by one in Rust where there is no compiler of C, as for a browser, which only reads.

use std::io;

/// How much is done to make it small: the default of zstd.
#[cfg(not(target_arch = "wasm32"))]
const LEVEL: i32 = 3;

#[cfg(not(target_arch = "wasm32"))]
pub(super) fn compress(text: &[u8]) -> io::Result<Vec<u8>> {
    zstd::bulk::compress(text, LEVEL)
}

/// At most so many bytes of text.
#[cfg(not(target_arch = "wasm32"))]
pub(super) fn decompress(body: &[u8], most: usize) -> io::Result<Vec<u8>> {
    zstd::bulk::decompress(body, most)
}

#[cfg(target_arch = "wasm32")]
pub(super) fn compress(text: &[u8]) -> io::Result<Vec<u8>> {
    let message = format!("a recording can be read in a browser, not written: {} bytes are lost", text.len());
    Err(io::Error::new(io::ErrorKind::Unsupported, message))
}

/// At most so many bytes of text.
#[cfg(target_arch = "wasm32")]
pub(super) fn decompress(body: &[u8], most: usize) -> io::Result<Vec<u8>> {
    use std::io::Read;

    let mut text = Vec::new();
    let limit = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
    ruzstd::decoding::StreamingDecoder::new(body).map_err(io::Error::other)?.take(limit).read_to_end(&mut text)?;
    if text.len() > most {
        return Err(io::Error::other("more text than a frame may have"));
    }
    Ok(text)
}
