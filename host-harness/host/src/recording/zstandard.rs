//! Zstandard: by the reference library, and by one in Rust where there is no compiler of C, as for a browser, which only reads.

use std::io;

/// The compression level: the default of zstd.
#[cfg(not(target_arch = "wasm32"))]
const LEVEL: i32 = 3;

#[cfg(not(target_arch = "wasm32"))]
pub(super) fn compress(text: &[u8]) -> io::Result<Vec<u8>> {
    zstd::bulk::compress(text, LEVEL)
}

/// Decompresses a frame. A text of more than `most` bytes is an error.
#[cfg(not(target_arch = "wasm32"))]
pub(super) fn decompress(body: &[u8], most: usize) -> io::Result<Vec<u8>> {
    zstd::bulk::decompress(body, most)
}

#[cfg(target_arch = "wasm32")]
pub(super) fn compress(text: &[u8]) -> io::Result<Vec<u8>> {
    let message = format!("a recording can be read in a browser, not written: {} bytes are lost", text.len());
    Err(io::Error::new(io::ErrorKind::Unsupported, message))
}

/// Decompresses a frame. A text of more than `most` bytes is an error.
#[cfg(target_arch = "wasm32")]
pub(super) fn decompress(body: &[u8], most: usize) -> io::Result<Vec<u8>> {
    use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

    // The error messages of the decoder would add much code, and the checksum of the frame was right.
    let broken = |_| io::Error::other("the text of the frame cannot be unpacked");
    let (mut decoder, mut body) = (FrameDecoder::new(), body);
    decoder.init(&mut body).map_err(broken)?;
    decoder.decode_blocks(&mut body, BlockDecodingStrategy::UptoBytes(most.saturating_add(1))).map_err(broken)?;
    match decoder.collect().filter(|text| decoder.is_finished() && text.len() <= most) {
        Some(text) => Ok(text),
        None => Err(io::Error::other("more text than a frame may have")),
    }
}
