//! The engine in its worker, as the page asks it.

use js_sys::Array;
use lictor_picture::{Picture, Placed};
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::prelude::*;

use crate::data::{
    Answer, Between, Bound, Edit, Example, Finding, Given, Known, Law, Moment, Shared, Summary, WhatIf, Written,
};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = lictor, catch)]
    async fn call(name: &str, parameters: Array) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(js_namespace = lictor, catch)]
    async fn aside(name: &str, parameters: Array) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(js_namespace = lictor)]
    fn cancel();
    #[wasm_bindgen(js_namespace = lictor, catch, js_name = more)]
    async fn more_of_recording(from: f64) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(js_namespace = lictor, catch, js_name = inside)]
    async fn inside_of_page() -> Result<JsValue, JsValue>;
    #[wasm_bindgen(js_namespace = lictor, catch, js_name = pasted)]
    async fn pasted_into_address() -> Result<JsValue, JsValue>;
    #[wasm_bindgen(js_namespace = lictor, catch)]
    async fn taken(file: &web_sys::File) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(js_namespace = lictor, catch, js_name = share)]
    async fn share_in_address(given: JsValue) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(js_namespace = lictor, js_name = save)]
    fn save_as_file(name: &str, text: &str);
    #[wasm_bindgen(js_namespace = lictor, js_name = examples)]
    fn examples_of_page() -> JsValue;
    #[wasm_bindgen(js_namespace = lictor, catch, js_name = example)]
    async fn example_of_page(index: usize) -> Result<JsValue, JsValue>;
}

/// What came of a question; where it failed, what is wrong.
pub(crate) type Answered<T> = Result<T, Vec<Finding>>;

/// What the page has inside.
pub(crate) async fn inside() -> Answered<Option<Given>> {
    read(inside_of_page().await)
}

/// What its address has.
pub(crate) async fn pasted() -> Answered<Option<Given>> {
    read(pasted_into_address().await)
}

/// A file that was dropped or chosen: a text, or a recording.
pub(crate) async fn read_file(file: &web_sys::File) -> Answered<Given> {
    read(taken(file).await)
}

/// Puts what is open into the address of the page, and the address into the clipboard, where that is allowed.
pub(crate) async fn share(given: &Given) -> Answered<Shared> {
    read(share_in_address(value(given)).await)
}

/// Hands a file over to be kept.
pub(crate) fn save(file: &Written) {
    save_as_file(&file.name, &file.text);
}

/// What is open, with its changes, as a file.
pub(crate) async fn snapshot() -> Answered<Written> {
    ask("snapshot", &[]).await
}

/// What was decided, as a scenario; under invented names, if wanted.
pub(crate) async fn scenario(masked: bool) -> Answered<Written> {
    ask(if masked { "maskedScenario" } else { "scenario" }, &[]).await
}

/// What is open under invented names.
pub(crate) async fn masked() -> Answered<Given> {
    ask("masked", &[]).await
}

/// The examples.
pub(crate) fn examples() -> Vec<Example> {
    serde_wasm_bindgen::from_value(examples_of_page()).unwrap_or_default()
}

/// One of the examples, with its text.
pub(crate) async fn example(index: usize) -> Answered<Given> {
    read(example_of_page(index).await)
}

/// Opens a cluster or a scenario.
pub(crate) async fn open(told: &Given) -> Answered<Summary> {
    ask("open", &[value(told)]).await
}

/// Decides the next cycle, after this has happened in the cluster; none at the end of a recording.
pub(crate) async fn cycle(between: Between) -> Answered<Option<Moment>> {
    ask("cycle", &[value(&between)]).await
}

/// Has the engine append what was written to the recording since, from this byte on; how much of it is known then. Where nothing came, the
/// answer takes a while.
pub(crate) async fn more(from: u64) -> Answered<Known> {
    read(more_of_recording(from as f64).await)
}

/// Repeats moments of a recording, at most so many, without drawing them; the number of the last one.
pub(crate) async fn skip(most: usize) -> Answered<usize> {
    ask("skip", &[value(&most)]).await
}

/// The cluster of a recording before its next moment.
pub(crate) async fn picture() -> Answered<Picture> {
    ask("picture", &[]).await
}

/// The pods of a node after the cycle with this number.
pub(crate) async fn pods_on(node: &str, cycle: usize) -> Answered<Vec<Placed>> {
    ask("podsOn", &[value(node), value(&cycle)]).await
}

/// The changes that are written, with one more behind them.
pub(crate) async fn edit(edit: &Edit, changes: &str) -> Answered<String> {
    ask("edit", &[value(edit), value(changes)]).await
}

/// The bounds of quotas and queues, which can be changed.
pub(crate) async fn bounds() -> Answered<Vec<Bound>> {
    ask("bounds", &[]).await
}

/// Why a pod or a job is where it is, in the cycle with this number.
pub(crate) async fn explain(name: &str, cycle: usize) -> Answered<Answer> {
    ask("explain", &[value(name), value(&cycle)]).await
}

/// What would let a pod or a job in. Another engine than that of the page tries it, so that the page can be used meanwhile.
pub(crate) async fn what_if(name: &str) -> Answered<WhatIf> {
    read(aside("whatIf", [value(name)].iter().collect()).await)
}

/// Stops what takes long.
pub(crate) fn stop() {
    cancel();
}

/// Every law with its manual page.
pub(crate) async fn laws() -> Answered<Vec<Law>> {
    ask("laws", &[]).await
}

async fn ask<T: DeserializeOwned>(name: &str, parameters: &[JsValue]) -> Answered<T> {
    read(call(name, parameters.iter().collect()).await)
}

fn read<T: DeserializeOwned>(answer: Result<JsValue, JsValue>) -> Answered<T> {
    match answer {
        Ok(value) => serde_wasm_bindgen::from_value(value)
            .map_err(|error| vec![Finding::error(format!("the page does not understand the engine: {error}"))]),
        Err(error) => {
            // What the browser itself throws is an object that says what it is as a text.
            let thrown = || String::from(js_sys::Object::from(error.clone()).to_string());
            let known = serde_wasm_bindgen::from_value(error.clone());
            Err(known.unwrap_or_else(|_| vec![Finding::error(error.as_string().unwrap_or_else(thrown))]))
        }
    }
}

/// A value as a plain object.
fn value<T: Serialize + ?Sized>(value: &T) -> JsValue {
    value.serialize(&serde_wasm_bindgen::Serializer::json_compatible()).unwrap_or(JsValue::NULL)
}
