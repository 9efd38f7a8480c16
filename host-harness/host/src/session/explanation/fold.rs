//! Sentences that differ in their numbers only, as one sentence with ranges.

use std::fmt;

use lictor_contract::quantity::{Unit, parse};

/// A sentence whose numbers may vary.
#[derive(Debug)]
pub(super) struct Pattern<'a> {
    parts: Vec<Part<'a>>,
}

#[derive(Debug)]
enum Part<'a> {
    Word(&'a str),
    /// The least and the most of a number, each as it was written.
    Number {
        least: (i64, &'a str),
        most: (i64, &'a str),
    },
}

impl<'a> Pattern<'a> {
    /// A sentence: a number stands between blanks, or before a comma or the like.
    pub(super) fn of(sentence: &'a str) -> Pattern<'a> {
        let mut parts = Vec::new();
        for (place, word) in sentence.split(' ').enumerate() {
            if place > 0 {
                parts.push(Part::Word(" "));
            }
            let bare = word.trim_end_matches([',', ';', ':', '.', ')']);
            let opened = bare.trim_start_matches('(');
            match value(opened).zip(bare.strip_suffix(opened)).zip(word.strip_prefix(bare)) {
                Some(((value, before), after)) => {
                    let number = (value, opened);
                    parts.extend([Part::Word(before), Part::Number { least: number, most: number }, Part::Word(after)]);
                }
                None => parts.push(Part::Word(word)),
            }
        }
        parts.retain(|part| !matches!(part, Part::Word("")));
        Pattern { parts }
    }

    /// What does not vary; a number is an empty word.
    pub(super) fn words(&self) -> Vec<&'a str> {
        let word = |part: &Part<'a>| match part {
            Part::Word(word) => *word,
            Part::Number { .. } => "",
        };
        self.parts.iter().map(word).collect()
    }

    /// The numbers of another sentence of the same words count, too.
    pub(super) fn widen(&mut self, other: Pattern<'a>) {
        for (mine, other) in self.parts.iter_mut().zip(other.parts) {
            if let (Part::Number { least, most }, Part::Number { least: other_least, most: other_most }) = (mine, other)
            {
                if other_least.0 < least.0 {
                    *least = other_least;
                }
                if other_most.0 > most.0 {
                    *most = other_most;
                }
            }
        }
    }
}

impl fmt::Display for Pattern<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parts.iter().try_for_each(|part| match part {
            Part::Word(word) => f.write_str(word),
            Part::Number { least, most } if least.0 == most.0 => f.write_str(least.1),
            Part::Number { least, most } => write!(f, "{} to {}", least.1, most.1),
        })
    }
}

/// A number as it is written in a sentence, in thousandths; none where it is none.
fn value(text: &str) -> Option<i64> {
    let (sign, digits) = text.strip_prefix('-').map_or((1i64, text), |digits| (-1, digits));
    let is_number = digits.starts_with(|first: char| first.is_ascii_digit());
    parse(digits, Unit::Milli).ok().filter(|_| is_number).and_then(|value| value.checked_mul(sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(sentences: &[&'static str]) -> String {
        let mut patterns = sentences.iter().map(|sentence| Pattern::of(sentence));
        let mut first = patterns.next().unwrap();
        for other in patterns {
            assert_eq!(first.words(), other.words());
            first.widen(other);
        }
        first.to_string()
    }

    #[test]
    fn a_number_that_is_the_same_everywhere_stays_and_others_become_ranges() {
        assert_eq!(folded(&["asked 8, free 4"]), "asked 8, free 4");
        assert_eq!(folded(&["asked 8, free 4", "asked 8, free 0", "asked 8, free 2"]), "asked 8, free 0 to 4");
        assert_eq!(folded(&["(at most 1Gi)", "(at most 512Mi)"]), "(at most 512Mi to 1Gi)");
        assert_eq!(folded(&["free 1500m", "free 2", "free -1"]), "free -1 to 2");
    }

    #[test]
    fn names_are_no_numbers() {
        for (one, other) in
            [("`a100-01` is full", "`a100-02` is full"), ("gpu: 1", "cpu: 1"), ("on n1", "on 1"), ("-", "1")]
        {
            assert_ne!(Pattern::of(one).words(), Pattern::of(other).words(), "{one}, {other}");
        }
        assert_eq!(folded(&["a  -  (b), 5m 3s."]), "a  -  (b), 5m 3s.");
    }
}
