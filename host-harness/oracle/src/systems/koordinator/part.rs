//! A part of what is placed together: one job of a gang group.

use super::books::{Books, books};
use super::switches::Switches;
use super::waiting;
use crate::ReadError;
use crate::amounts::Amounts;
use crate::world::{Pod, World};

/// A job that is to be placed, alone or with the other gangs of its group.
pub(super) struct Part<'w> {
    /// The pod that asks, or the first one of the queue.
    pub(super) lead: &'w Pod,
    pub(super) stays: bool,
    pub(super) total: Amounts,
    pub(super) books: Vec<Books>,
}

impl<'w> Part<'w> {
    /// Returns a job with pods that wait; none where no pod of it waits.
    pub(super) fn of(
        world: &'w World,
        switches: Switches,
        lead: Option<&'w Pod>,
        of: &str,
        planned: &[String],
    ) -> Result<Option<Part<'w>>, ReadError> {
        let pods = waiting(world, of);
        let first = pods.iter().copied().min_by_key(|pod| (-pod.priority, pod.entered, pod.created, &pod.name));
        let Some(lead) = lead.or(first) else { return Ok(None) };
        Ok(Some(Part {
            lead,
            stays: switches.stays(lead),
            total: Amounts::sum(pods.iter().map(|pod| &pod.request)),
            books: books(world, switches, lead, planned)?,
        }))
    }
}
