//! What the bytes of a file are, as far as their beginning tells.

use super::{LoadError, NotAComponent};

/// The first bytes of a component: `\0asm`, the version of components, the layer of components.
const COMPONENT: [u8; 8] = [0, b'a', b's', b'm', 0x0d, 0, 1, 0];
/// The first bytes of a core module: `\0asm`, version 1, the layer of modules.
const MODULE: [u8; 8] = [0, b'a', b's', b'm', 1, 0, 0, 0];

/// Refuses a file that cannot be a component, with a better reason than a parser would give.
pub(super) fn check(bytes: &[u8], limit: usize) -> Result<(), LoadError> {
    if bytes.starts_with(&COMPONENT) {
        let bytes = bytes.len();
        return if bytes > limit { Err(LoadError::TooLarge { bytes, limit }) } else { Ok(()) };
    }
    Err(LoadError::NotAComponent(if bytes.is_empty() {
        NotAComponent::Empty
    } else if bytes.starts_with(&MODULE) {
        NotAComponent::CoreModule
    } else if std::str::from_utf8(bytes).is_ok_and(is_readable) {
        NotAComponent::Text
    } else {
        NotAComponent::Other
    }))
}

fn is_readable(text: &str) -> bool {
    text.chars().all(|letter| letter.is_whitespace() || !letter.is_control())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(bytes: &[u8]) -> NotAComponent {
        match check(bytes, 100) {
            Err(LoadError::NotAComponent(kind)) => kind,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_is_no_component_is_told_apart() {
        assert_eq!(refused(b""), NotAComponent::Empty);
        assert_eq!(refused(b"\0asm\x01\0\0\0"), NotAComponent::CoreModule);
        assert_eq!(refused(b"(component)"), NotAComponent::Text);
        assert_eq!(refused("Gr\u{fc}\u{df}e".as_bytes()), NotAComponent::Text);
        assert_eq!(refused(b"\0asm"), NotAComponent::Other);
        assert_eq!(refused(b"\x7fELF\x02\x01"), NotAComponent::Other);
        assert_eq!(refused(b"\0asm\x0d\0\x02\0"), NotAComponent::Other);
    }

    #[test]
    fn a_component_may_be_as_large_as_the_limit() {
        assert_eq!(check(&COMPONENT, 8), Ok(()));
        assert_eq!(check(&COMPONENT, 7), Err(LoadError::TooLarge { bytes: 8, limit: 7 }));
    }
}
