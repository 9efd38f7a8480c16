//! The numbers of pod templates, on the side of the host: an instance receives each template once, and its pods with the number of the template.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::{Arc, Weak};

use lictor_contract::{Event, NumberedTemplate, PodTemplate, TemplateId, crossing};

use crate::sweep::SweepThreshold;

/// The templates that an instance has received, and their numbers.
#[derive(Debug, Default)]
pub struct TemplateNumbers {
    /// The numbers by the address of the template. The weak reference keeps the address in use, so that no other template gets it, but does not keep
    /// the template alive.
    numbers: BTreeMap<usize, (TemplateId, Weak<PodTemplate>)>,
    /// The free numbers, whose template no pod has any more, the lowest last.
    free: Vec<TemplateId>,
    sweep: SweepThreshold,
}

impl TemplateNumbers {
    /// Replaces the templates in events by their numbers. Returns the templates that the instance must receive first, and the events.
    pub fn number(&mut self, events: Vec<Event>) -> (Vec<NumberedTemplate>, Vec<crossing::Event>) {
        let mut new = Vec::new();
        let numbered = |event: Event| {
            let Ok(event) = event.try_map(|template| Ok::<_, Infallible>(self.number_of(template, &mut new)));
            event
        };
        let events = events.into_iter().map(numbered).collect();
        self.forget_unused();
        (new, events)
    }

    fn number_of(&mut self, template: Arc<PodTemplate>, new: &mut Vec<NumberedTemplate>) -> TemplateId {
        let place = Arc::as_ptr(&template).addr();
        if let Some((number, _)) = self.numbers.get(&place) {
            return *number;
        }
        let next = self.numbers.len();
        let id = self.free.pop().unwrap_or_else(|| TemplateId::try_from(next).unwrap_or(TemplateId::MAX));
        new.push(NumberedTemplate { id, template: PodTemplate::clone(&template) });
        self.numbers.insert(place, (id, Arc::downgrade(&template)));
        id
    }

    /// Forgets templates that no pod of the host has any more. This happens only between two calls, because within a call a number names one
    /// template.
    fn forget_unused(&mut self) {
        if !self.sweep.is_due(self.numbers.len()) {
            return;
        }
        let free = &mut self.free;
        self.numbers.retain(|_, (number, template)| {
            let is_alive = template.strong_count() > 0;
            if !is_alive {
                free.push(*number);
            }
            is_alive
        });
        self.free.sort_unstable_by(|a, b| b.cmp(a));
        self.sweep.done(self.numbers.len());
    }
}

#[cfg(test)]
mod tests {
    use lictor_contract::Pod;

    use super::*;
    use crate::sweep::UNUSED_TOLERANCE;

    /// Returns the numbers of the templates of these pods, and the numbers of the templates that are sent. The pods are dropped.
    fn numbered(numbers: &mut TemplateNumbers, pods: Vec<Pod>) -> (Vec<TemplateId>, Vec<TemplateId>) {
        let (told, events) = numbers.number(pods.into_iter().map(Event::PodUpserted).collect());
        let named = |event| match event {
            Event::PodUpserted(pod) => Some(pod.template),
            _ => None,
        };
        (events.into_iter().filter_map(named).collect(), told.into_iter().map(|told| told.id).collect())
    }

    fn pods(count: u32) -> Vec<Pod> {
        (0..count).map(|id| Pod::pending(id, &format!("namespace-{id}"), "pod")).collect()
    }

    #[test]
    fn a_template_is_told_once() {
        let mut numbers = TemplateNumbers::default();
        let [first, second] = &pods(2)[..] else { panic!("two pods") };
        let third = Pod { id: 2, ..first.clone() };
        let all = vec![first.clone(), second.clone(), third.clone()];
        assert_eq!(numbered(&mut numbers, all), (vec![0, 1, 0], vec![0, 1]));
        assert_eq!(numbered(&mut numbers, vec![third]), (vec![0], vec![]));
        // The template is equal, but another object in memory. It is sent again, which is harmless.
        assert_eq!(numbered(&mut numbers, pods(1)), (vec![2], vec![2]));
    }

    #[test]
    fn a_number_is_given_again_once_no_pod_has_its_template() {
        let mut numbers = TemplateNumbers::default();
        let kept = pods(1);
        assert_eq!(numbered(&mut numbers, kept.clone()).0, [0]);
        let many = u32::try_from(UNUSED_TOLERANCE).unwrap();
        assert_eq!(numbered(&mut numbers, pods(many)).0, (1..=many).collect::<Vec<_>>());
        // The templates were forgotten at the end of that call, except the one that is still in use.
        assert_eq!(numbered(&mut numbers, pods(2)), (vec![1, 2], vec![1, 2]));
        assert_eq!(numbered(&mut numbers, kept), (vec![0], vec![]));
    }

    #[test]
    fn a_template_is_not_kept_alive_by_its_number() {
        let mut numbers = TemplateNumbers::default();
        let pod = pods(1);
        numbered(&mut numbers, pod.clone());
        // The shared store drops a template that nothing else uses.
        assert_eq!(pod.iter().map(|pod| Arc::strong_count(&pod.template)).collect::<Vec<_>>(), [1]);
    }
}
