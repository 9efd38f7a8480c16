//! The manual page of a law, in blocks.

/// A part of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ManualBlock {
    /// A heading.
    Heading(String),
    /// A paragraph.
    Text(String),
    /// A formula or another text that is shown as it is written.
    Code(String),
}

/// Splits a page into blocks. Only the Markdown that pages of laws use is understood.
pub fn blocks(page: &str) -> Vec<ManualBlock> {
    let (mut blocks, mut text, mut code) = (Vec::new(), String::new(), None::<String>);
    let end = |text: &mut String, blocks: &mut Vec<ManualBlock>| {
        if !text.is_empty() {
            blocks.push(ManualBlock::Text(std::mem::take(text)));
        }
    };
    for line in page.lines() {
        if line.trim_start().starts_with("```") {
            end(&mut text, &mut blocks);
            match code.take() {
                Some(written) => blocks.push(ManualBlock::Code(written)),
                None => code = Some(String::new()),
            }
        } else if let Some(written) = &mut code {
            written.push_str(line);
            written.push('\n');
        } else if let Some(heading) = line.strip_prefix('#') {
            end(&mut text, &mut blocks);
            blocks.push(ManualBlock::Heading(heading.trim_start_matches('#').trim().to_owned()));
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
    blocks.extend(code.map(ManualBlock::Code));
    blocks
}

/// A part of a paragraph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextSpan {
    /// Words.
    Text(String),
    /// A text between backticks.
    Code(String),
    /// An address between angle brackets.
    Link(String),
}

/// Splits a paragraph into spans. Only the Markdown that pages of laws use is understood.
pub fn spans(paragraph: &str) -> Vec<TextSpan> {
    let (mut spans, mut text, mut rest) = (Vec::new(), String::new(), paragraph);
    while let Some((at, mark)) = rest.char_indices().find(|(_, mark)| matches!(mark, '`' | '<')) {
        let (before, from) = rest.split_at(at);
        let end = if mark == '`' { '`' } else { '>' };
        let inner = from.strip_prefix(mark).and_then(|from| from.split_once(end));
        text.push_str(before);
        match inner {
            Some((code, after)) if mark == '`' => {
                spans.extend([TextSpan::Text(std::mem::take(&mut text)), TextSpan::Code(code.to_owned())]);
                rest = after;
            }
            Some((address, after)) if address.starts_with("https://") => {
                spans.extend([TextSpan::Text(std::mem::take(&mut text)), TextSpan::Link(address.to_owned())]);
                rest = after;
            }
            // A mark without its end is shown as it is.
            _ => {
                text.push(mark);
                rest = from.strip_prefix(mark).unwrap_or_default();
            }
        }
    }
    text.push_str(rest);
    spans.push(TextSpan::Text(text));
    spans.retain(|span| *span != TextSpan::Text(String::new()));
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_headings_paragraphs_and_formulas() {
        let page = "# What it demands\n\nA sum\nis less.\n```text\na + b\n  < c\n```\n## Why\nBecause.";
        let heading = |text: &str| ManualBlock::Heading(text.to_owned());
        let text = |text: &str| ManualBlock::Text(text.to_owned());
        let code = ManualBlock::Code("a + b\n  < c\n".to_owned());
        let expected = [heading("What it demands"), text("A sum is less."), code, heading("Why"), text("Because.")];
        assert_eq!(blocks(page), expected);
    }

    #[test]
    fn a_paragraph_has_words_code_and_links() {
        let (text, code) = (|it: &str| TextSpan::Text(it.to_owned()), |it: &str| TextSpan::Code(it.to_owned()));
        let link = TextSpan::Link("https://a.b/c#L1".to_owned());
        assert_eq!(
            spans("`used < max` holds. See <https://a.b/c#L1>, where 1 < 2."),
            [code("used < max"), text(" holds. See "), link, text(", where 1 < 2.")]
        );
        assert_eq!(spans("one ` alone, and a < b > c"), [text("one ` alone, and a < b > c")]);
        assert!(spans("").is_empty());
    }
}
