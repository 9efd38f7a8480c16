//! A registry inside the process, for tests: enough of the distribution specification to push and pull, and ways to misbehave.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, reason = "test code")]

mod answer;
mod wire;

use std::collections::BTreeMap;
use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

use crate::Digest;
use wire::{ReceivedRequest, ServedResponse};

/// How long a registry hangs: longer than the longest wait of a test.
const SLEEP: Duration = Duration::from_secs(5);

/// A registry on a loopback socket. It serves until the process ends.
#[derive(Clone)]
pub struct FakeRegistry {
    address: SocketAddr,
    state: Arc<Mutex<FakeRegistryState>>,
}

/// A fault of a registry.
#[derive(Debug, Clone)]
pub enum RegistryFault {
    /// It answers with this status.
    Status(u16),
    /// It takes the request and does not answer.
    Hangs,
    /// It sends a part of the answer, and stops.
    Stalls,
    /// It states the whole length, sends half of it and closes the connection.
    BreaksOff,
    /// It answers with other bytes.
    Bytes(Vec<u8>),
    /// It answers with another media type.
    MediaType(&'static str),
    /// It redirects to another address.
    Moved(String),
    /// It takes the request, and refers to another address for the next one.
    Elsewhere(String),
    /// It answers without end.
    Endless,
}

/// The access to a registry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuthenticationMode {
    /// Each request has access, also one without a password.
    Open,
    /// `me` with the password `secret` has access; each request needs both.
    Basic,
    /// Clients with the token have access; `/token` issues it to `me` with the password `secret`.
    Token,
}

/// The content of the registry, and the requests to it.
pub(crate) struct FakeRegistryState {
    pub(crate) blobs: BTreeMap<Digest, Vec<u8>>,
    /// Media type and bytes, by repository and tag or digest.
    pub(crate) manifests: BTreeMap<(String, String), (String, Vec<u8>)>,
    faults: Vec<(String, RegistryFault)>,
    pub(crate) authentication: AuthenticationMode,
    /// Whether it supports the referrers of OCI 1.1.
    pub(crate) referrers: bool,
    requests: Vec<String>,
    authenticated_requests: usize,
}

impl FakeRegistry {
    /// Starts a registry, which is empty.
    pub fn start() -> FakeRegistry {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port of this machine");
        let address = listener.local_addr().expect("an address");
        let (blobs, manifests, faults, asked) = Default::default();
        let guarded = AuthenticationMode::Open;
        let state = FakeRegistryState {
            blobs,
            manifests,
            faults,
            authentication: guarded,
            referrers: true,
            requests: asked,
            authenticated_requests: 0,
        };
        let registry = FakeRegistry { address, state: Arc::new(Mutex::new(state)) };
        let serving = registry.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let registry = serving.clone();
                thread::spawn(move || registry.serve(stream));
            }
        });
        registry
    }

    /// Returns the name of a repository or an artifact in it, such as `team/policy:1`.
    pub fn name(&self, path: &str) -> String {
        format!("oci://{}/{path}", self.address)
    }

    /// Returns host and port.
    pub fn host(&self) -> String {
        self.address.to_string()
    }

    /// Makes this fault occur for every request with this text in its first line, such as `GET /v2/team/policy/manifests/1`.
    pub fn fail(&self, asked: &str, fault: RegistryFault) {
        self.state().faults.push((asked.to_owned(), fault));
    }

    /// Ends all faults.
    pub fn repair(&self) {
        self.state().faults.clear();
    }

    /// Sets the access from now on.
    pub fn set_authentication(&self, guarded: AuthenticationMode) {
        self.state().authentication = guarded;
    }

    /// Turns the referrers of OCI 1.1 off, as in old registries.
    pub fn without_referrers(&self) {
        self.state().referrers = false;
    }

    /// Returns the first lines of all requests so far.
    pub fn requests(&self) -> Vec<String> {
        self.state().requests.clone()
    }

    /// Returns how many requests had credentials.
    pub fn authenticated_requests(&self) -> usize {
        self.state().authenticated_requests
    }

    /// Returns the manifests that refer to one.
    pub fn referrers(&self, repository: &str, subject: &Digest) -> Vec<serde_json::Value> {
        let index: serde_json::Value =
            serde_json::from_slice(&self.referrers_of(repository, subject.as_str()).body).unwrap();
        index["manifests"].as_array().cloned().unwrap_or_default()
    }

    /// Returns a blob as JSON.
    pub fn json_blob(&self, digest: &str) -> serde_json::Value {
        let digest = Digest::parse(digest).expect("a digest");
        serde_json::from_slice(&self.state().blobs[&digest]).expect("JSON")
    }

    /// Returns a manifest by repository and tag or digest.
    pub fn manifest(&self, repository: &str, name: &str) -> Option<serde_json::Value> {
        let key = (repository.to_owned(), name.to_owned());
        self.state().manifests.get(&key).map(|(_, bytes)| serde_json::from_slice(bytes).expect("JSON"))
    }

    /// Returns the tags of a repository.
    pub fn tags(&self, repository: &str) -> Vec<String> {
        let state = self.state();
        let own = state.manifests.keys().filter(|(of, name)| of == repository && Digest::parse(name).is_none());
        own.map(|(_, name)| name.clone()).collect()
    }

    /// Writes a manifest under a tag, as a client with write access does.
    pub fn write_manifest(&self, repository: &str, tag: &str, manifest: &serde_json::Value) -> Digest {
        let bytes = serde_json::to_vec(manifest).expect("JSON");
        let digest = Digest::of(&bytes);
        let kind = manifest["mediaType"].as_str().unwrap_or(crate::media_type::MANIFEST).to_owned();
        for name in [tag, digest.as_str()] {
            self.state().manifests.insert((repository.to_owned(), name.to_owned()), (kind.clone(), bytes.clone()));
        }
        digest
    }

    /// Writes a blob, as a client with write access does.
    pub fn write_blob(&self, bytes: &[u8]) -> Digest {
        let digest = Digest::of(bytes);
        self.state().blobs.insert(digest.clone(), bytes.to_vec());
        digest
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, FakeRegistryState> {
        self.state.lock().unwrap()
    }

    fn serve(&self, mut stream: TcpStream) {
        while let Ok(Some(asked)) = wire::read(&mut stream) {
            if self.answer(&mut stream, &asked).is_err() {
                return;
            }
        }
    }

    fn answer(&self, stream: &mut TcpStream, asked: &ReceivedRequest) -> io::Result<()> {
        let line = format!("{} {}", asked.method, asked.target);
        self.state().requests.push(line.clone());
        if asked.header("authorization").is_some() {
            let shown = self.state().authenticated_requests;
            self.state().authenticated_requests = shown.saturating_add(1);
        }
        let fault =
            self.state().faults.iter().find(|(text, _)| line.contains(text.as_str())).map(|(_, fault)| fault.clone());
        let reply = match &fault {
            Some(RegistryFault::Status(status)) => ServedResponse::error(*status, "it is out of order"),
            Some(RegistryFault::Moved(to)) => ServedResponse::new(307).with("location", to),
            Some(RegistryFault::Elsewhere(to)) => self.reply(asked).with("location", to),
            _ => self.reply(asked),
        };
        match fault {
            Some(RegistryFault::Hangs) => {
                thread::sleep(SLEEP);
                Ok(())
            }
            Some(RegistryFault::Stalls) => {
                reply.write_part(stream)?;
                thread::sleep(SLEEP);
                Ok(())
            }
            Some(RegistryFault::BreaksOff) => {
                reply.write_part(stream)?;
                Err(io::ErrorKind::Other.into())
            }
            Some(RegistryFault::Bytes(bytes)) => ServedResponse { body: bytes, ..reply }.write(stream, asked),
            Some(RegistryFault::MediaType(kind)) => reply.with("content-type", kind).write(stream, asked),
            Some(RegistryFault::Endless) => loop {
                reply.write_without_length(stream)?;
            },
            _ => reply.write(stream, asked),
        }
    }
}
