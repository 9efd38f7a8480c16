//! A policy that was told a cluster.

use lictor_contract::{Description, ExtensionPoint, PolicyError, QueueAccount, Severity, SystemInfo};
use lictor_host::driver::Virtual;
use lictor_host::policy::{CallError, Policy};
use lictor_host::recording::Recorder;
use lictor_host::session::{Cause, Input, SessionError};

use super::arguments::Arguments;
use super::explain::Names;
use super::failure::Failure;
use super::jobs::Memberships;
use super::origins::Origins;
use super::overflow;
use super::problem::Problem;
use super::record::{Cycle, Record, Source, newest, usage};
use super::snapshot::Snapshot;
use super::unread;

/// How it is decided.
#[derive(Default)]
pub struct With<'a> {
    /// The name of the system; empty for the first one of the policy.
    pub system: &'a str,
    /// Its arguments.
    pub arguments: Arguments,
    /// The schedulers whose pods are decided about; empty: those that the system stands for.
    pub schedulers: &'a [String],
    /// What records the session, if anything does. It listens to the policy already.
    pub recorder: Option<&'a Recorder>,
}

/// A policy that was told a cluster, and has not decided yet.
pub struct Opened {
    session: Virtual,
    described: Description,
    system: Option<SystemInfo>,
    arguments: Arguments,
    findings: Vec<Problem>,
    origins: Origins,
    /// How many findings of the session are among these.
    reported: usize,
    is_explained: bool,
    tells_standings: bool,
}

impl Opened {
    /// Opens a session of a policy, which described itself so, and tells it the cluster.
    ///
    /// # Errors
    /// The policy refuses the system or an argument, the cluster has mistakes, or lacks nodes or pods.
    pub fn open(
        policy: Box<dyn Policy>,
        described: Description,
        with: With<'_>,
        read: impl FnOnce() -> Result<Snapshot, Failure>,
    ) -> Result<Opened, Failure> {
        let With { system, arguments, schedulers, recorder } = with;
        let opened = Virtual::open(policy, system, &arguments.json());
        let mut session = opened.map_err(|error| arguments.refused(error, system, described.system(system)))?;
        if !schedulers.is_empty() {
            session.set_schedulers(schedulers.iter().cloned());
        }
        if let Some(recorder) = recorder {
            session.record(recorder.clone());
        }
        let (findings, origins) = load(read()?, &mut session)?;
        let reported = session.findings().len();
        let system = described.system(system).cloned();
        Ok(Opened {
            session,
            described,
            system,
            arguments,
            findings,
            origins,
            reported,
            is_explained: false,
            tells_standings: false,
        })
    }

    /// The session: the cluster, and what is going on in it.
    pub fn session(&self) -> &Virtual {
        &self.session
    }

    /// The session, to be told more.
    pub fn session_mut(&mut self) -> &mut Virtual {
        &mut self.session
    }

    /// The system whose laws apply.
    pub fn system(&self) -> Option<&SystemInfo> {
        self.system.as_ref()
    }

    /// What the policy says of itself.
    pub fn described(&self) -> &Description {
        &self.described
    }

    /// What is to be said of the objects to their authors.
    pub fn findings(&self) -> &[Problem] {
        &self.findings
    }

    /// Where the objects were read.
    pub fn origins(&self) -> &Origins {
        &self.origins
    }

    /// Has all that follows explained; no where the policy cannot.
    ///
    /// # Errors
    /// The policy failed.
    pub fn explain(&mut self) -> Result<bool, Failure> {
        self.is_explained = self.session.explain()?;
        Ok(self.is_explained)
    }

    /// Makes the record of what is decided say which running pods are safe, though nothing else is explained.
    pub fn tell_standings(&mut self) {
        self.tells_standings = true;
    }

    /// Decides so many cycles, at the newest time in the cluster. `source` is the policy's own, for the record.
    ///
    /// # Errors
    /// The policy failed, or gave an invalid answer.
    pub fn decide(&mut self, cycles: u32, source: Source) -> Result<Record, Failure> {
        let acts = |system: &SystemInfo| {
            let mut points = system.extension_points.iter();
            points.any(|point| ExtensionPoint::named(point) == Some(ExtensionPoint::Act))
        };
        if self.system().is_some_and(acts) {
            // The policy's own cycle has no result for a single pod: only its notes say why a pod is still pending.
            self.session.explain()?;
        }
        let ahead = newest(self.session.mirror()).saturating_sub(self.session.mirror().now());
        self.session.advance(ahead)?;
        let mut record =
            Record::new(&self.described, self.system(), source, self.arguments.given.clone(), self.session.mirror());
        if self.is_explained || self.tells_standings {
            record.standings = self.session.standings()?;
        }
        let before = self.accounts()?;
        for cycle in 1..=cycles {
            self.session.tell(Input::Cycle)?;
            record.cycles.push(Cycle::of(cycle, &mut self.session, self.is_explained));
        }
        let after = self.accounts()?;
        record.accounts = usage::compare(&before, &after, self.session.mirror().resources());
        record.findings = self.findings.clone();
        for (kind, problem) in unread::findings(&record.ignored, &self.described, self.system()) {
            record.warned.insert(kind);
            record.findings.push(problem);
        }
        // An object that a decision changes is read once more: what was said of it is not said again.
        for finding in self.session.findings().iter().skip(self.reported) {
            let finding = self.origins.place(finding.clone());
            if !record.findings.contains(&finding) {
                record.findings.push(finding);
            }
        }
        Ok(record)
    }

    /// The usage of quotas and queues; empty where the policy has none.
    ///
    /// # Errors
    /// The policy failed.
    pub fn accounts(&mut self) -> Result<Vec<QueueAccount>, Failure> {
        match self.session.accounts() {
            Err(SessionError { cause: Cause::CallError(CallError::Lacks(_)), .. }) => Ok(Vec::new()),
            accounts => Ok(accounts?),
        }
    }

    /// Where each pod belongs, as the policy says.
    ///
    /// # Errors
    /// The policy failed, or gave an invalid answer.
    pub fn memberships(&mut self) -> Result<Memberships, Failure> {
        Ok(self.session.memberships()?)
    }

    /// The pods and jobs by name, as they are now.
    ///
    /// # Errors
    /// The policy failed, or gave an invalid answer.
    pub fn names(&mut self) -> Result<Names, Failure> {
        let memberships = self.memberships()?;
        Ok(Names::of(self.session.mirror(), &memberships))
    }
}

/// Tells a session a snapshot.
///
/// # Errors
/// An error about an object is one; warnings are returned.
pub fn load(snapshot: Snapshot, session: &mut Virtual) -> Result<(Vec<Problem>, Origins), Failure> {
    let Snapshot { objects, origins, files } = snapshot;
    let mistakes = session.mirror().mistakes_in(&objects);
    if !mistakes.is_empty() {
        return Err(Failure::Input(mistakes));
    }
    let nothing = |what, remedy| Err(Failure::Nothing { what, files: files.clone(), remedy });
    if objects.is_empty() {
        return nothing(
            "object",
            "write the output of `kubectl get nodes,pods,... --all-namespaces -o yaml` into the file",
        );
    }
    if let Err(error) = session.tell(Input::Listed(objects)) {
        return Err(match &error.cause {
            Cause::CallError(CallError::Refused { error: PolicyError::Overflow(over), .. }) => {
                Failure::Objects(vec![overflow::problem(over, &origins)])
            }
            _ => error.into(),
        });
    }
    let warnings = session.mirror().warnings();
    let warnings = warnings.iter().map(|warning| Problem::from(warning).of(Severity::Warning));
    let findings = session.findings().iter().map(|finding| origins.place(finding.clone()));
    let problems: Vec<Problem> = warnings.chain(findings).collect();
    if problems.iter().any(|problem| problem.severity == Severity::Error) {
        return Err(Failure::Objects(problems));
    }
    if session.mirror().nodes().next().is_none() {
        return nothing("Node", "pods need nodes: dump both, `kubectl get nodes,pods,... --all-namespaces -o yaml`");
    }
    if session.mirror().pods().next().is_none() {
        return nothing(
            "Pod",
            "dump the pods of all namespaces: `kubectl get nodes,pods,... --all-namespaces -o yaml`",
        );
    }
    Ok((problems, origins))
}
