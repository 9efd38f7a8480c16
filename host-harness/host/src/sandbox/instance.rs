//! One running instance: its memory, and the functions it can be asked.

use lictor_contract::Interface;
use wasmtime::Store;
use wasmtime::component::{Instance, InstancePre};

use super::bindings::bound;
use super::guard::ResourceGuard;
use super::interfaces::{CORE, optional};
use super::load::LoadedComponent;
use super::templates::TemplateNumbers;
use super::{LoadError, PolicyFault};

/// Binds the core interface, and each optional interface that a component exports.
macro_rules! interfaces {
    ($($field:ident: $interface:ident),*) => {
        /// The indices of the functions in a component. The optional interfaces are probed here, once.
        #[derive(Clone)]
        pub(super) struct Indices {
            core: bound::core::GuestIndices,
            $($field: Option<bound::$field::GuestIndices>),*
        }

        impl Indices {
            pub(super) fn new(component: &InstancePre<ResourceGuard>) -> wasmtime::Result<Indices> {
                let has = |interface| optional(interface).is_in(component.component());
                Ok(Indices {
                    core: bound::core::GuestIndices::new(component)?,
                    $($field: match has(Interface::$interface) {
                        true => Some(bound::$field::GuestIndices::new(component)?),
                        false => None,
                    }),*
                })
            }

            /// Returns whether the component has this interface.
            pub(super) fn has(&self, interface: Interface) -> bool {
                match interface {
                    $(Interface::$interface => self.$field.is_some()),*
                }
            }
        }

        /// A running instance with its memory. An instance that breaks is dropped as a whole, because nothing in its store can be called again.
        pub(super) struct RunningInstance {
            pub(super) store: Store<ResourceGuard>,
            /// The pod templates that the instance has received.
            pub(super) templates: TemplateNumbers,
            pub(super) core: bound::core::Guest,
            $(pub(super) $field: Option<bound::$field::Guest>),*
        }

        impl RunningInstance {
            /// Compares the types of all functions with those of the contract.
            fn bind(mut store: Store<ResourceGuard>, instance: &Instance, indices: &Indices) -> Result<RunningInstance, LoadError> {
                let core = same(CORE.name, indices.core.load(&mut store, instance))?;
                $(let $field = match &indices.$field {
                    Some(it) => Some(same(optional(Interface::$interface).name, it.load(&mut store, instance))?),
                    None => None,
                };)*
                Ok(RunningInstance { store, templates: TemplateNumbers::default(), core, $($field),* })
            }
        }
    };
}

interfaces! {
    queue: Queue, placement: Placement, score: Score, permit: Permit, cycle: Cycle, account: Account, explain: Explain,
    state: State, marks: Marks, enforce: Enforce, standing: Standing
}

impl RunningInstance {
    pub(super) fn new(loaded: &LoadedComponent) -> Result<RunningInstance, LoadError> {
        let limits = loaded.sandbox.limits();
        let engine = &loaded.sandbox.engine;
        let guard = ResourceGuard::new(limits.memory_bytes, limits.call_deadline)
            .with_watch(loaded.sandbox.clock.watch(engine));
        let mut store = Store::new(engine, guard);
        store.limiter(|guard| guard);
        store.set_hostcall_fuel(limits.result_bytes);
        store.epoch_deadline_callback(|store| store.data().at_deadline());
        arm(&mut store, limits.call_fuel);
        let instance = loaded.component.instantiate(&mut store);
        store.data().end();
        let instance = instance.map_err(|error| PolicyFault::of(&error, store.data(), limits))?;
        loaded.sandbox.tally.instances.increment();
        RunningInstance::bind(store, &instance, &loaded.indices)
    }

    /// Gives the next call its deadline and its fuel.
    pub(super) fn arm(&mut self, fuel: Option<u64>) {
        arm(&mut self.store, fuel);
    }

    /// Ends the call: the clock stops watching it.
    pub(super) fn disarm(&self) {
        self.store.data().end();
    }

    /// Returns the fuel that the last call has used; 0 where fuel is not counted. In that case `get_fuel` is not called, because its error would cost
    /// more than a small call.
    pub(super) fn fuel_used(&self, fuel: Option<u64>) -> u64 {
        fuel.map_or(0, |given| {
            let left = self.store.get_fuel().unwrap_or(0);
            given.saturating_add(1).saturating_sub(left).min(given)
        })
    }
}

/// Gives a call its deadline and its fuel. The epoch moves when a call is due, and the callback then checks the time.
fn arm(store: &mut Store<ResourceGuard>, fuel: Option<u64>) {
    store.set_epoch_deadline(1);
    fill(store, fuel);
    store.data_mut().begin();
}

/// Fills up the fuel, where fuel is counted. A call that has used all its fuel has run out, so one unit more is given than allowed. Where the fuel
/// cannot be set, the call has none and ends with an error.
fn fill(store: &mut Store<ResourceGuard>, fuel: Option<u64>) {
    if let Some(fuel) = fuel {
        let _ = store.set_fuel(fuel.saturating_add(1));
    }
}

fn same<T>(interface: &str, loaded: wasmtime::Result<T>) -> Result<T, LoadError> {
    loaded.map_err(|error| LoadError::OtherTypes {
        interface: interface.to_owned(),
        difference: format!("{:#}", error.root_cause()),
    })
}
