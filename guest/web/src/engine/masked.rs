//! The open input under invented names.

use lictor_decide::mask::Masked;
use lictor_decide::written::{self, ExportedFile};
use lictor_decide::{CycleInterval, CycleReport, Problem};

use super::{OpenCluster, PageEngine, problem};
use crate::told::OpenInput;

impl PageEngine {
    /// Returns the open input, with its changes, under invented names, as another page can open it. The decisions about it are the same, up to the
    /// names.
    ///
    /// # Errors
    /// Nothing is open; or a decision depends on a name, such as on its upper and lower case: then nothing is returned.
    pub fn masked(&self) -> Result<OpenInput, Vec<Problem>> {
        Ok(self.mask_all_names()?.0)
    }

    /// Returns the decisions as a scenario under invented names.
    ///
    /// # Errors
    /// Those of [`PageEngine::masked`] and [`PageEngine::scenario`].
    pub fn masked_scenario(&self) -> Result<ExportedFile, Vec<Problem>> {
        self.mask_all_names()?.1.scenario()
    }

    fn mask_all_names(&self) -> Result<(OpenInput, PageEngine), Vec<Problem>> {
        let open = self.open_cluster()?;
        let OpenCluster { opened, system, arguments, schedulers, .. } = open;
        let masked = Masked::of(&open.snapshot(), schedulers).map_err(|mistake| vec![Problem::from(&mistake)])?;
        let ExportedFile { name, text } = written::snapshot("masked.yaml", &masked.snapshot);
        let chosen_arguments = (!arguments.values.is_empty()).then(|| serde_json::to_string(&arguments.values).ok());
        let chosen = opened.system().map_or(system, |system| &system.name);
        let told = OpenInput {
            name,
            text,
            system: chosen.clone(),
            arguments: chosen_arguments.flatten().unwrap_or_default(),
            schedulers: schedulers.clone(),
            ..OpenInput::default()
        };
        let mut other = PageEngine::default();
        other.open(told.clone())?;
        // Both are decided from their beginning, with the events in between.
        let own = open.replayed().map_err(|failure| failure.problems())?;
        let theirs = other.open_cluster_mut()?;
        theirs.decided_cycles = own.iter().map(|(between, _)| *between).collect();
        let decided = theirs.replayed().map_err(|failure| failure.problems())?;
        if !masked.has_same_decisions(cycles(&own), cycles(&decided)) {
            return Err(problem(
                "under invented names, this is decided otherwise",
                "share it with its names, or not at all",
            ));
        }
        Ok((told, other))
    }
}

fn cycles(decided: &[(CycleInterval, CycleReport)]) -> impl Iterator<Item = &CycleReport> {
    decided.iter().map(|(_, cycle)| cycle)
}
