//! The functions and types of a file with their comments, in the form that rustfmt writes.

/// A kind of definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Item {
    Function,
    /// A structure, an enumeration or a trait.
    Type,
}

/// A definition.
#[derive(Debug)]
pub(crate) struct Definition<'a> {
    pub(crate) item: Item,
    pub(crate) name: &'a str,
    /// The first line of its comment; empty: it has none.
    pub(crate) comment: &'a str,
    /// The line on which the name stands, from 1.
    pub(crate) line: usize,
}

/// The words that may stand before the word that says what is defined.
const BEFORE: [&str; 5] = ["pub", "const", "async", "unsafe", "extern"];

/// Returns what a line defines, and its name. `None`: the line defines neither a function nor a type.
pub(crate) fn defined(line: &str) -> Option<(Item, &str)> {
    let is_before = |word: &&str| BEFORE.iter().any(|known| word.starts_with(known)) || word.starts_with('"');
    let mut words = line.split_whitespace().skip_while(is_before);
    let item = match words.next()? {
        "fn" => Item::Function,
        "struct" | "enum" | "trait" => Item::Type,
        _ => return None,
    };
    let name = words.next()?.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next()?;
    // A macro defines what its caller names.
    (!name.is_empty()).then_some((item, name))
}

/// Returns the definitions of a text, in its order. Attributes may stand between a definition and its comment.
pub(crate) fn definitions(text: &str) -> Vec<Definition<'_>> {
    let (mut found, mut comment) = (Vec::new(), "");
    for (line, text) in (1..).zip(text.lines().map(str::trim)) {
        match (text.strip_prefix("///"), defined(text)) {
            (Some(first), _) if comment.is_empty() => comment = first.trim(),
            (Some(_), _) => {}
            (None, Some((item, name))) => {
                found.push(Definition { item, name, comment: std::mem::take(&mut comment), line })
            }
            (None, None) if text.starts_with("#[") || text.starts_with("#![") => {}
            (None, None) => comment = "",
        }
    }
    found
}
