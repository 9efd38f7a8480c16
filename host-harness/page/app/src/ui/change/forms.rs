//! Forms for the most frequent changes: a new job, a bound of a quota, a priority.

use leptos::prelude::*;

use crate::data::{Edit, FindingView};
use crate::model::form::{JobForm, choices, number};
use crate::state::{PageState, page};

#[component]
pub(super) fn Forms() -> impl IntoView {
    view! {
        <div class="forms">
            <details id="form-job"><summary>"Add a job"</summary><JobFields/></details>
            <details id="form-bound"><summary>"Change a bound of a quota"</summary><BoundFields/></details>
            <details id="form-priority"><summary>"Change a priority"</summary><PriorityFields/></details>
        </div>
    }
}

/// Applies the input of a form, or shows what is wrong with it.
fn apply(page: PageState, read: Result<Edit, FindingView>) {
    match read {
        Ok(edit) => page.apply(edit),
        Err(mistake) => page.input.problems.set(vec![mistake]),
    }
}

/// Returns a field of a form, with its label.
fn field(id: &'static str, label: &'static str, hint: &'static str, value: RwSignal<String>) -> impl IntoView {
    view! {
        <label for=id>{label}</label>
        <input
            id=id
            type="text"
            placeholder=hint
            spellcheck="false"
            autocomplete="off"
            prop:value=value
            on:input=move |event| value.set(event_target_value(&event))
        />
    }
}

#[component]
fn JobFields() -> impl IntoView {
    let page = page();
    let new = |text: &str| RwSignal::new(text.to_owned());
    let (name, namespace, pods, min) = (new(""), new("default"), new("1"), new(""));
    let (requests, queue, priority) = (new("cpu 1"), new(""), new(""));
    let read = move || JobForm {
        name: name.get_untracked(),
        namespace: namespace.get_untracked(),
        pods: pods.get_untracked(),
        min: min.get_untracked(),
        requests: requests.get_untracked(),
        queue: queue.get_untracked(),
        priority: priority.get_untracked(),
    };
    view! {
        <div class="fields">
            {field("job-name", "Name", "train", name)}
            {field("job-namespace", "Namespace", "default", namespace)}
            {field("job-pods", "Pods", "1", pods)}
            {field("job-min", "Start together, at least", "none: one by one", min)}
            {field("job-requests", "Each requests", "cpu 4, memory 16Gi", requests)}
            {field("job-queue", "Queue or quota", "none", queue)}
            {field("job-priority", "Priority", "0", priority)}
            <button id="add-job" class="first" on:click=move |_| apply(page, read().read())>"Add the job"</button>
        </div>
    }
}

#[component]
fn BoundFields() -> impl IntoView {
    let page = page();
    let all = Memo::new(move |_| page.input.bounds.with(|bounds| choices(bounds)));
    // Other objects have other bounds: the chosen bound stays where it still exists.
    let (chosen, amount) = (RwSignal::new(None::<[String; 3]>), RwSignal::new(String::new()));
    let place = Memo::new(move |_| {
        let is_chosen = |[queue, bound, resource, _]: &[String; 4]| {
            chosen.with(|chosen| chosen.as_ref().is_some_and(|of| [queue, bound, resource].into_iter().eq(of)))
        };
        all.with(|all| all.iter().position(is_chosen)).unwrap_or(0)
    });
    let now = move || all.with(|all| all.get(place.get()).cloned());
    Effect::new(move |_| {
        page.input.summary.track();
        page.ask_bounds();
    });
    Effect::new(move |_| amount.set(now().map(|[.., amount]| amount).unwrap_or_default()));
    let choose = move |event| {
        let at: usize = event_target_value(&event).parse().unwrap_or(0);
        let key = all.with_untracked(|all| all.get(at).cloned());
        chosen.set(key.map(|[queue, bound, resource, _]| [queue, bound, resource]));
    };
    let option = move |(at, [queue, bound, resource, amount]): (usize, [String; 4])| {
        let is_chosen = move || place.get() == at;
        view! { <option value=at.to_string() selected=is_chosen>{format!("{queue}: {bound} {resource}, now {amount}")}</option> }
    };
    let set = move |_| {
        let Some([queue, bound, resource, _]) = untrack(now) else { return };
        page.apply(Edit::Bound { queue, bound, resource, amount: amount.get_untracked().trim().to_owned() });
    };
    view! {
        <Show
            when=move || all.with(|all| !all.is_empty())
            fallback=|| view! { <p class="empty">"No quota here has a bound."</p> }
        >
            <div class="fields">
                <label for="bound">"Bound"</label>
                <select id="bound" on:change=choose>
                    {move || all.get().into_iter().enumerate().map(option).collect_view()}
                </select>
                {field("bound-amount", "Amount", "16Gi", amount)}
                <button id="set-bound" class="first" on:click=set>"Set the bound"</button>
            </div>
        </Show>
    }
}

#[component]
fn PriorityFields() -> impl IntoView {
    let page = page();
    let (job, priority) =
        (RwSignal::new(page.selection.selected.get_untracked().unwrap_or_default()), RwSignal::new(String::new()));
    Effect::new(move |_| {
        if let Some(selected) = page.selection.selected.get() {
            job.set(selected);
        }
    });
    let read = move || {
        let name = job.get_untracked().trim().to_owned();
        let pods: Vec<String> = page.shown.picture.with_untracked(|picture| {
            let named = picture.jobs.iter().find(|job| job.name == name);
            named.into_iter().flat_map(|job| &job.pods).map(|pod| pod.name.clone()).collect()
        });
        let pods = if pods.is_empty() { vec![name] } else { pods };
        Ok(Edit::Priority { pods, priority: number("the priority", &priority.get_untracked())? })
    };
    view! {
        <div class="fields">
            {field("priority-of", "Pod or job", "namespace/name", job)}
            {field("priority", "Priority", "0", priority)}
            <button id="set-priority" class="first" on:click=move |_| apply(page, read())>"Set the priority"</button>
        </div>
    }
}
