//! Where in a source something is that debug information knows.
//!
//! A preprocessed source says by line markers which lines of which files its own come from, and debug information names
//! those. Witnesses name lines of the preprocessed file.

use std::collections::HashMap;

/// The lines of a source.
pub struct SourceText {
    lines: Vec<String>,
    /// For lines after markers: which line of the source is the last that comes from a line of a file.
    marked: HashMap<(String, u32), u32>,
}

impl SourceText {
    /// Of the text of a source.
    pub fn new(text: &str) -> Self {
        let lines: Vec<String> = text.lines().map(str::to_string).collect();
        let mut marked = HashMap::new();
        let mut place: Option<(String, u32)> = None;
        for (number, line) in (1..).zip(&lines) {
            if let Some(marker) = marker(line) {
                place = Some(marker);
                continue;
            }
            if let Some((file, at)) = &mut place {
                marked.insert((file.clone(), *at), number);
                *at += 1;
            }
        }
        SourceText { lines, marked }
    }

    /// The line of the source that a line of a file is, where `own` says that the file is the source itself.
    pub fn line(&self, file: &str, line: u32, own: bool) -> Option<u32> {
        if let Some(found) = self.marked.get(&(file.to_string(), line)) {
            return Some(*found);
        }
        // The compiler puts the folder in front that it ran in.
        let ends = |name: &str| {
            !name.is_empty() && file.ends_with(&format!("/{}", name.trim_start_matches("./")))
        };
        let found = self
            .marked
            .iter()
            .find(|((name, at), _)| *at == line && ends(name));
        match found {
            Some((_, number)) => Some(*number),
            None => {
                (own && self.marked.is_empty() && (1..=self.lines.len() as u32).contains(&line))
                    .then_some(line)
            }
        }
    }

    /// Where the parenthesis is that closes the call of a function whose name begins with something, at a place or after it
    /// on its line: line and column, from 1.
    pub fn end_of_call(&self, line: u32, column: u32, name: &str) -> Option<(u32, u32)> {
        let first = self.lines.get(line.checked_sub(1)? as usize)?;
        let from = first
            .char_indices()
            .nth(column.saturating_sub(1) as usize)?
            .0;
        let at = from + first.get(from..)?.find(name)?;
        let mut depth = 0;
        for (number, text) in (line..).zip(&self.lines[line as usize - 1..]).take(20) {
            let skipped = if number == line { at } else { 0 };
            for (offset, c) in text.char_indices().filter(|(offset, _)| *offset >= skipped) {
                match c {
                    '(' => depth += 1,
                    ')' if depth == 1 => {
                        let column = text[..offset].chars().count() as u32 + 1;
                        return Some((number, column));
                    }
                    ')' => depth -= 1,
                    ';' if depth == 0 => return None,
                    _ => {}
                }
            }
        }
        None
    }

    /// Where the statement begins that a place is in, as far as its line shows: the first character of the line that is no space.
    pub fn begin_of_line(&self, line: u32) -> Option<u32> {
        let text = self.lines.get(line.checked_sub(1)? as usize)?;
        let at = text.chars().position(|c| !c.is_whitespace())?;
        Some(at as u32 + 1)
    }
}

/// What a line marker (`# 12 "file.c" 2`) says.
fn marker(line: &str) -> Option<(String, u32)> {
    let rest = line.strip_prefix('#')?;
    let rest = rest.strip_prefix("line").unwrap_or(rest).trim_start();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let number = rest[..digits].parse().ok()?;
    let name = rest[digits..].trim_start().strip_prefix('"')?;
    let (name, _) = name.split_once('"')?;
    Some((name.to_string(), number))
}
