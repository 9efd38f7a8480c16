//! The events that the policy receives: the changes since the last call, or the whole cluster.

use lictor_contract::Event;

use super::pods::PodEntry;
use super::{Mirror, ReplayPosition};

impl Mirror {
    /// Returns the changes since the last call, in an order that the policy can apply. An event names only announced objects. A replacement comes
    /// after the removal of what it replaces.
    pub fn drain_events(&mut self) -> Vec<Event> {
        self.resolve_volumes();
        self.resolve_inter_pods();
        let mut events = Vec::new();
        let resources = self.resources.drain();
        if !resources.is_empty() {
            events.push(Event::Resources(resources));
        }
        if self.clock.sent != self.clock.now {
            self.clock.sent = self.clock.now;
            events.push(Event::Clock(self.clock.now));
        }
        events.extend(self.pods.drain_removed());
        events.extend(self.objects.drain_removed().into_iter().map(Event::ObjectRemoved));
        let nodes = self.nodes.ledger.drain_changed();
        events.extend(nodes.into_iter().filter_map(|id| self.node(id).cloned()).map(Event::NodeUpserted));
        events.extend(self.shared.shapes.drain().into_iter().map(Event::Eligibility));
        events.extend(self.inter_pods.drain());
        events.extend(self.objects.drain_changed().into_iter().map(Event::ObjectUpserted));
        events.extend(self.pods.drain_changed());
        events.extend(self.nodes.ledger.drain_removed().into_iter().map(Event::NodeRemoved));
        let pods = &self.pods;
        self.shared.shapes.sweep(|| pods.from(0).map(|entry| entry.record.shape).collect());
        self.resources.sweep(|| pods.from(0).flat_map(PodEntry::resources).collect());
        self.sweep_inter_pods();
        events
    }

    /// Returns the whole cluster as events, for an instance without any state. The ids are the same.
    ///
    /// The events include changes that have not been drained. Drain these changes before, and give the new instance only later ones.
    pub fn replay(&self) -> Vec<Event> {
        self.replay_chunk(&ReplayPosition::Nothing, usize::MAX).events
    }
}
