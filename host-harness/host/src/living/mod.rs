//! What the drivers of living clusters share: the time that a session is told, what is listed before it begins, a file in which its checkpoint is kept,
//! a socket at which a process is asked, and which systems only mark their victims.

mod clock;
mod listed;
mod marks;
#[cfg(unix)]
mod socket;
mod stored;
#[cfg(unix)]
mod timed;

pub use clock::{Clock, nanoseconds};
pub use listed::Listed;
pub use marks::{MARKS, only_marks};
#[cfg(unix)]
pub use socket::listen;
pub use stored::Stored;
#[cfg(unix)]
pub use timed::Timed;
