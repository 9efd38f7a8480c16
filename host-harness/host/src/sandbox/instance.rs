//! One running instance: its memory, and the functions it can be asked.

use wasmtime::Store;
use wasmtime::component::{Instance, InstancePre};

use super::bindings::bound::{account, binding, decision, explain, state};
use super::guard::Guard;
use super::interfaces::{ACCOUNT, BINDING, DECISION, EXPLAIN, Interface, STATE};
use super::load::Loaded;
use super::{Breakage, LoadError};

/// Where the functions are in a component. The optional interfaces are probed here, once.
#[derive(Clone)]
pub(super) struct Indices {
    decision: decision::GuestIndices,
    account: Option<account::GuestIndices>,
    binding: Option<binding::GuestIndices>,
    explain: Option<explain::GuestIndices>,
    state: Option<state::GuestIndices>,
}

impl Indices {
    pub(super) fn new(component: &InstancePre<Guard>) -> wasmtime::Result<Indices> {
        let has = |interface: Interface| interface.is_in(component.component());
        Ok(Indices {
            decision: decision::GuestIndices::new(component)?,
            account: has(ACCOUNT).then(|| account::GuestIndices::new(component)).transpose()?,
            binding: has(BINDING).then(|| binding::GuestIndices::new(component)).transpose()?,
            explain: has(EXPLAIN).then(|| explain::GuestIndices::new(component)).transpose()?,
            state: has(STATE).then(|| state::GuestIndices::new(component)).transpose()?,
        })
    }
}

/// A running instance, and everything it holds. Dropped as a whole when it breaks: nothing in its store can be entered again.
pub(super) struct Live {
    pub(super) store: Store<Guard>,
    pub(super) decision: decision::Guest,
    pub(super) account: Option<account::Guest>,
    pub(super) binding: Option<binding::Guest>,
    pub(super) explain: Option<explain::Guest>,
    pub(super) state: Option<state::Guest>,
}

impl Live {
    pub(super) fn new(loaded: &Loaded) -> Result<Live, LoadError> {
        let limits = loaded.sandbox.limits();
        let mut store = Store::new(&loaded.sandbox.engine, Guard::new(limits.memory_bytes));
        store.limiter(|guard| guard);
        store.set_hostcall_fuel(limits.result_bytes);
        store.set_epoch_deadline(loaded.sandbox.deadline_ticks());
        let instance =
            loaded.component.instantiate(&mut store).map_err(|error| Breakage::of(&error, store.data(), limits))?;
        Live::bind(store, &instance, &loaded.indices)
    }

    /// Compares the types of all functions with those of the contract.
    fn bind(mut store: Store<Guard>, instance: &Instance, indices: &Indices) -> Result<Live, LoadError> {
        let to = &mut store;
        let decision = same(DECISION, indices.decision.load(&mut *to, instance))?;
        let account = indices.account.as_ref().map(|it| same(ACCOUNT, it.load(&mut *to, instance)));
        let binding = indices.binding.as_ref().map(|it| same(BINDING, it.load(&mut *to, instance)));
        let explain = indices.explain.as_ref().map(|it| same(EXPLAIN, it.load(&mut *to, instance)));
        let state = indices.state.as_ref().map(|it| same(STATE, it.load(&mut *to, instance)));
        let (account, binding) = (account.transpose()?, binding.transpose()?);
        let (explain, state) = (explain.transpose()?, state.transpose()?);
        Ok(Live { store, decision, account, binding, explain, state })
    }

    /// Gives the next call its time.
    pub(super) fn arm(&mut self, ticks: u64) {
        self.store.data_mut().clear();
        self.store.set_epoch_deadline(ticks);
    }
}

fn same<T>(interface: Interface, loaded: wasmtime::Result<T>) -> Result<T, LoadError> {
    loaded.map_err(|error| LoadError::OtherTypes {
        interface: interface.name.to_owned(),
        difference: format!("{:#}", error.root_cause()),
    })
}
