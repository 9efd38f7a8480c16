//! Unpacks a configuration that is compressed, as a ConfigMap keeps it in `binaryData`: gzip (RFC 1952), written in base64 (RFC 4648).

use miniz_oxide::inflate::decompress_to_vec_with_limit;

/// The maximum number of bytes that are unpacked. A ConfigMap has at most 1 MiB, and a configuration is text that compresses to about a tenth.
const LIMIT: usize = 16 << 20;

/// Unpacks a text.
///
/// # Errors
/// What is wrong with it: no base64, no gzip, damaged, more than 16 MiB, or no UTF-8.
pub fn unpack(written: &str) -> Result<String, &'static str> {
    let packed = base64(written).ok_or("this is not base64")?;
    let deflated = body(&packed).ok_or("this is not gzip")?;
    let bytes = decompress_to_vec_with_limit(deflated, LIMIT).map_err(|_| "the gzip data is damaged or too long")?;
    let trailer = deflated.len().checked_sub(8).and_then(|at| deflated.get(at..)).unwrap_or_default();
    let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    if trailer != [crc32(&bytes).to_le_bytes(), length.to_le_bytes()].concat() {
        return Err("the gzip data is damaged: its check sum is another");
    }
    String::from_utf8(bytes).map_err(|_| "the unpacked data is not UTF-8")
}

/// Decodes base64 of the standard alphabet. White space and the padding do not count.
fn base64(written: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0_u32, 0_u32);
    for letter in written.trim_end_matches(|end: char| end == '=' || end.is_whitespace()).bytes() {
        let value = match letter {
            b'A'..=b'Z' => letter.wrapping_sub(b'A'),
            b'a'..=b'z' => letter.wrapping_sub(b'a').wrapping_add(26),
            b'0'..=b'9' => letter.wrapping_sub(b'0').wrapping_add(52),
            b'+' => 62,
            b'/' => 63,
            b' ' | b'\t' | b'\r' | b'\n' => continue,
            _ => return None,
        };
        (bits, count) = (bits << 6 | u32::from(value), count.wrapping_add(6));
        if count >= 8 {
            count = count.wrapping_sub(8);
            bytes.push(u8::try_from(bits >> count & 0xff).ok()?);
        }
    }
    Some(bytes)
}

/// Returns what follows the header of a gzip member: the deflated data and its trailer.
fn body(packed: &[u8]) -> Option<&[u8]> {
    let [0x1f, 0x8b, 8, flags, _, _, _, _, _, _, rest @ ..] = packed else { return None };
    let mut rest = rest;
    if flags & 4 != 0 {
        let [low, high, more @ ..] = rest else { return None };
        rest = more.get(usize::from(u16::from_le_bytes([*low, *high]))..)?;
    }
    // The name of the file and a comment, each with a zero at its end.
    for _ in 0..(flags >> 3 & 1).wrapping_add(flags >> 4 & 1) {
        rest = rest.splitn(2, |byte| *byte == 0).nth(1)?;
    }
    if flags & 2 == 0 { Some(rest) } else { rest.get(2..) }
}

/// Computes the check sum of gzip (CRC-32 of ISO 3309).
fn crc32(bytes: &[u8]) -> u32 {
    let step = |sum: u32, _| if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 };
    !bytes.iter().fold(u32::MAX, |sum, byte| (0..8).fold(sum ^ u32::from(*byte), step))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `printf 'partitions: []\n' | gzip -n | base64`; the same of a file, whose name the header has; and with every field of a header.
    const PACKED: [&str; 3] = [
        "H4sIAAAAAAAAAytILCrJLMnMzyu2UoiO5QIAf4A8gg8AAAA=",
        "H4sICOcFB2sAA3F1ZXVlcy55YW1sACtILCrJLMnMzyu2UoiO5QIAf4A8gg8AAAA=",
        "H4sIHgAAAAAAAwMAYWJjbmFtZQBjb21tZW50AHlxK0gsKsksyczPK7ZSiI7lAgB/gDyCDwAAAA==",
    ];

    #[test]
    fn what_gzip_has_packed_is_unpacked() {
        for packed in PACKED {
            assert_eq!(unpack(packed).as_deref(), Ok("partitions: []\n"), "{packed}");
        }
        let (first, rest) = PACKED[0].split_at(20);
        assert_eq!(unpack(&format!("{first}\n  {rest}\n")).as_deref(), Ok("partitions: []\n"));
    }

    #[test]
    fn what_is_damaged_is_said() {
        let changed = PACKED[0].replace("f4A8gg8", "f4A8gg9");
        let (cut, _) = PACKED[0].split_at(40);
        for (packed, wrong) in [
            ("partitions: []", "this is not base64"),
            ("cGFydGl0aW9uczogW10K", "this is not gzip"),
            ("H4sI", "this is not gzip"),
            ("", "this is not gzip"),
            (&*changed, "the gzip data is damaged: its check sum is another"),
            (cut, "the gzip data is damaged: its check sum is another"),
            ("H4sIAAAAAAAAA/8=", "the gzip data is damaged or too long"),
        ] {
            assert_eq!(unpack(packed), Err(wrong), "{packed}");
        }
    }

    #[test]
    fn the_check_sum_is_that_of_the_standard() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }
}
