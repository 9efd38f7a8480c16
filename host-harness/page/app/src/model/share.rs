//! The message after something was put into the address of the page.

use crate::data::ShareResult;

/// The number of letters beyond which some programs cut an address.
const LONG: usize = 8_000;

/// Returns the result in words.
pub fn sentence(shared: &ShareResult) -> String {
    let copied = match shared.copied {
        true => "and is copied",
        false => "but could not be copied: copy it from the line of the browser",
    };
    match shared.letters {
        letters if letters > LONG => {
            format!("the address has all of it, {copied}; it has {letters} letters, and some programs cut it")
        }
        _ => format!("the address has all of it, {copied}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_said_whether_the_address_was_copied_and_that_it_is_long() {
        let said = |letters, copied| sentence(&ShareResult { letters, copied });
        assert_eq!(said(LONG, true), "the address has all of it, and is copied");
        assert_eq!(
            said(LONG, false),
            "the address has all of it, but could not be copied: copy it from the line of the browser"
        );
        assert_eq!(
            said(8_001, true),
            "the address has all of it, and is copied; it has 8001 letters, and some programs cut it"
        );
    }
}
