// gnt-cluster init and destroy in states that forbid them, before a server is called.
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { program as gntCluster } from "../src/programs/gnt-cluster.js";
import { fakeCluster } from "./fake-cluster.js";
import { runLine } from "./run-line.js";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "beginning-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A fake server program that prints the given text and exits with the code. */
function aServer(says: string, code: number): string {
  const file = join(folder, "server.js");
  writeFileSync(file, `console.error(${JSON.stringify(says)}); process.exit(${code});\n`);
  return file;
}

const refusal = (code: string, text: string) =>
  `Failure: prerequisites not met for this operation:\nerror type: ${code}, error details:\n${text}\n`;

test.each([
  [
    "--init: 'bad name' is not a valid host name\nTry 'ganeti-rapi --help'.",
    ...["wrong_input", "'bad name' is not a valid host name"],
  ],
  ["Cluster is already initialised", "wrong_state", "Cluster is already initialised"],
  ["EACCES: permission denied, mkdir '/x'", "wrong_input", "EACCES: permission denied, mkdir '/x'"],
])("what the server refuses to make is told without its options: %s", async (says, code, text) => {
  const env = { GANETI_RAPI_PROGRAM: aServer(`ganeti-rapi: ${says}`, 1) };
  const ran = await runLine(gntCluster, "init --simulated 'bad name'", {
    env,
    dataDirectory: join(folder, "new"),
  });
  expect(ran).toEqual({ code: 1, stdout: "", stderr: refusal(code, text) });
});

test.each([
  ["SIGILL", "The server's program was ended by SIGILL: it needs a processor with SSE4.1.\n"],
  ["SIGKILL", "The server's program was ended by SIGKILL.\n"],
])("a server's program that dies of %s is reported with the signal", async (signal, stderr) => {
  const file = join(folder, "dying.js");
  writeFileSync(file, `process.kill(process.pid, "${signal}"); setInterval(() => {}, 1000);\n`);
  const ran = await runLine(gntCluster, "init --simulated x.example.com", {
    env: { GANETI_RAPI_PROGRAM: file },
    dataDirectory: join(folder, "dead"),
  });
  expect(ran).toEqual({ code: 1, stdout: "", stderr });
});

test("init refuses a cluster whose server runs, without a question", async () => {
  const dataDirectory = join(folder, "served");
  mkdirSync(dataDirectory);
  writeFileSync(join(dataDirectory, "rapi.pid"), `${process.pid}\n`);
  const env = { GANETI_RAPI_PROGRAM: aServer("asked", 3) };
  const { code, stderr } = await runLine(gntCluster, "init --simulated x.example.com", {
    env,
    dataDirectory,
  });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: refusal("wrong_state", "Cluster is already initialised"),
  });
});

test("a server that does not start is reported with the end of its log", async () => {
  const file = join(folder, "half.js");
  writeFileSync(
    file,
    'if (process.argv.includes("--init-only")) process.exit(0); console.error("port is taken"); process.exit(4);\n',
  );
  chmodSync(file, 0o700);
  const dataDirectory = join(folder, "half");
  const { code, stderr } = await runLine(gntCluster, "init --simulated --port=1 x.example.com", {
    env: { GANETI_RAPI_PROGRAM: file },
    dataDirectory,
  });
  expect(code).toBe(1);
  expect(stderr).toBe(
    "The cluster is made, but its server did not start: it ended with code 4.\nport is taken\n" +
      `Start it with: ganeti-rapi --data-dir=${dataDirectory} -p PORT\n`,
  );
});

test("destroy refuses a cluster in a database that other servers may share", async () => {
  const dataDirectory = join(folder, "shared");
  mkdirSync(dataDirectory);
  writeFileSync(join(dataDirectory, "rapi.sock"), "");
  const cluster = fakeCluster();
  const line = "destroy --yes-do-it";
  const { code, stderr } = await runLine(gntCluster, line, { cluster, dataDirectory });
  expect(code).toBe(1);
  expect(stderr).toContain(
    "it is kept in the database that its servers were started with (--store)",
  );
  expect(cluster.submitted).toEqual([]);
});

test("destroy refuses a cluster with instances, and its server keeps running", async () => {
  const error = [
    "OpPrereqError",
    ["There are still 2 instance(s) in this cluster.", "wrong_input"],
  ];
  const cluster = fakeCluster({ jobOf: () => ({ error }) });
  const { code, stderr } = await runLine(gntCluster, "destroy --yes-do-it", { cluster });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: refusal("wrong_input", "There are still 2 instance(s) in this cluster."),
  });
});

test("a twin is made by the server program, which gets the password not as an argument", async () => {
  const program = join(folder, "twin-server.js");
  const seen = join(folder, "twin-seen.json");
  writeFileSync(
    program,
    `const { argv, env } = process;
require("node:fs").writeFileSync(${JSON.stringify(seen)}, JSON.stringify([argv.slice(2), env.GANETI_RAPI_USER, env.GANETI_RAPI_PASSWORD]));
console.log("no figures");`,
  );
  const password = join(folder, "password");
  writeFileSync(password, "secret\nrest\n");
  const dataDirectory = join(folder, "twin");
  const line = `twin --no-start --user=jack --password-file=${password} --insecure --figures=now.data https://x:5080`;
  const env = { GANETI_RAPI_PROGRAM: program };
  const { code, stdout } = await runLine(gntCluster, line, { env, dataDirectory });
  expect(code).toBe(0);
  expect(stdout).toContain("Note: no figures\n");
  expect(JSON.parse(readFileSync(seen, "utf8"))).toEqual([
    [
      ...["--twin=https://x:5080", "--twin-figures=now.data", "--insecure"],
      ...["--data-dir", dataDirectory],
    ],
    "jack",
    "secret",
  ]);
});

test("a shadow runs in the foreground, and its exit code is that of the command", async () => {
  const program = join(folder, "shadow-server.js");
  const seen = join(folder, "shadow-seen.json");
  writeFileSync(
    program,
    `require("node:fs").writeFileSync(${JSON.stringify(seen)}, JSON.stringify(process.argv.slice(2)));
process.exit(3);`,
  );
  const dataDirectory = join(folder, "shadow");
  const env = { GANETI_RAPI_PROGRAM: program };
  const { code } = await runLine(gntCluster, "shadow --once --json --interval=9 --insecure", {
    env,
    dataDirectory,
  });
  expect(code).toBe(1);
  expect(JSON.parse(readFileSync(seen, "utf8"))).toEqual([
    ...["--shadow=https://localhost:5080", "-p", "5090", "--shadow-interval=9"],
    ...["--shadow-once", "--shadow-json", "--insecure", "--data-dir", dataDirectory],
  ]);
});

test.each([
  { file: "adopted.json", says: "hand the cluster back to Ganeti, renew it there" },
  { file: "real-nodes", says: "nodes keep the one that they were given when they joined" },
])(
  "the cluster's certificate is not renewed where $file says that nodes have it",
  async ({ file, says }) => {
    const dataDirectory = join(folder, `renewing-${file}`);
    mkdirSync(dataDirectory);
    writeFileSync(join(dataDirectory, file), "");
    const line = "renew-crypto --force --new-cluster-certificate";
    const { code, stderr } = await runLine(gntCluster, line, { dataDirectory });
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(`Cannot do --new-cluster-certificate: ${says}`),
    ]);
  },
);
