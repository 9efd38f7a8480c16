//! HTTP/1.1 on a socket, as far as the tests need it.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

/// A request.
pub(crate) struct ReceivedRequest {
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl ReceivedRequest {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// An answer.
pub(crate) struct ServedResponse {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Vec<u8>,
}

/// Reads the next request of a connection. `None`: the connection is closed.
pub(crate) fn read(stream: &mut TcpStream) -> io::Result<Option<ReceivedRequest>> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut words = line.split_whitespace().map(str::to_owned);
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    let mut asked = ReceivedRequest { method, target, headers, body: Vec::new() };
    let length = asked.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    asked.body = body;
    Ok(Some(asked))
}

impl ServedResponse {
    pub(crate) fn new(status: u16) -> ServedResponse {
        ServedResponse { status, headers: Vec::new(), body: Vec::new() }
    }

    pub(crate) fn error(status: u16, message: &str) -> ServedResponse {
        let body = serde_json::json!({"errors": [{"code": "ERROR", "message": message}]});
        ServedResponse { body: body.to_string().into_bytes(), ..ServedResponse::new(status) }
    }

    /// Replaces a header.
    pub(crate) fn with(mut self, name: &'static str, value: &str) -> ServedResponse {
        self.headers.retain(|(known, _)| *known != name);
        self.headers.push((name, value.to_owned()));
        self
    }

    fn head(&self) -> String {
        let mut head = format!("HTTP/1.1 {} Status\r\n", self.status);
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head
    }

    pub(crate) fn write(&self, stream: &mut TcpStream, asked: &ReceivedRequest) -> io::Result<()> {
        let mut whole = format!("{}content-length: {}\r\n\r\n", self.head(), self.body.len()).into_bytes();
        if asked.method != "HEAD" {
            whole.extend_from_slice(&self.body);
        }
        // The answer is written in one piece: two writes would wait for each other.
        stream.write_all(&whole)
    }

    /// Writes half of the answer.
    pub(crate) fn write_part(&self, stream: &mut TcpStream) -> io::Result<()> {
        write!(stream, "{}content-length: {}\r\n\r\n", self.head(), self.body.len())?;
        stream.write_all(self.body.chunks(self.body.len().div_ceil(2).max(1)).next().unwrap_or_default())?;
        stream.flush()
    }

    /// Writes the head of the answer, and then chunks without end.
    pub(crate) fn write_without_length(&self, stream: &mut TcpStream) -> io::Result<()> {
        write!(stream, "{}transfer-encoding: chunked\r\n\r\n", self.head())?;
        let chunk = [b'x'; 1024];
        loop {
            write!(stream, "400\r\n")?;
            stream.write_all(&chunk)?;
            write!(stream, "\r\n")?;
        }
    }
}
