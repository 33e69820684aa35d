#!/usr/bin/env node
// The command of the bench: `pnpm reference up`, `exec`, `record`, `status`, `down`.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { benchNames, bringUp, findBench, type ReferenceBench, removeBench } from "./bench.js";
import { unpackPackages } from "./packages.js";
import { writeRecording } from "./recording.js";
import { releaseNamed, releases } from "./release.js";

const usage = `Usage: pnpm reference COMMAND

  install [--version VERSION]     unpack Debian's packages of Ganeti into a folder of their own
  up [--version VERSION] [--nodes N] [--bare] [--storage] [--fresh]
                                  bring up a bench; --bare leaves it without instances and the like, --storage
                                  adds stand-ins for LVM and DRBD, --fresh uses no snapshot of an earlier start
  exec [--node NAME] -- PROGRAM [ARGUMENT...]
                                  run a program on a node, the master by default
  record FOLDER -- PROGRAM [ARGUMENT...]
                                  the same, and write node calls, LUXI and RAPI exchanges into FOLDER
  status                          all benches of this machine
  down                            end all processes of a bench and remove its folder

All but install and status take --name NAME, \`default\` if it is not given: benches of different names run
beside each other. With --install, up unpacks the packages first if they are missing. VERSION is 3.0, the default, for
Ganeti ${releases["3.0"].version} of Debian 12, or 3.1 for ${releases["3.1"].version} of Debian 13, which comes with a root file system of Debian 13
(450 MB).
`;

const say = (line: string) => process.stderr.write(`${line}\n`);

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      name: { type: "string", default: "default" },
      nodes: { type: "string", default: "3" },
      node: { type: "string" },
      bare: { type: "boolean", default: false },
      storage: { type: "boolean", default: false },
      fresh: { type: "boolean", default: false },
      install: { type: "boolean", default: false },
      version: { type: "string", default: "3.0" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  const [command, ...rest] = positionals;
  const release = releaseNamed(values.version);
  if (values.help || command === undefined) {
    process.stdout.write(usage);
    return values.help ? 0 : 2;
  }
  switch (command) {
    case "install":
      unpackPackages(say, release);
      return 0;
    case "up": {
      if (values.install) unpackPackages(say, release);
      const { name, bare, storage, fresh } = values;
      const nodeCount = wholeNumber(values.nodes);
      const version = release.name;
      describe(await bringUp({ name, version, nodeCount, populated: !bare, storage, fresh, say }));
      return 0;
    }
    case "status":
      for (const name of benchNames()) status(name);
      return 0;
    case "down":
      await removeBench(values.name);
      return 0;
    case "exec":
      return await exec(running(values.name), values.node, rest);
    case "record":
      return await record(running(values.name), rest);
    default:
      say(`unknown command ${command}`);
      process.stderr.write(usage);
      return 2;
  }
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d?$/.test(text)) throw new Error(`not a number of nodes from 1 to 99: ${text}`);
  return Number(text);
}

function running(name: string): ReferenceBench {
  const bench = findBench(name);
  if (bench === undefined) throw new Error(`no bench ${name} is up`);
  return bench;
}

function status(name: string): void {
  const bench = findBench(name);
  const count = bench?.processes().length ?? 0;
  if (bench === undefined || count === 0) process.stdout.write(`${name}: not running\n`);
  else process.stdout.write(`${name}: ${count} processes, ${bench.directory}\n`);
}

function describe(bench: ReferenceBench): void {
  const { directory, initPid, nodes, rapi, luxiSocket, cluster, release } = bench;
  const { name, password } = rapi.users.writer;
  const lines = [
    `Ganeti    ${release.version}`,
    `cluster   ${cluster.name} (${cluster.address})`,
    ...nodes.map((node) => `node      ${node.name} (${node.address}) ${node.root}`),
    `RAPI      https://${name}:${password}@${rapi.address}:${rapi.port} (inside)`,
    `LUXI      ${luxiSocket}`,
    `folder    ${directory}`,
    `inside    nsenter --target ${initPid} --mount --net --pid --ipc`,
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
}

async function exec(
  bench: ReferenceBench,
  nodeName: string | undefined,
  command: readonly string[],
): Promise<number> {
  const node = bench.nodes.find(({ name }) => nodeName === undefined || name === nodeName);
  if (node === undefined) throw new Error(`no node ${nodeName}`);
  const [program, ...args] = command;
  if (program === undefined) throw new Error("exec needs a program");
  const { status: code, stdout, stderr } = await bench.attempt(program, args, { node });
  process.stdout.write(stdout);
  process.stderr.write(stderr);
  return code ?? 1;
}

async function record(bench: ReferenceBench, words: readonly string[]): Promise<number> {
  const [folder, program, ...args] = words;
  if (folder === undefined || program === undefined) {
    throw new Error("record needs a folder and a program");
  }
  const { recording, value } = await bench.record(() => bench.attempt(program, args));
  writeRecording(folder, recording);
  const run = { command: [program, ...args], ...value };
  writeFileSync(join(folder, "command.json"), `${JSON.stringify(run, null, 2)}\n`);
  process.stdout.write(value.stdout);
  process.stderr.write(value.stderr);
  const { nodeCalls, luxi, rapi } = recording;
  say(`${nodeCalls.length} node calls, ${luxi.length} LUXI and ${rapi.length} RAPI exchanges`);
  return value.status ?? 1;
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    say(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  },
);
