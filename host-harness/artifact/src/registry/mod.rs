//! The client of a registry.

mod bundle;
mod challenge;
mod client;
mod credentials;
mod error;
mod http;
mod key;
mod pull;
mod push;
mod sealed;
mod signature;
mod uploads;
mod verify;
mod wit;

pub use client::RegistrySettings;
pub use credentials::Credentials;
pub use error::Error;
pub use key::{PublicKey, SigningKey};
pub use pull::{Attachments, PullLimits, Pulled, Trust, pull, pull_attachments, pull_report};
pub use push::{PushContents, Pushed, push};
