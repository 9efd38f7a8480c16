//! A client that has a deadline.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

/// A connection with a deadline. Each read and write may take the time that is left. So a client that sends one byte now and then is cut off at the
/// deadline, which a timeout for each read does not achieve.
#[derive(Debug)]
pub struct DeadlineStream<'s> {
    stream: &'s UnixStream,
    until: Instant,
}

impl<'s> DeadlineStream<'s> {
    /// Gives a connection this much time from now on. Later users of the connection set their own timeouts.
    pub fn within(stream: &'s UnixStream, time: Duration) -> DeadlineStream<'s> {
        let now = Instant::now();
        DeadlineStream { stream, until: now.checked_add(time).unwrap_or(now) }
    }

    /// Sets the remaining time as the timeout of the connection, and returns the connection.
    fn ready(&self, set: fn(&UnixStream, Option<Duration>) -> io::Result<()>) -> io::Result<&'s UnixStream> {
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "the client took too long"));
        }
        set(self.stream, Some(left))?;
        Ok(self.stream)
    }
}

impl Read for DeadlineStream<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        self.ready(UnixStream::set_read_timeout)?.read(to)
    }
}

impl Write for DeadlineStream<'_> {
    fn write(&mut self, from: &[u8]) -> io::Result<usize> {
        self.ready(UnixStream::set_write_timeout)?.write(from)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_that_sends_a_byte_now_and_then_is_cut_off() {
        let (mut client, served) = UnixStream::pair().unwrap();
        let trickling = std::thread::spawn(move || {
            while client.write_all(b" ").is_ok() {
                std::thread::sleep(Duration::from_millis(5));
            }
        });
        let mut line = Vec::new();
        let read = DeadlineStream::within(&served, Duration::from_millis(100)).read_to_end(&mut line);
        assert!(matches!(read.unwrap_err().kind(), io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock));
        assert!(!line.is_empty());
        drop(served);
        trickling.join().unwrap();
    }
}
