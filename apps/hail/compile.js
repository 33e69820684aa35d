// node compile.js PROGRAM SOURCE CODE: runs typical calls of the program in SOURCE, and writes the code
// that V8 compiled for them to CODE.
import { readFileSync, writeFileSync } from "node:fs";
import { runInThisContext, Script } from "node:vm";
import { engineSettings } from "./engine-settings.js";

const [, , name, sourceFile, codeFile] = process.argv;

// V8 accepts cached code only under the settings it was compiled with.
runInThisContext(`const load = process.getBuiltinModule; ${engineSettings(name)}`);

const script = new Script(readFileSync(sourceFile, "utf8"), { filename: `${name}.js` });
const program = script.runInThisContext();

for (const { argv, input } of calls(name)) {
  const bytes = Buffer.from(input);
  process.argv.splice(1, process.argv.length, name, ...argv);
  // The program calls process.exit when it is done; this script goes on.
  const ended = new Promise((resolve) => {
    process.exit = resolve;
  });
  program((module) => {
    const real = process.getBuiltinModule(module);
    if (!module.endsWith("fs")) return real;
    return {
      ...real,
      readFileSync: () => bytes,
      writeFileSync: () => {},
      writeSync: (_, text) => text.length,
    };
  });
  await ended;
}
writeFileSync(codeFile, script.createCachedData());

/** Typical command lines, each with the content of every file it reads. */
function calls(name) {
  if (name === "hail") return requests().map((input) => ({ argv: ["message"], input }));
  const input = readFileSync("examples/cluster.data");
  if (name === "htools") return [{ argv: ["hinfo", "-t", "cluster"], input }];
  // These two programs read only from masters.
  if (name === "hscan" || name === "harep") return [{ argv: ["--help"], input }];
  return [{ argv: ["-t", "cluster"], input }];
}

/** The example as it is, and as requests of other types. */
function requests() {
  const message = JSON.parse(readFileSync("examples/allocate-drbd.json", "utf8"));
  const instances = Object.keys(message.instances);
  const requests = [
    message.request,
    { ...message.request, disk_template: "ext", required_nodes: 1 },
    { type: "node-evacuate", instances, evac_mode: "all" },
    { type: "node-evacuate", instances, evac_mode: "secondary-only" },
  ];
  const messages = requests.map((request) => ({ ...message, request }));
  return [...messages, { ...enlarged(message), request: message.request }].map((one) =>
    JSON.stringify(one),
  );
}

/** Enlarged until the code for large messages runs. */
function enlarged(message) {
  const copies = Array.from({ length: 60 }, (_, copy) => copy);
  const copied = (things, change) =>
    copies.flatMap((copy) =>
      Object.entries(things).map(([name, thing]) => [`${copy}-${name}`, change(thing, copy)]),
    );
  const nodes = copied(message.nodes, (node) => node);
  const instances = copied(message.instances, (instance, copy) => ({
    ...instance,
    nodes: instance.nodes.map((node) => `${copy}-${node}`),
  }));
  return {
    ...message,
    cluster_tags: [],
    nodes: Object.fromEntries(nodes),
    instances: Object.fromEntries(instances),
  };
}
