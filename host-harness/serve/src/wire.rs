//! Frames: a length (u32, big-endian, of what follows it), a kind (u8), a number (u32, big-endian), and a payload.

use std::io::{self, Read, Write};

/// The version of the protocol.
pub const VERSION: u32 = 1;

/// A frame with a longer payload is refused: 64 MiB.
pub const MAX_PAYLOAD: usize = 64 << 20;

/// The longest payload of a client's first message: 64 KiB.
pub const MAX_HELLO_PAYLOAD: usize = 64 << 10;

/// The length of the kind and the number, in bytes.
const HEAD: usize = 5;

/// The kinds of frames. An answer has the kind of its question and [`kind::RESPONSE`].
pub mod kind {
    /// The client's first message. JSON; the first frame.
    pub const HELLO: u8 = 1;
    /// An object is new or has changed. JSON, as Kubernetes has it.
    pub const OBJECT: u8 = 2;
    /// An object is gone: `Kind/namespace/name` or `Kind/name`.
    pub const REMOVED: u8 = 3;
    /// All objects were sent.
    pub const SYNCED: u8 = 4;
    /// The outcomes of commands. JSON.
    pub const OUTCOMES: u8 = 5;
    /// PreFilter and Filter.
    pub const PRE_FILTER_AND_FILTER: u8 = 16;
    /// PostFilter.
    pub const POST_FILTER: u8 = 17;
    /// Reserve.
    pub const RESERVE: u8 = 18;
    /// Permit.
    pub const PERMIT: u8 = 19;
    /// Unreserve.
    pub const UNRESERVE: u8 = 20;
    /// The keys of the queue.
    pub const QUEUE_KEYS: u8 = 21;
    /// The host's first message. JSON; the answer to the first frame.
    pub const WELCOME: u8 = 65;
    /// The numbers of nodes. JSON.
    pub const NODES: u8 = 66;
    /// The commands to carry out. JSON.
    pub const COMMANDS: u8 = 67;
    /// The difference between the kind of an answer and that of its question.
    pub const RESPONSE: u8 = 64;
    /// An error in place of an answer. JSON.
    pub const ERROR: u8 = 127;
}

/// One frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProtocolFrame {
    /// The kind of the frame.
    pub kind: u8,
    /// The number of the question, which its answer has, too; 0 for other frames.
    pub number: u32,
    /// The content of the frame.
    pub payload: Vec<u8>,
}

impl ProtocolFrame {
    /// Writes the frame.
    ///
    /// # Errors
    /// The payload is too long, or the other side is gone.
    pub fn write(&self, to: &mut impl Write) -> io::Result<()> {
        let length = self.payload.len().checked_add(HEAD).filter(|_| self.payload.len() <= MAX_PAYLOAD);
        let length = length
            .and_then(|length| u32::try_from(length).ok())
            .ok_or_else(|| too_long(self.payload.len(), MAX_PAYLOAD))?;
        to.write_all(&length.to_be_bytes())?;
        to.write_all(&[self.kind])?;
        to.write_all(&self.number.to_be_bytes())?;
        to.write_all(&self.payload)
    }

    /// Reads the next frame. `None`: the other side has ended.
    ///
    /// # Errors
    /// The frame is cut, or too long or too short to be one.
    pub fn read(from: &mut impl Read) -> io::Result<Option<ProtocolFrame>> {
        ProtocolFrame::read_at_most(MAX_PAYLOAD, from)
    }

    /// Reads a frame with a payload of at most `longest` bytes. Memory is allocated for the bytes that arrive, not for those that the length
    /// announces.
    ///
    /// # Errors
    /// As [`ProtocolFrame::read`].
    pub fn read_at_most(longest: usize, from: &mut impl Read) -> io::Result<Option<ProtocolFrame>> {
        let mut length = [0; 4];
        let came = loop {
            match from.read(&mut length) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                came => break came?,
            }
        };
        if came == 0 {
            return Ok(None);
        }
        from.read_exact(length.get_mut(came..).unwrap_or_default())?;
        let length = usize::try_from(u32::from_be_bytes(length)).unwrap_or(usize::MAX);
        let Some(payload) = length.checked_sub(HEAD) else {
            let said = format!("a frame has at least {HEAD} bytes, and this one {length}");
            return Err(io::Error::new(io::ErrorKind::InvalidData, said));
        };
        if payload > longest {
            return Err(too_long(payload, longest));
        }
        let (mut kind, mut number, mut bytes) = ([0; 1], [0; 4], Vec::new());
        from.read_exact(&mut kind)?;
        from.read_exact(&mut number)?;
        from.take(u64::try_from(payload).unwrap_or(u64::MAX)).read_to_end(&mut bytes)?;
        if bytes.len() < payload {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "a frame was cut"));
        }
        let [kind] = kind;
        Ok(Some(ProtocolFrame { kind, number: u32::from_be_bytes(number), payload: bytes }))
    }
}

fn too_long(length: usize, longest: usize) -> io::Error {
    let said = format!("a frame carries at most {longest} bytes here, and this one {length}");
    io::Error::new(io::ErrorKind::InvalidData, said)
}
