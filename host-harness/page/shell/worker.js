"use strict";
// Answers what the page asks of the engine, one question after another. `engine` is what wasm-bindgen made.
let web;
const start = async (module) => {
  await engine({ module_or_path: module });
  web = new engine.Lictor();
};
onmessage = async ({ data: { id, name, parameters } }) => {
  try {
    const value = name === "start" ? await start(...parameters) : web[name](...parameters);
    postMessage({ id, value });
  } catch (error) {
    const problems = Array.isArray(error) ? error : [{ severity: "error", message: String(error?.message ?? error) }];
    postMessage({ id, error: problems });
  }
};
