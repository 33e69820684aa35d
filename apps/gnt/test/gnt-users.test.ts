// gnt-cluster user: the server's file of users, including lines written by others.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ConnectionFailure } from "../src/errors.js";
import { program as gntCluster } from "../src/programs/gnt-cluster.js";
import { fakeCluster } from "./fake-cluster.js";
import { runLine } from "./run-line.js";

let dataDirectory: string;
beforeEach(() => {
  dataDirectory = mkdtempSync(join(tmpdir(), "users-"));
});
afterEach(() => rmSync(dataDirectory, { recursive: true }));

const user = (line: string) => runLine(gntCluster, `user ${line}`, { dataDirectory });
const file = () => join(dataDirectory, "rapi", "users");
const text = () => readFileSync(file(), "utf8");

/** A file with the password in its first line. */
function passwordFile(password: string): string {
  const path = join(dataDirectory, "password");
  writeFileSync(path, `${password}\nignored\n`);
  return path;
}

test("an added user is stored with a hash in Ganeti's format, readable for the owner alone", async () => {
  const added = await user(
    `add --rights=read --new-password-file=${passwordFile("pass word")} rita`,
  );
  expect(added).toEqual({ code: 0, stdout: "", stderr: "" });
  // The hash of "rita:Ganeti Remote API:pass word".
  expect(text()).toBe("rita {HA1}8a27b7f622ad8b6f5cb580e230ddb3ec read\n");
  expect(statSync(file()).mode & 0o777).toBe(0o600);
});

test("a generated password is shown once, and not stored", async () => {
  const { code, stdout } = await user("add --rights=full jack");
  const [, password = ""] = /^Password of jack: (\S{20})\n$/.exec(stdout) ?? [];
  expect([code, password]).toEqual([0, expect.stringMatching(/^[\w-]{20}$/)]);
  expect(text()).toMatch(/^jack \{HA1\}[0-9a-f]{32} write,full\n$/);
  expect(text()).not.toContain(password);
});

test.each(["add jack", "passwd jack", "remove jack"])(
  "the nodes get the file after %s, and a failure of that is told",
  async (line) => {
    if (!line.startsWith("add")) await user("add jack");
    const cluster = fakeCluster();
    expect(await runLine(gntCluster, `user ${line}`, { dataDirectory, cluster })).toMatchObject({
      code: 0,
      stderr: "",
    });
    expect(cluster.submitted).toEqual([[{ OP_ID: "OP_CLUSTER_REDIST_CONF" }]]);

    if (line.startsWith("add")) await user("remove jack");
    if (line.startsWith("remove")) await user("add jack");
    const drained = fakeCluster({ jobOf: () => "Job queue is drained, refusing job" });
    const { code, stderr } = await runLine(gntCluster, `user ${line}`, {
      dataDirectory,
      cluster: drained,
    });
    expect([code, stderr]).toEqual([
      1,
      'The change counts on this machine, but could not be given to the nodes: Job queue is drained, refusing job\nRepeat that with "gnt-cluster redist-conf".\n',
    ]);
  },
);

test("a user is added while no server answers: it reads the file when it starts", async () => {
  const submit = async () => {
    throw new ConnectionFailure("Cannot connect");
  };
  const cluster = { ...fakeCluster(), submit };
  const added = await runLine(gntCluster, "user add jack", { dataDirectory, cluster });
  expect(added).toMatchObject({ code: 0, stderr: "" });
  expect(text()).toMatch(/^jack /);
});

test("comments and other users stay unchanged by every change", async () => {
  mkdirSync(join(dataDirectory, "rapi"));
  const others = "# mine\nodd {SHA}5baa61e4c9b93f3f write\n\nbob secret\n";
  writeFileSync(file(), `${others}jack abc123 write\n`);
  expect((await user("passwd --rights=full jack")).code).toBe(0);
  expect(text()).toBe(`${others}jack abc123 write,full\n`);
  expect((await user("passwd jack")).code).toBe(0);
  expect(text()).toMatch(/jack \{HA1\}[0-9a-f]{32} write,full\n$/);
  expect((await user("remove jack")).code).toBe(0);
  expect(text()).toBe(others);
});

test("the list shows users with their rights, without passwords", async () => {
  await user("add --rights=write jack");
  mkdirSync(join(dataDirectory, "rapi"), { recursive: true });
  writeFileSync(file(), `${text()}bob secret\n`);
  expect((await user("list")).stdout).toBe(
    "Name Rights Password \njack write  hashed\nbob  none   cleartext\n",
  );
});

test.each([
  ["add a:b", "'a:b' cannot be the name of a user: no blanks, no colon, no # at its beginning"],
  ["add", "Missing name of the user to add"],
  ["passwd nobody", "There is no user 'nobody': see gnt-cluster user list"],
  ["remove nobody", "There is no user 'nobody': see gnt-cluster user list"],
])("user %s is refused: %s", async (line, says) => {
  const { code, stderr } = await user(line);
  expect(code).toBe(1);
  expect(stderr).toContain(says);
});

test("adding an existing user is refused", async () => {
  await user("add jack");
  const before = text();
  const { code, stderr } = await user("add jack");
  expect([code, stderr]).toEqual([1, expect.stringContaining("There is a user 'jack' already")]);
  expect(text()).toBe(before);
});

test("users of a remote server cannot be changed here", async () => {
  const { code, stderr } = await user("list --url=https://example.com:5080");
  expect([code, stderr]).toEqual([1, expect.stringContaining("change them where it runs")]);
});

test("init creates the requested user and shows its password", async () => {
  const program = join(dataDirectory, "server.js");
  writeFileSync(program, "process.exit(0);\n");
  const env = { GANETI_RAPI_PROGRAM: program };
  const init = (options: string) =>
    runLine(gntCluster, `init --simulated --no-start ${options} x.example.com`, {
      env,
      dataDirectory,
    });
  expect((await init("--api-user=jack:root")).stderr).toContain(
    "--api-user is NAME or NAME:RIGHTS",
  );
  const { code, stdout } = await init("--api-user=jack");
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^Password of jack: \S{20}$/m)]);
  expect(text()).toMatch(/^jack \{HA1\}[0-9a-f]{32} write\n$/);
});

test.each([
  ["{", ""],
  ['{"version":2,"state":"adopted","site":{"data":"/x"}}', "version"],
  ['{"version":1,"state":"gone","site":{"data":"/x"}}', "state"],
  ['{"version":1,"state":"adopted","site":{}}', "site/data"],
])(
  "a damaged record of an adoption, %s, is named, and no user is written anywhere",
  async (record, place) => {
    const path = join(dataDirectory, "adopted.json");
    writeFileSync(path, record);
    const { code, stderr } = await user("add --rights=read rita");
    expect(code).toBe(1);
    expect(stderr).toContain(`${path} is damaged: ${place}: `);
    expect(existsSync(file())).toBe(false);
  },
);

test("users of an adopted cluster are in the file of its data folder, after a return in our own", async () => {
  const site = { host: "node1.example.com", data: join(dataDirectory, "ganeti") };
  const record = (state: string) =>
    writeFileSync(join(dataDirectory, "adopted.json"), JSON.stringify({ version: 1, state, site }));
  record("adopted");
  expect((await user("add --rights=read rita")).code).toBe(0);
  expect(readFileSync(join(site.data, "rapi", "users"), "utf8")).toMatch(/^rita /);
  expect(existsSync(file())).toBe(false);
  record("handed back");
  expect((await user("add --rights=read jack")).code).toBe(0);
  expect(text()).toMatch(/^jack /);
});
