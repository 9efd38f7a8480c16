//! The requests of the page to the engine in its worker.

use js_sys::Array;
use lictor_picture::{Picture, PodOnNode};
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::prelude::*;

use crate::data::{
    CycleInterval, DownloadFile, Edit, EditableBound, Example, ExplanationView, FindingView, InputSummaryView, LawView,
    MomentView, OpenRequest, ReadPosition, ShareResult, WhatIfView,
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
    #[wasm_bindgen(js_namespace = lictor, catch, js_name = taken)]
    async fn taken_file(file: &web_sys::File) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(js_namespace = lictor, catch, js_name = share)]
    async fn share_in_address(given: JsValue) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(js_namespace = lictor, js_name = save)]
    fn save_as_file(name: &str, text: &str);
    #[wasm_bindgen(js_namespace = lictor, js_name = examples)]
    fn examples_of_page() -> JsValue;
    #[wasm_bindgen(js_namespace = lictor, catch, js_name = example)]
    async fn example_of_page(index: usize) -> Result<JsValue, JsValue>;
}

/// The answer to a request, or the problems because of which it failed.
pub(crate) type EngineResult<T> = Result<T, Vec<FindingView>>;

/// Reads the input that the page contains. `None`: the page contains none.
pub(crate) async fn inside() -> EngineResult<Option<OpenRequest>> {
    read(inside_of_page().await)
}

/// Reads the input in the address of the page. `None`: the address contains none.
pub(crate) async fn pasted() -> EngineResult<Option<OpenRequest>> {
    read(pasted_into_address().await)
}

/// Reads a file that was dropped or chosen: a text, or a recording.
pub(crate) async fn read_file(file: &web_sys::File) -> EngineResult<OpenRequest> {
    read(taken_file(file).await)
}

/// Puts the open input into the address of the page, and the address into the clipboard, where that is allowed.
pub(crate) async fn share(given: &OpenRequest) -> EngineResult<ShareResult> {
    read(share_in_address(value(given)).await)
}

/// Offers a file to the user to save.
pub(crate) fn save(file: &DownloadFile) {
    save_as_file(&file.name, &file.text);
}

/// Returns the open input, with its changes, as a file.
pub(crate) async fn snapshot() -> EngineResult<DownloadFile> {
    request("snapshot", &[]).await
}

/// Returns the decisions as a scenario. `masked`: under invented names.
pub(crate) async fn scenario(masked: bool) -> EngineResult<DownloadFile> {
    request(if masked { "maskedScenario" } else { "scenario" }, &[]).await
}

/// Returns the open input under invented names.
pub(crate) async fn masked() -> EngineResult<OpenRequest> {
    request("masked", &[]).await
}

/// Returns the examples.
pub(crate) fn examples() -> Vec<Example> {
    serde_wasm_bindgen::from_value(examples_of_page()).unwrap_or_default()
}

/// Returns one of the examples, with its text.
pub(crate) async fn example(index: usize) -> EngineResult<OpenRequest> {
    read(example_of_page(index).await)
}

/// Opens a cluster or a scenario.
pub(crate) async fn open(told: &OpenRequest) -> EngineResult<InputSummaryView> {
    request("open", &[value(told)]).await
}

/// Decides the next cycle, after these events in the cluster. `None`: the recording has ended.
pub(crate) async fn cycle(between: CycleInterval) -> EngineResult<Option<MomentView>> {
    request("cycle", &[value(&between)]).await
}

/// Appends to the recording what was written since, from this byte on. Returns how much of the recording is known then. Where nothing is new, the
/// answer takes a while.
pub(crate) async fn more(from: u64) -> EngineResult<ReadPosition> {
    read(more_of_recording(from as f64).await)
}

/// Repeats at most `most` moments of a recording, without drawing them. Returns the number of the last one.
pub(crate) async fn skip(most: usize) -> EngineResult<usize> {
    request("skip", &[value(&most)]).await
}

/// Returns the cluster of a recording before its next moment.
pub(crate) async fn picture() -> EngineResult<Picture> {
    request("picture", &[]).await
}

/// Returns the pods of a node after the cycle with this number.
pub(crate) async fn pods_on(node: &str, cycle: usize) -> EngineResult<Vec<PodOnNode>> {
    request("podsOn", &[value(node), value(&cycle)]).await
}

/// Returns the text of the changes, with one more change appended.
pub(crate) async fn edit(edit: &Edit, changes: &str) -> EngineResult<String> {
    request("edit", &[value(edit), value(changes)]).await
}

/// Returns the bounds of quotas and queues, which can be changed.
pub(crate) async fn bounds() -> EngineResult<Vec<EditableBound>> {
    request("bounds", &[]).await
}

/// Returns the reasons for the state of a pod or a job, in the cycle with this number.
pub(crate) async fn explain(name: &str, cycle: usize) -> EngineResult<ExplanationView> {
    request("explain", &[value(name), value(&cycle)]).await
}

/// Returns the changes that would let a pod or a job in. Another engine than that of the page tries them, so that the page can be used meanwhile.
pub(crate) async fn what_if(name: &str) -> EngineResult<WhatIfView> {
    read(aside("whatIf", [value(name)].iter().collect()).await)
}

/// Stops the search of the other engine.
pub(crate) fn stop() {
    cancel();
}

/// Returns every law with its manual page.
pub(crate) async fn laws() -> EngineResult<Vec<LawView>> {
    request("laws", &[]).await
}

async fn request<T: DeserializeOwned>(name: &str, parameters: &[JsValue]) -> EngineResult<T> {
    read(call(name, parameters.iter().collect()).await)
}

fn read<T: DeserializeOwned>(answer: Result<JsValue, JsValue>) -> EngineResult<T> {
    match answer {
        Ok(value) => serde_wasm_bindgen::from_value(value)
            .map_err(|error| vec![FindingView::error(format!("the page does not understand the engine: {error}"))]),
        Err(error) => {
            // An exception of the browser is an object with a text.
            let thrown = || String::from(js_sys::Object::from(error.clone()).to_string());
            let known = serde_wasm_bindgen::from_value(error.clone());
            Err(known.unwrap_or_else(|_| vec![FindingView::error(error.as_string().unwrap_or_else(thrown))]))
        }
    }
}

/// Returns a value as a plain JavaScript object.
fn value<T: Serialize + ?Sized>(value: &T) -> JsValue {
    value.serialize(&serde_wasm_bindgen::Serializer::json_compatible()).unwrap_or(JsValue::NULL)
}
