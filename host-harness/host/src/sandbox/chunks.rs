//! Many events in parts that a policy takes in one call, so that its deadline holds for each.

use lictor_contract::Event;

/// The maximum events of one call.
const EVENTS: usize = 4096;

/// The approximate maximum bytes of one call. A single event may be larger.
const BYTES: usize = 8 << 20;

/// Splits events into parts, in their order. There is always one part, so that an empty list is sent as well.
pub(super) fn chunks(events: Vec<Event>) -> impl Iterator<Item = Vec<Event>> {
    let mut events = events.into_iter().peekable();
    let mut first = true;
    std::iter::from_fn(move || {
        let mut chunk = Vec::with_capacity(events.len().min(EVENTS));
        let mut bytes = 0_usize;
        while let Some(event) = events.next_if(|event| {
            bytes = bytes.saturating_add(weight(event));
            chunk.is_empty() || (chunk.len() < EVENTS && bytes <= BYTES)
        }) {
            chunk.push(event);
        }
        let wanted = first || !chunk.is_empty();
        first = false;
        wanted.then_some(chunk)
    })
}

/// Returns the approximate bytes of an event in the guest.
fn weight(event: &Event) -> usize {
    let large = match event {
        Event::ObjectUpserted(object) => object.json.len(),
        Event::Eligibility(eligibility) => eligibility.nodes.len().saturating_mul(8),
        _ => 0,
    };
    large.saturating_add(500)
}

#[cfg(test)]
mod tests {
    use lictor_contract::Object;

    use super::*;

    fn sizes(events: Vec<Event>) -> Vec<usize> {
        chunks(events).map(|chunk| chunk.len()).collect()
    }

    fn object(bytes: usize) -> Event {
        let empty = String::new;
        let json = "x".repeat(bytes);
        Event::ObjectUpserted(Object { group: empty(), kind: empty(), namespace: empty(), name: empty(), json })
    }

    #[test]
    fn no_events_are_one_part() {
        assert_eq!(sizes(Vec::new()), [0]);
    }

    #[test]
    fn a_part_has_at_most_4096_events_in_order() {
        assert_eq!(sizes(vec![Event::Clock(0); 4096]), [4096]);
        assert_eq!(sizes(vec![Event::Clock(0); 9000]), [4096, 4096, 808]);
        let numbered: Vec<Event> = (0..5000).map(Event::Clock).collect();
        assert_eq!(chunks(numbered.clone()).flatten().collect::<Vec<_>>(), numbered);
    }

    #[test]
    fn large_objects_are_spread_over_parts() {
        let three = 3 << 20;
        assert_eq!(sizes(vec![object(three), object(three), object(three), object(1)]), [2, 2]);
        assert_eq!(sizes(vec![object(9 << 20), object(9 << 20), Event::Clock(0)]), [1, 1, 1]);
    }
}
