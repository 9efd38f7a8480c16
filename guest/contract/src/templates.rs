//! Pods cross with the numbers of their templates. This is the side of the policy, which keeps the templates that the host sent.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Applied, Event, Finding, NumberedTemplate, PodTemplate, PolicyError, TemplateId, Unannounced};

/// The types of the contract as they cross: pods name their templates by numbers.
pub mod crossing {
    pub use crate::*;

    /// A pod.
    pub type Pod = crate::Pod<TemplateId>;

    /// An event.
    pub type Event = crate::Event<TemplateId>;
}

/// The templates that the host sent to a policy, by number.
#[derive(Debug, Default)]
pub struct Templates {
    templates: BTreeMap<TemplateId, Arc<PodTemplate>>,
    /// Findings about events that were applied before one whose template is missing: the next answer says them.
    unreported: Vec<Finding>,
}

impl Templates {
    /// Lets a policy apply events, with the templates that their pods name: those sent with this call and those of earlier calls. If a pod names an
    /// unknown template, the policy applies only the events before it.
    ///
    /// # Errors
    /// The error of the policy, or [`PolicyError::Unannounced`].
    pub fn apply(
        &mut self,
        told: Vec<NumberedTemplate>,
        events: Vec<crossing::Event>,
        apply: impl FnOnce(Vec<Event>) -> Result<Applied, PolicyError>,
    ) -> Result<Applied, PolicyError> {
        self.templates.extend(told.into_iter().map(|NumberedTemplate { id, template }| (id, Arc::new(template))));
        let mut whole = Vec::with_capacity(events.len());
        let mut missing = Ok(());
        for (event, happened) in (0..).zip(events) {
            match happened.try_map(|number| self.templates.get(&number).cloned().ok_or(number)) {
                Ok(happened) => whole.push(happened),
                Err(number) => {
                    let what = "template".to_owned();
                    missing = Err(PolicyError::Unannounced(Unannounced { event, what, number }));
                    break;
                }
            }
        }
        let Applied { findings } = apply(whole)?;
        self.unreported.extend(findings);
        missing?;
        Ok(Applied { findings: std::mem::take(&mut self.unreported) })
    }
}

impl<T> Event<T> {
    /// Converts the template of the pod of an event by a function.
    ///
    /// # Errors
    /// The error of `template`.
    pub fn try_map<U, E>(self, template: impl FnOnce(T) -> Result<U, E>) -> Result<Event<U>, E> {
        Ok(match self {
            Event::PodUpserted(pod) => Event::PodUpserted(pod.try_map(template)?),
            Event::Resources(it) => Event::Resources(it),
            Event::NodeUpserted(it) => Event::NodeUpserted(it),
            Event::NodeRemoved(it) => Event::NodeRemoved(it),
            Event::PodStatus(it) => Event::PodStatus(it),
            Event::PodRemoved(it) => Event::PodRemoved(it),
            Event::Eligibility(it) => Event::Eligibility(it),
            Event::Topology(it) => Event::Topology(it),
            Event::InterPod(it) => Event::InterPod(it),
            Event::ObjectUpserted(it) => Event::ObjectUpserted(it),
            Event::ObjectRemoved(it) => Event::ObjectRemoved(it),
            Event::Clock(it) => Event::Clock(it),
            Event::PlanAccepted(it) => Event::PlanAccepted(it),
            Event::PlanRefused(it) => Event::PlanRefused(it),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;
    use crate::Pod;

    fn template(id: TemplateId, namespace: &str) -> NumberedTemplate {
        let template = PodTemplate { namespace: namespace.to_owned(), ..PodTemplate::default() };
        NumberedTemplate { id, template }
    }

    /// Creates an event of a pod that names a template.
    fn pod(id: u32, number: TemplateId) -> crossing::Event {
        let Ok(pod) = Pod::pending(id, "", "pod").try_map(|_| Ok::<_, Infallible>(number));
        Event::PodUpserted(pod)
    }

    /// Returns the namespaces of the pods that are applied, and the answer.
    fn applied(
        templates: &mut Templates,
        told: Vec<NumberedTemplate>,
        events: Vec<crossing::Event>,
    ) -> (Vec<String>, Result<(), PolicyError>) {
        let mut namespaces = Vec::new();
        let answer = templates.apply(told, events, |events| {
            namespaces.extend(events.iter().filter_map(|event| match event {
                Event::PodUpserted(pod) => Some(pod.template.namespace.clone()),
                _ => None,
            }));
            Ok(Applied { findings: Vec::new() })
        });
        (namespaces, answer.map(drop))
    }

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn a_number_names_what_was_told_last_under_it() {
        let mut templates = Templates::default();
        let told = vec![template(0, "a"), template(7, "b")];
        let events = vec![pod(0, 7), Event::Clock(1), pod(1, 0)];
        assert_eq!(applied(&mut templates, told, events), (names(&["b", "a"]), Ok(())));
        let again = applied(&mut templates, vec![template(7, "c")], vec![pod(2, 7), pod(3, 0)]);
        assert_eq!(again, (names(&["c", "a"]), Ok(())));
    }

    #[test]
    fn what_comes_before_a_template_that_was_not_told_holds() {
        let mut templates = Templates::default();
        let answer = applied(&mut templates, vec![template(0, "a")], vec![pod(0, 0), pod(1, 9), pod(2, 0)]);
        let unannounced = Unannounced { event: 1, what: "template".to_owned(), number: 9 };
        assert_eq!(answer, (names(&["a"]), Err(PolicyError::Unannounced(unannounced))));
        assert_eq!(applied(&mut templates, Vec::new(), vec![pod(2, 0)]), (names(&["a"]), Ok(())));
    }

    #[test]
    fn findings_before_a_template_that_was_not_announced_come_with_the_next_answer() {
        let mut templates = Templates::default();
        let text = String::new;
        let (severity, object) = (crate::Severity::Warning, "Pod/a/b".to_owned());
        let finding = Finding { severity, object, path: text(), message: text(), remedy: text() };
        let one = |_| Ok(Applied { findings: vec![finding.clone()] });
        let none = |_| Ok(Applied { findings: Vec::new() });
        assert!(templates.apply(vec![template(0, "a")], vec![pod(0, 0), pod(1, 9)], one).is_err());
        let mut next = || templates.apply(Vec::new(), vec![pod(2, 0)], none).map(|applied| applied.findings);
        assert_eq!((next(), next()), (Ok(vec![finding.clone()]), Ok(Vec::new())));
    }
}
