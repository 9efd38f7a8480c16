//! Credentials, as `docker login` stores them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fmt, fs, io};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;

use super::Error;

/// Names and passwords by registry. They are never shown.
#[derive(Clone, Default)]
pub struct Credentials(BTreeMap<String, Login>);

/// A name and a password.
#[derive(Clone)]
pub(crate) struct Login {
    pub(crate) user: String,
    pub(crate) password: String,
}

#[derive(Deserialize)]
struct DockerConfig {
    #[serde(default)]
    auths: BTreeMap<String, Auth>,
}

#[derive(Deserialize)]
struct Auth {
    #[serde(default)]
    auth: String,
    #[serde(default)]
    username: String,
    #[serde(default)]
    password: String,
}

impl Credentials {
    /// Reads `$DOCKER_CONFIG/config.json` or `~/.docker/config.json`; empty where the file does not exist. Credential helpers (`credsStore`,
    /// `credHelpers`) and identity tokens are not used.
    ///
    /// # Errors
    ///
    /// The file cannot be read.
    pub fn of_docker() -> Result<Credentials, Error> {
        let directory = env::var_os("DOCKER_CONFIG").filter(|named| !named.is_empty()).map(PathBuf::from);
        let home = || env::var_os("HOME").map(|home| PathBuf::from(home).join(".docker"));
        match directory.or_else(home) {
            Some(directory) => Credentials::read(&directory.join("config.json")),
            None => Ok(Credentials::default()),
        }
    }

    /// Reads a file like docker's; empty where the file does not exist.
    ///
    /// # Errors
    ///
    /// The file cannot be read.
    pub fn read(file: &Path) -> Result<Credentials, Error> {
        let bad = |why: String| Error::Credentials { file: file.display().to_string(), why };
        let text = match fs::read(file) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Credentials::default()),
            Err(error) => return Err(bad(error.to_string())),
        };
        // The message of the parser may show a part of the line: only the place is reported.
        let config: DockerConfig = serde_json::from_slice(&text).map_err(|error| {
            bad(format!("line {}, column {} is not as docker writes it", error.line(), error.column()))
        })?;
        let mut logins = BTreeMap::new();
        for (name, auth) in config.auths {
            let login =
                auth.login().ok_or_else(|| bad(format!("`auth` of {name} is not a name and a password in base 64")))?;
            logins.extend(login.map(|login| (host_of(&name).to_owned(), login)));
        }
        Ok(Credentials(logins))
    }

    /// Returns the credentials of a registry. `None`: the file has none.
    pub(crate) fn of(&self, host: &str) -> Option<&Login> {
        let hub = || if host == "docker.io" { self.0.get("index.docker.io") } else { None };
        self.0.get(host).or_else(hub)
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_set().entries(self.0.keys()).finish()
    }
}

impl Auth {
    /// Returns the name and the password of an entry. `Some(None)`: the entry has none, as with a credential helper. `None`: the entry is broken.
    fn login(self) -> Option<Option<Login>> {
        if !self.username.is_empty() {
            return Some(Some(Login { user: self.username, password: self.password }));
        }
        if self.auth.is_empty() {
            return Some(None);
        }
        let text = String::from_utf8(STANDARD.decode(self.auth).ok()?).ok()?;
        let (user, password) = text.split_once(':')?;
        Some(Some(Login { user: user.to_owned(), password: password.trim_end_matches('\0').to_owned() }))
    }
}

impl Login {
    /// Returns the header with the name and the password.
    pub(crate) fn basic(&self) -> String {
        format!("Basic {}", STANDARD.encode(format!("{}:{}", self.user, self.password)))
    }
}

/// Returns the registry of an entry, whose name may be an address: `https://index.docker.io/v1/`.
fn host_of(name: &str) -> &str {
    let bare = name.strip_prefix("https://").or_else(|| name.strip_prefix("http://")).unwrap_or(name);
    bare.split('/').next().unwrap_or(bare)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Credentials, Error> {
        let file = env::temp_dir().join(format!("lictor-credentials-{}-{}.json", std::process::id(), text.len()));
        fs::write(&file, text).unwrap();
        let read = Credentials::read(&file);
        fs::remove_file(&file).unwrap();
        read
    }

    #[test]
    fn entries_of_docker_are_found_by_registry() {
        // `printf me:se:cret | base64` is bWU6c2U6Y3JldA==.
        let text = r#"{"auths": {"r.io": {"auth": "bWU6c2U6Y3JldA=="}, "https://index.docker.io/v1/": {"username": "u", "password": "p"},
            "helped.io": {}}, "credsStore": "desktop"}"#;
        let read = read(text).unwrap();
        let found = |host: &str| read.of(host).map(|login| (login.user.clone(), login.password.clone()));
        assert_eq!(found("r.io"), Some(("me".to_owned(), "se:cret".to_owned())));
        assert_eq!(found("docker.io"), Some(("u".to_owned(), "p".to_owned())));
        assert_eq!((found("helped.io"), found("other.io")), (None, None));
        assert_eq!(read.of("r.io").unwrap().basic(), "Basic bWU6c2U6Y3JldA==");
        assert!(!format!("{read:?}").contains("cret"));
    }

    #[test]
    fn a_broken_file_is_an_error_that_does_not_show_it() {
        for text in [
            "{\"auths\": {\"r.io\": {\"auth\": \"secret",
            "{\"auths\": {\"r.io\": {\"auth\": \"%secret\"}}}",
            "[\"secret\"]",
        ] {
            let error = read(text).unwrap_err();
            assert!(matches!(error, Error::Credentials { .. }) && !error.to_string().contains("secret"), "{error}");
        }
        assert!(Credentials::read(Path::new("/no/such/config.json")).unwrap().of("r.io").is_none());
    }
}
