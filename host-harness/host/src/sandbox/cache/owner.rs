//! Directories that belong to the user of this process alone.

#[cfg(unix)]
pub use unix::private;

#[cfg(not(unix))]
use std::{fs, io, path::Path, path::PathBuf};

/// Creates the directory where it is missing, and returns it.
#[cfg(not(unix))]
pub fn private(root: &Path) -> io::Result<PathBuf> {
    fs::create_dir_all(root).map(|()| root.to_owned())
}

#[cfg(unix)]
mod unix {
    use std::fs::{self, Metadata, OpenOptions};
    use std::io::{self, ErrorKind};
    use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
    use std::path::{Path, PathBuf};
    use std::sync::atomic::{AtomicU64, Ordering};

    /// The mode bits with which other users may write, and those with which other users may do anything.
    const OTHERS_WRITE: u32 = 0o022;
    const OTHERS: u32 = 0o077;

    /// Returns a directory of the user of this process to which no other user may write. This is `root`, which is created where it is missing, or a
    /// directory in it where other users may write to `root`.
    ///
    /// # Errors
    /// The directory, or the one in it, belongs to another user, or nothing can be written there.
    pub fn private(root: &Path) -> io::Result<PathBuf> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(root)?;
        let (found, own) = (root.metadata()?, own(root)?);
        if found.permissions().mode() & OTHERS_WRITE == 0 {
            return if found.uid() == own { Ok(root.to_owned()) } else { Err(of_another(&found)) };
        }
        let inner = root.join(format!("of-user-{own}"));
        match fs::DirBuilder::new().mode(0o700).create(&inner) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        // The path may belong to another user, or be a link to elsewhere.
        let found = inner.symlink_metadata()?;
        let is_private = found.is_dir() && found.uid() == own && found.permissions().mode() & OTHERS == 0;
        if is_private { Ok(inner) } else { Err(of_another(&found)) }
    }

    fn of_another(found: &Metadata) -> io::Error {
        let (user, mode) = (found.uid(), found.permissions().mode() & 0o7777);
        let said = format!("it is not this user's alone: it belongs to user {user}, with mode {mode:o}");
        io::Error::new(ErrorKind::PermissionDenied, said)
    }

    /// Returns the user of this process: the owner of a file that the process creates.
    fn own(directory: &Path) -> io::Result<u32> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let file = directory.join(format!(".user-{}-{number}", std::process::id()));
        let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&file);
        let user = made.and_then(|made| made.metadata()).map(|about| about.uid());
        let _gone = fs::remove_file(&file);
        user
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        fn made(name: &str, mode: u32) -> PathBuf {
            let path = std::env::temp_dir().join(format!("lictor-owner-{name}-{}", std::process::id()));
            let _left = fs::remove_dir_all(&path);
            fs::create_dir_all(&path).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            path
        }

        #[test]
        fn a_directory_of_ones_own_is_used() {
            let path = made("own", 0o755);
            assert_eq!(private(&path).unwrap(), path);
            assert_eq!(fs::read_dir(&path).unwrap().count(), 0, "nothing is left in it");
        }

        #[test]
        fn in_one_that_others_may_write_to_a_private_one_is_made() {
            // The mode of an `emptyDir`.
            let path = made("shared", 0o777);
            let inner = private(&path).unwrap();
            assert_eq!(inner.parent(), Some(&*path));
            assert_eq!(inner.metadata().unwrap().permissions().mode() & 0o777, 0o700);
            assert_eq!(private(&path).unwrap(), inner, "and used again");
            fs::set_permissions(&inner, fs::Permissions::from_mode(0o750)).unwrap();
            assert!(private(&path).unwrap_err().to_string().contains("mode 750"));
            fs::remove_dir(&inner).unwrap();
            std::os::unix::fs::symlink(std::env::temp_dir(), &inner).unwrap();
            assert_eq!(private(&path).unwrap_err().kind(), ErrorKind::PermissionDenied);
        }

        #[test]
        fn a_directory_of_another_user_is_not_used() {
            let path = made("other", 0o755);
            // Only root can give a file to another user. For other users, the directories of root serve the test.
            let theirs = match std::os::unix::fs::chown(&path, Some(65_533), None) {
                Ok(()) => path.clone(),
                Err(_) => PathBuf::from("/usr"),
            };
            assert_eq!(private(&theirs).unwrap_err().kind(), ErrorKind::PermissionDenied);
            let shared = made("inner", 0o777);
            let inner = private(&shared).unwrap();
            if std::os::unix::fs::chown(&inner, Some(65_533), None).is_ok() {
                assert!(private(&shared).unwrap_err().to_string().contains("belongs to user 65533"));
            }
        }
    }
}
