// The same in node, which does not fetch files: the module is read from the disk, unless another is given.
import { readFile } from "node:fs/promises";
import init from "./lictor-web.js";

export * from "./lictor-web.js";

const own = new URL("lictor-web_bg.wasm", import.meta.url);

export default (given) => init(given ?? { module_or_path: readFile(own) });
