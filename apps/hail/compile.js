// node compile.js SOURCE CODE MESSAGE: writes to CODE what V8 compiles of the program in SOURCE to
// answer MESSAGE, as it is and as requests of other types.
import { readFileSync, writeFileSync } from "node:fs";
import { Script } from "node:vm";

const [, , sourceFile, codeFile, messageFile] = process.argv;
const script = new Script(readFileSync(sourceFile, "utf8"), { filename: "hail.js" });
const program = script.runInThisContext();

const message = JSON.parse(readFileSync(messageFile, "utf8"));
const names = Object.keys(message.instances);
const requests = [
  message.request,
  { ...message.request, disk_template: "ext", required_nodes: 1 },
  { type: "node-evacuate", instances: names, evac_mode: "all" },
  { type: "node-evacuate", instances: names, evac_mode: "secondary-only" },
];

// The program ends when it has answered; this one goes on.
process.exit = () => {};

for (const request of requests) {
  const bytes = Buffer.from(JSON.stringify({ ...message, request }));
  process.argv.splice(2, process.argv.length, "message");
  program((name) => {
    const module = process.getBuiltinModule(name);
    if (!name.endsWith("fs")) return module;
    return { ...module, readFileSync: () => bytes, writeSync: (_, text) => text.length };
  });
  await new Promise(setImmediate);
}
writeFileSync(codeFile, script.createCachedData());
