//! What the drivers of living clusters share: the time that a session is told, and a socket at which a process is asked.

mod clock;
#[cfg(unix)]
mod socket;

pub use clock::{Clock, nanoseconds};
#[cfg(unix)]
pub use socket::listen;
