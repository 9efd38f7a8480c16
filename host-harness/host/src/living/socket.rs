//! A Unix socket of one user.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

/// Listens at this path; the socket belongs to its user alone (mode 0600), from its first moment on: it is made in a folder that no other
/// user can enter, and moved. What a process left there that was killed is replaced.
///
/// # Errors
/// The socket cannot be made, another process listens there, or a file that is no socket is there.
pub fn listen(path: &Path) -> io::Result<UnixListener> {
    if UnixStream::connect(path).is_ok() {
        return Err(io::Error::new(io::ErrorKind::AddrInUse, "another process listens there"));
    }
    match fs::symlink_metadata(path) {
        Ok(found) if !found.file_type().is_socket() => {
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, "a file that is no socket is there"));
        }
        _ => {}
    }
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let made = private(parent);
    let folder =
        made.map_err(|error| io::Error::new(error.kind(), format!("the folder {}: {error}", parent.display())))?;
    let listener = bind_in(&folder, path);
    let _gone = fs::remove_dir_all(&folder);
    listener
}

/// Makes a folder in this one that no other user can enter. Its name is short: that of a socket has 108 bytes, with all folders.
fn private(parent: &Path) -> io::Result<PathBuf> {
    let mut last = io::Error::from(io::ErrorKind::AlreadyExists);
    for number in 0..100 {
        let folder = parent.join(format!(".l{}-{number}", std::process::id()));
        match fs::DirBuilder::new().mode(0o700).create(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => last = error,
            Err(error) => return Err(error),
        }
    }
    Err(last)
}

/// Makes the socket in this folder, and moves it to its place.
fn bind_in(folder: &Path, path: &Path) -> io::Result<UnixListener> {
    let made = folder.join("s");
    let listener = UnixListener::bind(&made)?;
    fs::set_permissions(&made, fs::Permissions::from_mode(0o600))?;
    fs::rename(&made, path)?;
    Ok(listener)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_no_moment_can_another_user_connect() {
        let path = std::env::temp_dir().join(format!("lictor-socket-window-{}", std::process::id()));
        let watched = path.clone();
        let (stop, stops) = std::sync::mpsc::channel::<()>();
        let watching = std::thread::spawn(move || {
            let mut seen = std::collections::BTreeSet::new();
            while !matches!(stops.try_recv(), Err(std::sync::mpsc::TryRecvError::Disconnected)) {
                seen.extend(fs::metadata(&watched).map(|about| about.permissions().mode() & 0o777));
            }
            seen
        });
        for _ in 0..500 {
            drop(listen(&path).unwrap());
        }
        drop(stop);
        assert!(watching.join().unwrap().iter().all(|mode| *mode == 0o600));
        fs::remove_file(&path).unwrap();
    }

    #[test]
    fn a_folder_that_is_not_there_is_named() {
        let error = listen(Path::new("/nowhere/lictor.sock")).unwrap_err();
        assert!(error.to_string().starts_with("the folder /nowhere: "), "{error}");
    }

    #[test]
    fn what_was_left_is_removed_and_what_is_in_use_or_another_file_is_not() {
        let path = std::env::temp_dir().join(format!("lictor-socket-{}", std::process::id()));
        let first = listen(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(listen(&path).unwrap_err().kind(), io::ErrorKind::AddrInUse);
        drop(first);
        drop(listen(&path).unwrap());
        fs::remove_file(&path).unwrap();
        fs::write(&path, "a letter").unwrap();
        assert_eq!(listen(&path).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read_to_string(&path).unwrap(), "a letter");
        fs::remove_file(&path).unwrap();
    }
}
