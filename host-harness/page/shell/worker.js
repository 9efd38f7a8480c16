"use strict";
// Answers what the page asks of the engine, one question after another. `engine` is what wasm-bindgen made.
let web;
// How often something was opened. A question about what was open before is not answered: the page has something else open by then.
let epoch = 0;
const ANY_TIME = ["start", "open", "systems", "laws"];
const gone = { severity: "error", message: "something else was opened meanwhile", remedy: "ask again" };
const start = async (module) => {
  await engine({ module_or_path: module });
  web = new engine.Lictor();
};
const answer = async (name, parameters, asked) => {
  if (asked !== undefined && asked !== epoch && !ANY_TIME.includes(name)) throw [gone];
  if (name === "start") return start(...parameters);
  const value = web[name](...parameters);
  if (name === "open") epoch += 1;
  return value;
};
onmessage = async ({ data: { id, name, parameters, epoch: asked } }) => {
  try {
    const value = await answer(name, parameters, asked);
    postMessage({ id, value, epoch });
  } catch (error) {
    // What the engine answers is problems. Anything else is a fault, after which the module cannot be used any more.
    if (Array.isArray(error)) postMessage({ id, problems: error });
    else postMessage({ id, fault: String(error?.message ?? error) });
  }
};
