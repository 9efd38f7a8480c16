//! The common parts of the drivers of living clusters: the clock of a session, the objects that are listed before a session begins, the file with its
//! checkpoint, the socket at which a process answers questions, and the systems that only mark their victims.

mod clock;
mod listed;
mod marks;
#[cfg(unix)]
mod socket;
mod stored;
#[cfg(unix)]
mod timed;

pub use clock::{SessionClock, nanoseconds};
pub use listed::InitialObjects;
pub use marks::{MARKS, only_marks};
#[cfg(unix)]
pub use socket::listen;
pub use stored::JsonFile;
#[cfg(unix)]
pub use timed::DeadlineStream;
