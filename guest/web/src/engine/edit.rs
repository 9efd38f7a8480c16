//! Changes that a page has forms for.

use lictor_decide::edit::{Bound, Cluster, Edit, bounds, edit};
use lictor_decide::{Changes, Problem};

use super::Engine;

impl Engine {
    /// A text of changes with one more change behind it. The text stays as it is, and the change is one of the cluster as it was opened
    /// with this text, whatever was decided last.
    ///
    /// # Errors
    /// Nothing is open, the text has mistakes, or it cannot be changed so.
    pub fn edit(&self, asked: &Edit, changes: &str) -> Result<String, Vec<Problem>> {
        let open = self.held()?;
        let so_far = Changes::read(changes).map_err(|failure| failure.problems())?;
        let objects = so_far.of(&open.unchanged);
        let cluster = Cluster { objects: &objects, system: open.opened.system(), schedulers: &open.schedulers };
        let more = edit(&cluster, asked).map_err(|problem| vec![problem])?;
        Ok(Changes::appended(changes, &more))
    }

    /// The bounds of the quotas and queues, which can be changed.
    ///
    /// # Errors
    /// Nothing is open.
    pub fn bounds(&self) -> Result<Vec<Bound>, Vec<Problem>> {
        let open = self.held()?;
        Ok(bounds(&open.changes.of(&open.unchanged)))
    }
}
