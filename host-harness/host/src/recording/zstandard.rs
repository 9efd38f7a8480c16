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
    use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

    // Its own messages would be much code, and the checksum of a frame was right.
    let broken = |_| io::Error::other("the text of the frame cannot be unpacked");
    let (mut decoder, mut body) = (FrameDecoder::new(), body);
    decoder.init(&mut body).map_err(broken)?;
    decoder.decode_blocks(&mut body, BlockDecodingStrategy::UptoBytes(most.saturating_add(1))).map_err(broken)?;
    match decoder.collect().filter(|text| decoder.is_finished() && text.len() <= most) {
        Some(text) => Ok(text),
        None => Err(io::Error::other("more text than a frame may have")),
    }
}
