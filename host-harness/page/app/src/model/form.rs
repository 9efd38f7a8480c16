//! The inputs of the forms.

use std::collections::BTreeMap;

use crate::data::{Edit, EditableBound, FindingView, NewJob};

/// A new job as it is entered: each field is a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JobForm {
    /// Its name.
    pub name: String,
    /// Its namespace.
    pub namespace: String,
    /// The number of its pods.
    pub pods: String,
    /// The number of them that start together; empty for pods that start one by one.
    pub min: String,
    /// The requests of each pod: `cpu 4, memory 16Gi`.
    pub requests: String,
    /// Its queue or quota. Empty: the job has none.
    pub queue: String,
    /// Its priority; empty for 0.
    pub priority: String,
}

impl JobForm {
    /// Reads the job.
    ///
    /// # Errors
    /// A field is no number, or no list of amounts.
    pub fn read(&self) -> Result<Edit, FindingView> {
        Ok(Edit::Job(NewJob {
            name: self.name.trim().to_owned(),
            namespace: self.namespace.trim().to_owned(),
            pods: number("the number of pods", &self.pods)?,
            min: number("the minimum", or_zero(&self.min))?,
            requests: requests(&self.requests)?,
            queue: self.queue.trim().to_owned(),
            priority: number("the priority", or_zero(&self.priority))?,
        }))
    }
}

fn or_zero(text: &str) -> &str {
    if text.trim().is_empty() { "0" } else { text }
}

/// Reads a whole number; `what` is its name in the message.
///
/// # Errors
/// The text is no whole number, or the number is too large or too small.
pub fn number<N: std::str::FromStr>(what: &str, text: &str) -> Result<N, FindingView> {
    let wrong = |_| mistake(format!("{what} is no whole number: `{}`", text.trim()), "write digits only, such as 4");
    text.trim().parse().map_err(wrong)
}

fn mistake(message: String, remedy: &str) -> FindingView {
    FindingView { remedy: Some(remedy.to_owned()), ..FindingView::error(message) }
}

/// Reads amounts by resource: `cpu 4, memory 16Gi`; `=` or `:` may stand in between.
fn requests(text: &str) -> Result<BTreeMap<String, String>, FindingView> {
    let entries = text.split([',', '\n']).map(str::trim).filter(|entry| !entry.is_empty());
    let read = |entry: &str| {
        let mut words = entry.split(['=', ':', ' ']).filter(|word| !word.is_empty());
        match (words.next(), words.next(), words.next()) {
            (Some(resource), Some(amount), None) => Ok((resource.to_owned(), amount.to_owned())),
            _ => Err(mistake(format!("`{entry}` is no amount of a resource"), "write `cpu 4, memory 16Gi`")),
        }
    };
    entries.map(read).collect()
}

/// Returns the bounds as they are offered: quota, bound, resource, and its amount.
pub fn choices(bounds: &[EditableBound]) -> Vec<[String; 4]> {
    let of = |it: &EditableBound| {
        let (queue, bound) = (it.queue.clone(), it.bound.clone());
        let amounts = it.amounts.clone().into_iter();
        amounts.map(move |(resource, amount)| [queue.clone(), bound.clone(), resource, amount]).collect::<Vec<_>>()
    };
    bounds.iter().flat_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_is_read_from_its_fields() {
        let form = JobForm {
            name: " train ".to_owned(),
            namespace: "nlp".to_owned(),
            pods: "4".to_owned(),
            min: " ".to_owned(),
            requests: "cpu 4, memory=16Gi\nnvidia.com/gpu: 8,".to_owned(),
            queue: "nlp".to_owned(),
            priority: "-5".to_owned(),
        };
        let Ok(Edit::Job(job)) = form.read() else { panic!("{:?}", form.read()) };
        assert_eq!((job.name.as_str(), job.pods, job.min, job.priority), ("train", 4, 0, -5));
        let requests: Vec<(&str, &str)> = job.requests.iter().map(|(name, it)| (name.as_str(), it.as_str())).collect();
        assert_eq!(requests, [("cpu", "4"), ("memory", "16Gi"), ("nvidia.com/gpu", "8")]);
        let wrong = |form: JobForm| form.read().unwrap_err().message;
        assert_eq!(
            wrong(JobForm { pods: "four".to_owned(), ..form.clone() }),
            "the number of pods is no whole number: `four`"
        );
        assert_eq!(wrong(JobForm { min: "-1".to_owned(), ..form.clone() }), "the minimum is no whole number: `-1`");
        let cpu = JobForm { requests: "cpu".to_owned(), ..form };
        assert_eq!(wrong(cpu), "`cpu` is no amount of a resource");
    }

    #[test]
    fn every_amount_of_a_bound_is_a_choice() {
        let amounts = |pairs: &[(&str, &str)]| pairs.iter().map(|(name, it)| ((*name).into(), (*it).into())).collect();
        let bounds = [
            EditableBound {
                queue: "q".into(),
                bound: "min".into(),
                amounts: amounts(&[("cpu", "4"), ("memory", "1Gi")]),
            },
            EditableBound { queue: "q".into(), bound: "max".into(), amounts: amounts(&[]) },
        ];
        let choices = choices(&bounds);
        assert_eq!(choices, [["q", "min", "cpu", "4"], ["q", "min", "memory", "1Gi"]].map(|it| it.map(String::from)));
    }
}
