//! What programs ask of the kernel and the C library: `data/environment.txt`, read.

use super::Topic;
use std::sync::OnceLock;

/// The questions as they are written down; the head of the file says how.
const TEXT: &str = include_str!("../../data/environment.txt");

/// What every program begins with.
pub(super) const PRELUDE: &str = include_str!("../../data/environment.h");

/// A question, in one or several variants.
#[derive(Clone, Debug)]
pub struct Question {
    /// What it is about.
    pub topic: Topic,
    /// Its name.
    pub name: &'static str,
    /// The statements of a function that returns the answer; `@` stands for the variant.
    body: String,
    /// What `@` may be; a single empty text if there is no `@`.
    variants: Vec<&'static str>,
}

impl Question {
    /// How many variants there are.
    pub fn variants(&self) -> usize {
        self.variants.len()
    }

    /// The statements of one variant.
    pub fn text(&self, variant: usize) -> String {
        self.body.replace('@', self.variants[variant])
    }

    /// What reports call one variant.
    pub fn title(&self, variant: usize) -> String {
        let topic = self.topic.name();
        match self.variants[variant] {
            "" => format!("{topic}: {}", self.name),
            text => format!("{topic}: {} {text}", self.name),
        }
    }
}

/// All questions, in the order of the file.
///
/// # Panics
/// If the file is not as its head says.
pub fn questions() -> &'static [Question] {
    static ALL: OnceLock<Vec<Question>> = OnceLock::new();
    ALL.get_or_init(|| {
        let sections = TEXT.split("\n\n").map(str::trim_end);
        let sections = sections.filter(|s| !s.is_empty() && !s.starts_with('#'));
        sections.map(read).collect()
    })
}

fn read(section: &'static str) -> Question {
    let mut lines = section.trim_start_matches('\n').lines();
    let head = lines.next().unwrap_or_default();
    let parts = head.strip_prefix('[').and_then(|h| h.split_once("] "));
    let (topic, name) = parts.unwrap_or_else(|| panic!("expected \"[topic] name\": {head}"));
    let topic = Topic::of_name(topic).unwrap_or_else(|| panic!("no topic is called {topic}"));
    let mut variants = Vec::new();
    let mut body = String::new();
    for line in lines {
        match line.strip_prefix("| ") {
            Some(variant) => variants.push(variant),
            None => {
                body.push_str(line);
                body.push('\n');
            }
        }
    }
    assert_eq!(
        body.contains('@'),
        !variants.is_empty(),
        "{name}: @ goes with variants"
    );
    if variants.is_empty() {
        variants.push("");
    }
    Question {
        topic,
        name,
        body,
        variants,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_question_has_a_title_of_its_own_and_every_topic_has_questions() {
        let (mut titles, mut topics) = (BTreeSet::new(), BTreeSet::new());
        for question in questions() {
            topics.insert(question.topic);
            for variant in 0..question.variants() {
                let title = question.title(variant);
                assert!(titles.insert(title.clone()), "{title} is there twice");
                assert!(!question.text(variant).contains('@'), "{title}");
            }
        }
        assert_eq!(topics.len(), Topic::ALL.len());
    }
}
