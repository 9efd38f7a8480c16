//! The manual page of a law, in blocks.

/// A part of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Block {
    /// A heading.
    Heading(String),
    /// A paragraph.
    Text(String),
    /// A formula or another text that stands as it is written.
    Code(String),
}

/// The blocks of a page in Markdown, as far as pages of laws use it.
pub fn blocks(page: &str) -> Vec<Block> {
    let (mut blocks, mut text, mut code) = (Vec::new(), String::new(), None::<String>);
    let end = |text: &mut String, blocks: &mut Vec<Block>| {
        if !text.is_empty() {
            blocks.push(Block::Text(std::mem::take(text)));
        }
    };
    for line in page.lines() {
        if line.trim_start().starts_with("```") {
            end(&mut text, &mut blocks);
            match code.take() {
                Some(written) => blocks.push(Block::Code(written)),
                None => code = Some(String::new()),
            }
        } else if let Some(written) = &mut code {
            written.push_str(line);
            written.push('\n');
        } else if let Some(heading) = line.strip_prefix('#') {
            end(&mut text, &mut blocks);
            blocks.push(Block::Heading(heading.trim_start_matches('#').trim().to_owned()));
        } else if line.trim().is_empty() {
            end(&mut text, &mut blocks);
        } else {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(line.trim());
        }
    }
    end(&mut text, &mut blocks);
    blocks.extend(code.map(Block::Code));
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_headings_paragraphs_and_formulas() {
        let page = "# What it demands\n\nA sum\nis less.\n```text\na + b\n  < c\n```\n## Why\nBecause.";
        let heading = |text: &str| Block::Heading(text.to_owned());
        let text = |text: &str| Block::Text(text.to_owned());
        let code = Block::Code("a + b\n  < c\n".to_owned());
        let expected = [heading("What it demands"), text("A sum is less."), code, heading("Why"), text("Because.")];
        assert_eq!(blocks(page), expected);
    }
}
