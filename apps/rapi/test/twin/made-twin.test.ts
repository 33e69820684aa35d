// Twins made by the program: sources, the mark, and parts that are left out.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfigFile, writeConfigFile } from "@ganeti-ts/config";
import { secureRandom } from "@ganeti-ts/protocol";
import { openRapi } from "@ganeti-ts/rapi-client";
import { makeTwin, readOrigin } from "@ganeti-ts/twin";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createLog } from "../../src/log.js";
import { openDataDirectory } from "../../src/program/data-directory.js";
import { makeTwinOnly } from "../../src/program/make-twin-only.js";
import { type Options, readOptions } from "../../src/program/options.js";
import { serve } from "../../src/program/serve.js";
import { closeUnused, openStores } from "../../src/program/stores.js";
import { writeTwinMark } from "../../src/program/twin-mark.js";
import { withInstances } from "../instances.js";
import { aServer, type TestServer } from "../served.js";
import { readByLuxi, textOf, withTwin } from "./twin-in-memory.js";

let original: TestServer;
let folder: string;
beforeAll(async () => {
  original = await aServer("--no-ssl");
  folder = mkdtempSync(join(tmpdir(), "twin-"));
  const os_type = "debian+stable";
  const usual = { os_type, osparams_private: { extra_packages: "very-secret" } };
  await withInstances(original, [
    { ...usual, instance_name: "a.example.com", disk_template: "drbd" },
    { ...usual, instance_name: "b.example.com", disk_template: "plain", start: false },
  ]);
});
afterAll(async () => {
  await original.end();
  rmSync(folder, { recursive: true });
});

const access = { user: "jack", password: "abc123", verifyCertificate: true };
const making = { random: { fraction: Math.random }, now: 1 };

async function sources() {
  const config = join(folder, "config.data");
  const text = join(folder, "now.data");
  writeFileSync(config, writeConfigFile(original.cluster.snapshot().content()));
  writeFileSync(text, textOf(await readByLuxi(original.cluster)));
  return { config, text, url: original.url };
}

test.each<[string, (of: Sources) => readonly [source: string, figures: string | undefined]]>([
  ["the text format", (of) => [of.text, undefined]],
  ["the remote API", (of) => [of.url, undefined]],
  ["a configuration and the text format", (of) => [of.config, of.text]],
  ["a configuration and the remote API", (of) => [of.config, of.url]],
])("a twin from %s has the figures of its original", async (_, choose) => {
  const [source, figures] = choose(await sources());
  const origin = await readOrigin({ source, figures, access });
  expect(await withTwin(origin, async (twin) => textOf(await readByLuxi(twin)))).toBe(
    textOf(await readByLuxi(original.cluster)),
  );
  expect(origin.remarks).toEqual([]);
});
type Sources = Awaited<ReturnType<typeof sources>>;

test("the configuration of a twin is a valid one, also without figures of nodes", async () => {
  const { config, url, text } = await sources();
  for (const source of [config, url, text]) {
    const { content } = await readOrigin({ source, figures: undefined, access });
    expect(readConfigFile(writeConfigFile(content), making).content).toEqual(content);
  }
});

test("a configuration without figures gives a remark that says so", async () => {
  const { config } = await sources();
  const { remarks } = await readOrigin({ source: config, figures: undefined, access });
  expect(remarks).toEqual([expect.stringContaining("has no figures of its nodes")]);
});

test("no file of a twin contains a secret of its original", async () => {
  const { config } = await sources();
  const secrets = original.cluster
    .snapshot()
    .content()
    .disks.flatMap(({ dev_type, logical_id }) =>
      dev_type === "drbd" ? [String(logical_id?.[5])] : [],
    );
  expect(secrets).toHaveLength(1);
  expect(readFileSync(config, "utf8")).toContain("very-secret");
  const options = readOptions(["--data-dir", join(folder, "quiet"), `--twin=${config}`]);
  if (typeof options === "string") throw new Error(options);
  const wanted = { source: config, figures: undefined, access };
  await makeTwinOnly(options, wanted, createLog("silent"));
  const files = readdirSync(join(folder, "quiet"), { recursive: true, withFileTypes: true });
  const contents = files
    .filter((one) => one.isFile())
    .map((one) => readFileSync(join(one.parentPath, one.name), "latin1"));
  expect(contents.join()).toContain("a.example.com");
  for (const secret of ["very-secret", ...secrets]) expect(contents.join()).not.toContain(secret);
});

test("a served twin names itself in each answer, in its information and to clients", async () => {
  const { url } = await sources();
  const data = join(folder, "served");
  const making = readOptions(["--data-dir", data, `--twin=${url}`]);
  const serving = readOptions(["--data-dir", data, "--no-ssl", "-p", "0", "--anonymous-reads"]);
  if (typeof making === "string" || typeof serving === "string") throw new Error("options");
  const source = url.replace("//", "//jack:abc123@");
  const log = createLog("silent");
  await makeTwinOnly(making, { source, figures: undefined, access }, log);
  const twin = await serve(serving, log);
  try {
    const notes: string[] = [];
    const rapi = openRapi({ url: twin.url, onNote: (note) => notes.push(note) });
    const { note, name } = await rapi.info();
    expect(name).toBe("demo.example.com");
    expect(note).toMatch(/^this is a twin of demo\.example\.com, made from http:/);
    expect(note).not.toContain("abc123");
    expect(notes).toEqual([note]);
    const answer = await fetch(`${twin.url}/2/nothing`);
    expect(answer.headers.get("x-ganeti-ts-note")).toBe(note);
  } finally {
    await twin.stop();
  }
  expect((await fetch(`${original.url}/2/info`)).headers.has("x-ganeti-ts-note")).toBe(false);
});

test("a twin can be made where an earlier attempt has failed, before or after its nodes were written", async () => {
  const { config } = await sources();
  const wanted = { source: config, figures: undefined, access };
  const log = createLog("silent");
  const at = (name: string, ...words: string[]) =>
    readOptions([`--data-dir=${join(folder, name)}`, `--twin=${config}`, ...words]) as Options;
  const early = makeTwinOnly(at("early", `--confd-key=${folder}/missing/key`), wanted, log);
  await expect(early).rejects.toThrow();
  await makeTwinOnly(at("early"), wanted, log);

  const late = at("late");
  const directory = openDataDirectory(join(folder, "late"));
  const stores = await openStores(late, directory);
  writeTwinMark(directory.path, { cluster: "c", source: config, madeAt: "" });
  const broken = new Proxy(stores.config, {
    get() {
      throw new Error("the disk is full");
    },
  });
  const origin = await readOrigin(wanted);
  const attempt = makeTwin({ ...stores, config: broken }, origin, secureRandom);
  await expect(attempt).rejects.toThrow("the disk is full");
  await closeUnused(stores);
  await makeTwinOnly(late, wanted, log);
});
