//! Text output: headings, paragraphs and tables that fit the terminal.

use anstyle::Style;
use comfy_table::{Attribute, Cell, ColumnConstraint, ContentArrangement, Table, presets};

use super::screen::{Screen, print};

/// The maximum width of a paragraph; longer lines are hard to read.
const READABLE: usize = 120;

/// A page of text that is written from top to bottom.
#[derive(Debug)]
pub(super) struct TextPage {
    screen: Screen,
    text: String,
}

impl TextPage {
    /// Makes an empty page.
    pub(super) fn new(screen: Screen) -> TextPage {
        TextPage { screen, text: String::new() }
    }

    /// Adds a line without changes.
    pub(super) fn line(&mut self, text: impl AsRef<str>) {
        self.text.push_str(text.as_ref());
        self.text.push('\n');
    }

    /// Adds lines that are already formatted.
    pub(super) fn text(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Returns the text so far.
    pub(super) fn into_text(self) -> String {
        self.text
    }

    /// Adds a heading, after an empty line.
    pub(super) fn heading(&mut self, text: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        for line in self.wrapped("", 2, text) {
            let strong = self.strong(&line);
            self.line(strong);
        }
    }

    /// Adds text with colours; they are removed where colours are not allowed.
    pub(super) fn styled(&mut self, text: &str) {
        if self.screen.colour {
            self.text.push_str(text);
        } else {
            self.text.push_str(&anstream::adapter::strip_str(text).to_string());
        }
    }

    /// Makes text bold where colours are allowed.
    pub(super) fn strong(&self, text: &str) -> String {
        let style = Style::new().bold();
        if self.screen.colour { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }

    /// Adds a paragraph after a lead. Further lines start at column `rest`.
    pub(super) fn paragraph(&mut self, lead: &str, rest: usize, text: &str) {
        for line in self.wrapped(lead, rest, text) {
            self.line(line);
        }
    }

    /// Adds a paragraph of lesser importance: dimmed where colours are allowed.
    pub(super) fn dimmed(&mut self, lead: &str, rest: usize, text: &str) {
        let style = if self.screen.colour { Style::new().dimmed() } else { Style::new() };
        for line in self.wrapped(lead, rest, text) {
            self.line(format!("{style}{line}{style:#}"));
        }
    }

    /// Wraps text into lines that fit.
    fn wrapped(&self, lead: &str, rest: usize, text: &str) -> Vec<String> {
        let width = self.screen.width.map_or(usize::MAX, |width| width.min(READABLE));
        let mut lines = Vec::new();
        let (mut line, mut filled, mut blank) = (lead.to_owned(), lead.chars().count(), true);
        for word in text.split_whitespace() {
            let length = word.chars().count();
            if !blank && filled.saturating_add(length) >= width {
                lines.push(std::mem::replace(&mut line, " ".repeat(rest)));
                (filled, blank) = (rest, true);
            }
            if !blank {
                line.push(' ');
                filled = filled.saturating_add(1);
            }
            line.push_str(word);
            (filled, blank) = (filled.saturating_add(length), false);
        }
        lines.push(line);
        lines
    }

    /// Adds a table.
    pub(super) fn table(&mut self, indent: usize, mut table: Table) {
        table.set_content_arrangement(ContentArrangement::Dynamic);
        if let Some(width) = self.screen.width {
            table.set_width(u16::try_from(width.saturating_sub(indent)).unwrap_or(u16::MAX));
        }
        if self.screen.colour {
            table.enforce_styling();
        } else {
            table.force_no_tty();
        }
        let margin = " ".repeat(indent);
        for line in table.lines() {
            let line = format!("{margin}{line}");
            self.line(line.trim_end());
        }
    }

    /// Writes the page to the standard output.
    pub(super) fn print(&self) -> std::io::Result<()> {
        print(&self.text)
    }
}

/// Makes a table without borders, like those of kubectl.
pub(super) fn table<const N: usize>(header: [&str; N]) -> Table {
    table_of(header.into_iter())
}

/// Makes such a table with any number of columns.
pub(super) fn table_of<'a>(header: impl Iterator<Item = &'a str>) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(header.map(|title| Cell::new(title).add_attribute(Attribute::Dim)));
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    table
}

/// Keeps the cells of a column (from 0) on one line, so that they can be copied.
pub(super) fn keep_whole(table: &mut Table, column: usize) {
    if let Some(column) = table.column_mut(column) {
        column.set_constraint(ColumnConstraint::ContentWidth);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(width: Option<usize>) -> TextPage {
        TextPage::new(Screen { width, colour: false })
    }

    #[test]
    fn paragraphs_are_as_wide_as_the_terminal_and_no_wider() {
        let mut page = page(Some(12));
        page.paragraph("- ", 4, "aaa bbb ccc a-very-long-word d");
        assert_eq!(page.text, "- aaa bbb\n    ccc\n    a-very-long-word\n    d\n");
    }

    #[test]
    fn headings_fit_too() {
        let mut page = page(Some(12));
        page.heading("aaa bbb ccc ddd");
        assert_eq!(page.text, "aaa bbb ccc\n  ddd\n");
    }

    #[test]
    fn a_pipe_has_no_width() {
        let mut page = page(None);
        let words = vec!["word"; 100].join(" ");
        page.paragraph("", 0, &words);
        assert_eq!(page.text, format!("{words}\n"));
    }

    #[test]
    fn a_column_that_is_kept_whole_is_not_broken_where_the_terminal_is_narrow() {
        let mut page = page(Some(24));
        let mut table = table(["CODE", "WHAT MUST HOLD"]);
        table.add_row(["system/law-of-it", "aa bb cc"]);
        keep_whole(&mut table, 0);
        page.table(0, table);
        assert!(page.text.contains("system/law-of-it  aa"), "{}", page.text);
    }

    #[test]
    fn tables_have_no_lines_and_no_trailing_blanks() {
        let mut page = page(Some(40));
        let mut table = table(["POD", "NODE"]);
        table.add_row(["default/a", "n1"]);
        page.table(2, table);
        assert_eq!(page.text, "  POD        NODE\n  default/a  n1\n");
    }
}
