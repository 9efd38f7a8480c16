//! Changes that a page has forms for.

use lictor_decide::Problem;
use lictor_decide::edit::{Bound, Edit, bounds, edit};

use super::Engine;

impl Engine {
    /// The objects of a change, as text: to stand among the changes.
    ///
    /// # Errors
    /// Nothing is open, or it cannot be changed so.
    pub fn edit(&self, asked: &Edit) -> Result<String, Vec<Problem>> {
        let open = self.held()?;
        let system = open.opened.system().map(|system| system.name.as_str()).unwrap_or_default();
        let objects = edit(&open.snapshot, system, asked).map_err(|problem| vec![problem])?;
        let texts: Vec<String> = objects.iter().map(|object| format!("{object:#}")).collect();
        Ok(texts.join("\n---\n"))
    }

    /// The bounds of the quotas and queues, which can be changed.
    ///
    /// # Errors
    /// Nothing is open.
    pub fn bounds(&self) -> Result<Vec<Bound>, Vec<Problem>> {
        Ok(bounds(&self.held()?.snapshot))
    }
}
