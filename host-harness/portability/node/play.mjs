// Plays traces of the component under jco: `node play.mjs COMPONENT TRACES FOLDER`, where the folder has the node_modules. See ../README.md.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';

const [component, traces, folder] = process.argv.slice(2);
const told = JSON.parse(readFileSync(traces, 'utf8'));

// What jco makes of the component is a module that makes instances of it.
const jco = createRequire(join(folder, 'play.mjs')).resolve('@bytecodealliance/jco-transpile');
const { transpileBytes } = await import(pathToFileURL(jco));
const { files, imports } = await transpileBytes(readFileSync(component), {
    name: 'policy', instantiation: 'sync', emitTypescriptDeclarations: false, noComponentErrorWrapping: true,
});
if (imports.length > 0) throw new Error(`the component imports ${imports}`);
const policy = await import(`data:text/javascript;base64,${Buffer.from(files['policy.js']).toString('base64')}`);
const modules = new Map();
const module = (name) => {
    if (!modules.has(name)) modules.set(name, new WebAssembly.Module(files[name]));
    return modules.get(name);
};
const start = () => policy.instantiate(module, {});

const camel = (name) => name.replace(/-(.)/g, (_, letter) => letter.toUpperCase());
const plain = new Set(['bool', 'u8', 'u32', 's32', 'string']);
const arrays = { u8: Uint8Array, u32: Uint32Array, u64: BigUint64Array };

// A value as jco takes it, of one of a trace.
function lower(type, value) {
    if (plain.has(type)) return value;
    if (type === 's64' || type === 'u64') return BigInt(value);
    if (type.list) {
        const list = value.map((it) => lower(type.list, it));
        return arrays[type.list] ? arrays[type.list].from(list) : list;
    }
    if (type.option) return value === null ? undefined : lower(type.option, value);
    const { record, variant } = told.types[type];
    if (record) return Object.fromEntries(record.map(([name, field]) => [camel(name), lower(field, value[name])]));
    if (!variant) return value;
    const [tag, inner] = typeof value === 'string' ? [value, null] : Object.entries(value)[0];
    const payload = new Map(variant).get(tag);
    return payload === null ? { tag } : { tag, val: lower(payload, inner) };
}

// A value as a trace has it, of one of jco.
function lift(type, value) {
    if (type === null) return null;
    if (plain.has(type)) return value;
    if (type === 's64' || type === 'u64') return String(value);
    if (type.list) return Array.from(value, (it) => lift(type.list, it));
    if (type.option) return value === undefined ? null : lift(type.option, value);
    const { record, variant } = told.types[type];
    if (record) return Object.fromEntries(record.map(([name, field]) => [name, lift(field, value[camel(name)])]));
    if (!variant) return value;
    const payload = new Map(variant).get(value.tag);
    return payload === null ? value.tag : { [value.tag]: lift(payload, value.val) };
}

// jco gives the value of a result, and throws the value of its error.
function answer(instance, call) {
    const { interface: name, parameters, result } = told.functions[call.call];
    const given = parameters.map((type, at) => lower(type, call.arguments[at]));
    const sides = result?.result;
    let value;
    try {
        value = instance[name][camel(call.call)](...given);
    } catch (error) {
        if (!sides || error instanceof Error) throw error;
        return { err: lift(sides.err, error) };
    }
    return sides ? { ok: lift(sides.ok, value) } : lift(result, value);
}

let calls = 0;
for (const trace of told.traces) {
    let instance = start();
    for (const call of trace.calls) {
        calls += 1;
        if (call.call === 'restart') {
            instance = start();
            continue;
        }
        const answered = answer(instance, call);
        if (!isDeepStrictEqual(answered, call.answer)) {
            const shown = (it, most) => JSON.stringify(it).slice(0, most);
            console.error(`${trace.name}: ${call.call}${shown(call.arguments, 2000)}\n`
                + `answered ${shown(answered, 4000)}\nexpected ${shown(call.answer, 4000)}`);
            process.exit(1);
        }
    }
}
console.log(`${told.traces.length} traces, ${calls} calls: the same answers`);
