"use strict";
// Answers what the page asks of the engine, one question after another. `engine` is what wasm-bindgen made.
let web;
const answers = {
  start: async (module) => {
    await engine({ module_or_path: module });
    web = new engine.Lictor();
  },
};
onmessage = async ({ data: { id, name, parameters } }) => {
  try {
    const value = name === "start" ? await answers.start(...parameters) : web[name](...parameters);
    postMessage({ id, value });
  } catch (error) {
    postMessage({ id, error: String(error?.message ?? error) });
  }
};
