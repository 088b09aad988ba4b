//! Tables as text. Numbers stand right, texts in the middle; a heading is two wider than its word, as
//! in the tables that scripts written for klee-stats expect.

use super::columns::{Column, ColumnValue};

/// How a table is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// As klee-stats does
    Klee,
    /// Comma-separated values
    Csv,
    /// Comma-separated values, aligned
    ReadableCsv,
    /// Columns without lines
    Plain,
    /// Columns with a line below the headings
    Simple,
    /// Lines everywhere
    Grid,
    /// As the client of PostgreSQL does
    Psql,
    /// For Emacs's org-mode
    Orgtbl,
    /// For reStructuredText
    Rst,
    /// For Markdown
    Github,
}

impl Format {
    /// Whether the last line sums up: not for programs that read the table.
    pub fn has_total(self) -> bool {
        !matches!(self, Format::Csv | Format::ReadableCsv)
    }

    fn style(self) -> Style {
        let dashes = |begin, separator, end| Some(Line(begin, '-', separator, end));
        match self {
            Format::Klee => {
                let line = dashes("-", "-", "-");
                Style {
                    above: line,
                    below_header: line,
                    above_total: line,
                    below: line,
                    row: ("|", "|", "|"),
                    padding: 0,
                    ..Style::BARE
                }
            }
            Format::Csv => Style {
                row: ("", ",", ""),
                padding: 0,
                aligned: false,
                ..Style::BARE
            },
            Format::ReadableCsv => Style {
                row: ("", ",", ""),
                padding: 0,
                texts_left: true,
                ..Style::BARE
            },
            Format::Plain => Style::BARE,
            Format::Simple => Style {
                below_header: dashes("", "  ", ""),
                ..Style::BARE
            },
            Format::Grid => {
                let line = dashes("+", "+", "+");
                Style {
                    above: line,
                    below_header: Some(Line("+", '=', "+", "+")),
                    between: line,
                    below: line,
                    row: ("|", "|", "|"),
                    padding: 1,
                    ..Style::BARE
                }
            }
            Format::Psql => Style {
                above: dashes("+", "+", "+"),
                below_header: dashes("|", "+", "|"),
                below: dashes("+", "+", "+"),
                row: ("|", "|", "|"),
                padding: 1,
                ..Style::BARE
            },
            Format::Orgtbl => Style {
                below_header: dashes("|", "+", "|"),
                row: ("|", "|", "|"),
                padding: 1,
                ..Style::BARE
            },
            Format::Rst => {
                let line = Some(Line("", '=', "  ", ""));
                Style {
                    above: line,
                    below_header: line,
                    below: line,
                    ..Style::BARE
                }
            }
            Format::Github => Style {
                below_header: dashes("|", "|", "|"),
                row: ("|", "|", "|"),
                padding: 1,
                ..Style::BARE
            },
        }
    }
}

/// A line between rows: how it begins, what fills a column, what stands between columns, how it ends.
#[derive(Clone, Copy)]
struct Line(&'static str, char, &'static str, &'static str);

struct Style {
    above: Option<Line>,
    below_header: Option<Line>,
    between: Option<Line>,
    above_total: Option<Line>,
    below: Option<Line>,
    /// What begins, separates and ends the cells of a row.
    row: (&'static str, &'static str, &'static str),
    /// Spaces on both sides of a cell.
    padding: usize,
    aligned: bool,
    texts_left: bool,
}

impl Style {
    const BARE: Style = Style {
        above: None,
        below_header: None,
        between: None,
        above_total: None,
        below: None,
        row: ("", "  ", ""),
        padding: 0,
        aligned: true,
        texts_left: false,
    };
}

/// A table.
pub struct TextTable<'a> {
    /// The columns.
    pub columns: &'a [Column],
    /// The rows.
    pub rows: Vec<Vec<ColumnValue>>,
    /// Whether the last row sums up the others.
    pub has_total: bool,
}

impl TextTable<'_> {
    /// The text, with a newline at its end.
    pub fn to_text(&self, format: Format) -> String {
        let style = format.style();
        let comma = matches!(format, Format::Csv | Format::ReadableCsv);
        let quote = |text: String| if comma { csv(&text) } else { text };
        let titles: Vec<String> = self
            .columns
            .iter()
            .map(|c| quote(c.title().into()))
            .collect();
        let rows: Vec<Vec<String>> = {
            let decimals: Vec<bool> = (0..titles.len()).map(|i| self.has_decimals(i)).collect();
            let cells = |row: &Vec<ColumnValue>| {
                let shown = row.iter().zip(&decimals);
                shown.map(|(v, d)| quote(show(v, *d))).collect()
            };
            self.rows.iter().map(cells).collect()
        };
        let numeric: Vec<bool> = (0..titles.len()).map(|i| self.is_numeric(i)).collect();
        let widths: Vec<usize> = (0..titles.len())
            .map(|i| {
                let cells = rows.iter().map(|r| r[i].chars().count());
                cells
                    .chain([titles[i].chars().count() + 2])
                    .max()
                    .unwrap_or(0)
            })
            .collect();

        let line = |Line(begin, fill, separator, end): Line| {
            let part = |w: &usize| fill.to_string().repeat(w + 2 * style.padding);
            let parts: Vec<String> = widths.iter().map(part).collect();
            format!("{begin}{}{end}\n", parts.join(separator))
        };
        let row = |cells: &[String]| {
            let cell = |(i, text): (usize, &String)| {
                let aligned = match (style.aligned, numeric[i], style.texts_left) {
                    (false, _, _) => text.clone(),
                    (true, true, _) => format!("{text:>0$}", widths[i]),
                    (true, false, true) => format!("{text:<0$}", widths[i]),
                    (true, false, false) => format!("{text:^0$}", widths[i]),
                };
                let space = " ".repeat(style.padding);
                format!("{space}{aligned}{space}")
            };
            let cells: Vec<String> = cells.iter().enumerate().map(cell).collect();
            let (begin, separator, end) = style.row;
            let text = format!("{begin}{}{end}", cells.join(separator));
            format!(
                "{}\n",
                if end.is_empty() && !comma {
                    text.trim_end()
                } else {
                    &text
                }
            )
        };

        let mut text = style.above.map(line).unwrap_or_default();
        text += &row(&titles);
        text += &style.below_header.map(line).unwrap_or_default();
        for (i, cells) in rows.iter().enumerate() {
            let is_total = self.has_total && i + 1 == rows.len();
            if i > 0 {
                text += &style.between.map(line).unwrap_or_default();
            }
            if is_total {
                text += &style.above_total.map(line).unwrap_or_default();
            }
            text += &row(cells);
        }
        text + &style.below.map(line).unwrap_or_default()
    }

    /// Whether a column is one of numbers; one without any value is.
    fn is_numeric(&self, column: usize) -> bool {
        let text = |r: &Vec<ColumnValue>| matches!(r[column], ColumnValue::Text(_));
        !self.rows.iter().any(text)
    }

    /// Whether all numbers of a column are shown with decimals, because one has some.
    fn has_decimals(&self, column: usize) -> bool {
        let number = |r: &Vec<ColumnValue>| matches!(r[column], ColumnValue::Number(_));
        self.rows.iter().any(number)
    }
}

fn show(value: &ColumnValue, decimals: bool) -> String {
    match value {
        ColumnValue::Blank => String::new(),
        ColumnValue::Count(count) if decimals => format!("{:.2}", *count as f64),
        ColumnValue::Count(count) => count.to_string(),
        ColumnValue::Number(number) => format!("{number:.2}"),
        ColumnValue::Text(text) => text.clone(),
    }
}

/// A value for a file of comma-separated values: in quotes if it would be misread without.
pub fn csv(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_string()
    }
}
