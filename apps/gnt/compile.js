// Writer of V8's code cache for a program: `node compile.js PROGRAM SOURCE CODE LOADED` writes to
// CODE what V8 compiles of the program in SOURCE for typical calls, and to LOADED the names of the
// chunks that they load.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Script } from "node:vm";

const [, , name, sourceFile, codeFile, loadedFile] = process.argv;
const script = new Script(readFileSync(sourceFile, "utf8"), { filename: `${name}.js` });
const program = script.runInThisContext();

/** Words of calls that change nothing. */
const calls = {
  gnt: [
    ["instance", "list"],
    ["job", "list"],
    ["node", "list"],
  ],
  "gnt-cluster": [["getmaster"]],
  "gnt-debug": [["locks"], ["delay", "--submit", "1"]],
  "gnt-os": [["list", "--submit"]],
  "gnt-storage": [["--help"]],
}[name] ?? [["list"]];

// A server with one object of each kind.
const folder = mkdtempSync(join(tmpdir(), "gnt-compile-"));
const field = { name: "name", title: "Name", kind: "text", doc: "" };
const server = createServer((request, response) => {
  request.resume();
  const isQuery = request.url.startsWith("/2/query");
  response.end(JSON.stringify(isQuery ? { fields: [field], data: [[[0, "a"]]] } : [{ id: 1 }]));
});
await new Promise((resolve) => server.listen(join(folder, "rapi.sock"), resolve));
process.env.GANETI_TS_DATA = folder;

const loaded = new Set();
for (const words of [...calls, ["--version"]]) {
  process.argv.splice(1, process.argv.length, name, ...words);
  // The program exits when it is done; this process must go on.
  const ended = new Promise((resolve) => {
    process.exit = resolve;
  });
  const made = program(`file:///${name}.js`, (module) => {
    const real = process.getBuiltinModule(module);
    return module === "fs" || module === "node:fs"
      ? { ...real, writeSync: (_, bytes) => bytes.length }
      : real;
  });
  await ended;
  for (const chunk of Object.keys(made)) loaded.add(chunk.replace("./", ""));
}
writeFileSync(loadedFile, JSON.stringify([...loaded]));
writeFileSync(codeFile, script.createCachedData());
server.close();
server.closeAllConnections();
rmSync(folder, { recursive: true });
