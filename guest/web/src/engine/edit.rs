//! Changes for which a page has forms.

use lictor_decide::edit::{Edit, EditableBound, EditedCluster, bounds, edit};
use lictor_decide::{Problem, SnapshotChanges};

use super::PageEngine;

impl PageEngine {
    /// Returns a text of changes with one more change appended. The text itself stays as it is. The change applies to the cluster as it was opened
    /// with this text, whatever was decided last.
    ///
    /// # Errors
    /// Nothing is open, the text has mistakes, or the change is not possible.
    pub fn edit(&self, asked: &Edit, changes: &str) -> Result<String, Vec<Problem>> {
        let open = self.open_cluster()?;
        let so_far = SnapshotChanges::read(changes).map_err(|failure| failure.problems())?;
        let objects = so_far.of(&open.unchanged);
        let cluster = EditedCluster { objects: &objects, system: open.opened.system(), schedulers: &open.schedulers };
        let more = edit(&cluster, asked).map_err(|problem| vec![problem])?;
        Ok(SnapshotChanges::appended(changes, &more))
    }

    /// Returns the bounds of the quotas and queues, which can be changed.
    ///
    /// # Errors
    /// Nothing is open.
    pub fn bounds(&self) -> Result<Vec<EditableBound>, Vec<Problem>> {
        let open = self.open_cluster()?;
        Ok(bounds(&open.changes.of(&open.unchanged)))
    }
}
