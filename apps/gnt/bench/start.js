// Benchmark of the duration of commands, compared with a program that does nothing: `node
// bench/start.js [ROUNDS]`.
//
// CPU time (user and system, in steps of 10 ms) measures the cost of a command, elapsed time what a
// user perceives on a quiet machine. The server is one of this process that answers at once, so
// that only the command is measured.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { helpIfAsked } from "../../../tooling/bench.js";

helpIfAsked(new URL(import.meta.url));

const rounds = Number(process.argv[2] ?? 20);
const dist = fileURLToPath(new URL("../dist/", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "gnt-bench-"));
const empty = join(folder, "empty.cjs");
writeFileSync(empty, "");

const text = (name) => ({ name, title: name, kind: "text", doc: "" });
const server = createServer(async (request, response) => {
  let body = "";
  for await (const part of request) body += part;
  const { fields = [] } = body === "" ? {} : JSON.parse(body);
  const row = fields.map((field) => [0, `${field} of web1.example.com`]);
  const data = Array.from({ length: 20 }, () => row);
  response.end(JSON.stringify({ fields: fields.map(text), data }));
});
await new Promise((resolve) => server.listen(join(folder, "rapi.sock"), resolve));

const commands = [
  [empty],
  [join(dist, "gnt-instance.js"), "list", "-o", "name,pnode,status"],
  [join(dist, "gnt.js"), "instance", "list", "-o", "name,pnode,status"],
  [join(dist, "gnt-instance.js"), "list", "-o", "name", 'name == "web1"'],
  [join(dist, "gnt-instance.js"), "add", "--help"],
  [join(dist, "gnt-instance.js"), "--version"],
];
const found = commands.map(() => []);
for (let round = 0; round < rounds; round++) {
  for (const [at, words] of commands.entries()) found[at].push(await measured(words));
}
for (const [at, [program, ...words]] of commands.entries()) {
  const median = (what) =>
    found[at]
      .map(what)
      .sort((a, b) => a - b)
      [rounds >> 1].toFixed(0);
  const name = program === empty ? "node, nothing" : program.replace(dist, "");
  const line = [name, ...words].join(" ");
  console.log(
    `${median((one) => one.cpuMs).padStart(5)} ms CPU ${median((one) => one.ms).padStart(5)} ms  ${line}`,
  );
}
server.close();
server.closeAllConnections();
rmSync(folder, { recursive: true });

/** @throws Error if the command prints nothing, because then nothing was measured */
async function measured(words) {
  const started = performance.now();
  // A separate shell reports the times of its child.
  const script = '"$@" > "$OUT" 2>&1; times';
  const out = join(folder, "out");
  const child = spawn("sh", ["-c", script, "sh", process.execPath, ...words], {
    env: { ...process.env, GANETI_TS_DATA: folder, OUT: out },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  for await (const part of child.stdout) said += part;
  const ms = performance.now() - started;
  if (words[0] !== empty && statSync(out).size === 0) throw new Error(`${words} said nothing`);
  const seconds = [...said.split("\n")[1].matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, rest]) => Number(minutes) * 60 + Number(rest),
  );
  return { ms, cpuMs: 1000 * (seconds[0] + seconds[1]) };
}
