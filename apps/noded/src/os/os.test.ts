import { execFileSync } from "node:child_process";
import { chmodSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { InstanceOnNode } from "@ganeti-ts/node-calls";
import { describe, expect, test } from "vitest";
import { aContext, noSignal, type TestContext } from "../../test/a-context.js";
import { lastLines } from "../machine/last-lines.js";
import { osCalls } from "./calls.js";

const scripts = ["create", "import", "export", "rename", "verify"];

/** A definition in the first directory of the search path. */
function define(context: TestContext, name: string, files: Record<string, string> = {}): string {
  const path = `srv/ganeti/os/${name}`;
  for (const script of scripts) context.write(`${path}/${script}`, "#!/bin/sh\n", 0o755);
  const all = { ganeti_api_version: "20\n15\n10\n", ...files };
  for (const [file, text] of Object.entries(all)) {
    context.write(`${path}/${file}`, text, scripts.includes(file) ? 0o755 : 0o644);
  }
  return join(context.root, path);
}

const open = (files?: Record<string, string>) => {
  const context = aContext();
  const path = define(context, "debian", files);
  const device = { path: "/dev/xenvg/data", uri: null };
  const openDisks = async (disks: InstanceOnNode["disks"]) => disks.map(() => device);
  return { context, path, ...osCalls({ ...context, openDisks }) };
};

const instance: InstanceOnNode = {
  ...{ uuid: "uuid-web", name: "web.example.com", os: "debian+small", hypervisor: "kvm" },
  hvparams: { disk_type: "paravirtual", nic_type: "paravirtual", acpi: true, boot_order: null },
  beparams: { vcpus: 2 },
  osparams: { "root-size": "10G" },
  osparams_private: { password: "secret" },
  nics: [
    {
      ...{ uuid: "uuid-nic", mac: "aa:00:00:11:22:33", ip: "192.0.2.5" },
      nicparams: { mode: "bridged", link: "br0", vlan: "" },
      netinfo: { name: "net1", network: "192.0.2.0/24", tags: ["a", "b"] },
    },
  ],
  disks: [
    { uuid: "uuid-disk", dev_type: "plain", logical_id: ["xenvg", "data"], size: 512, mode: "rw" },
    { uuid: "uuid-file", dev_type: "file", logical_id: ["loop", "/x"], size: 8, name: "swap" },
  ],
  ...{ primary_node: "A", secondary_nodes: ["B", "C"], ctime: 1.5, mtime: 2 },
};

describe("definitions", () => {
  test("are listed with variants, parameters and versions", async () => {
    const { os_diagnose, path } = open({
      "variants.list": "# sizes\nsmall\n\nlarge\n",
      "parameters.list": "root-size  Size of the root\nbare\n",
    });
    expect(await os_diagnose({}, noSignal)).toEqual([
      {
        ...{ name: "debian", path, valid: true, fault: "", trusted: true },
        variants: ["small", "large"],
        parameters: [
          ["root-size", "Size of the root"],
          ["bare", ""],
        ],
        apiVersions: [20, 15, 10],
      },
    ]);
  });

  test("of older versions lack later features and do not need their scripts", async () => {
    const { os_diagnose, path } = open({
      ganeti_api_version: "15\n",
      "variants.list": "small\n",
      "parameters.list": "root-size\n",
    });
    rmSync(join(path, "verify"));
    const [found] = await os_diagnose({}, noSignal);
    expect(found).toMatchObject({ valid: true, variants: ["small"], parameters: [] });
  });

  test.each<[string, (path: string) => void, Record<string, string>]>([
    [
      "Required file 'ganeti_api_version' not found",
      (path) => rmSync(join(path, "ganeti_api_version")),
      {},
    ],
    [
      "API version(s) can't be converted to integer: 'new'",
      () => {},
      { ganeti_api_version: "20\nnew\n" },
    ],
    ["found [5], want {10, 15, 20}.", () => {}, { ganeti_api_version: "5\n" }],
    ["File 'import' under path", (path) => rmSync(join(path, "import")), {}],
    ["is not executable", (path) => chmodSync(join(path, "export"), 0o655), {}],
    ["A create script (trusted or untrusted)", (path) => rmSync(join(path, "create")), {}],
  ])("are invalid with %s", async (fault, damage, files) => {
    const { os_diagnose, path } = open(files);
    damage(path);
    const [found] = await os_diagnose({}, noSignal);
    expect(found?.valid).toBe(false);
    expect(found?.fault).toContain(fault);
  });

  test("with the same name are all listed, and the first one is used", async () => {
    const { context, os_diagnose, os_validate } = open();
    context.write("usr/share/ganeti/os/debian/ganeti_api_version", "5\n");
    const found = await os_diagnose({}, noSignal);
    expect(found.map(({ valid }) => valid)).toEqual([true, false]);
    expect(await os_validate({ ...question, name: "debian" }, noSignal)).toBe(true);
  });
});

const question = {
  ...{ required: true, checks: ["parameters"] as const, parameters: {}, forceVariant: false },
};

describe("an OS is refused", () => {
  test.each([
    ["debian+small", {}, "OS 'debian' does not support variants ('small' passed)"],
    ["debian", { "variants.list": "small\n" }, "OS name 'debian' must include a variant"],
    ["debian+huge", { "variants.list": "small\n" }, "does not support variant 'huge'"],
    ["../debian", {}, "Directory for OS ../debian not found in search path"],
  ])("as %s with %j", async (name, files, fault) => {
    const { os_validate } = open(files as Record<string, string>);
    await expect(os_validate({ ...question, name }, noSignal)).rejects.toThrow(fault);
  });

  test("with parameters that it does not declare, or that its script does not accept", async () => {
    const { os_validate } = open({
      "parameters.list": "root-size\n",
      verify: '#!/bin/sh\necho "$1 $OSP_ROOT_SIZE"; test "$OSP_ROOT_SIZE" = 10G\n',
    });
    const ask = (parameters: Record<string, string>) =>
      os_validate({ ...question, name: "debian", parameters }, noSignal);
    expect(await ask({ "root-size": "10G" })).toBe(true);
    await expect(ask({ color: "red" })).rejects.toThrow(
      "The following parameters are not supported by the OS debian: color",
    );
    await expect(ask({ "root-size": "1G" })).rejects.toThrow(
      "OS validation script failed (exited with exit code 1), output: parameters 1G",
    );
  });

  test("with an undeclared variant, unless that is forced", async () => {
    const { os_validate } = open({ "variants.list": "small\n" });
    const forced = { ...question, name: "debian+huge", forceVariant: true };
    expect(await os_validate(forced, noSignal)).toBe(true);
  });
});

describe("the create script", () => {
  const add = { instance, reinstall: false, debugLevel: 0 };
  /** Environment of the create script, which writes it to its log. */
  async function environmentOf(files: Record<string, string>, reinstall: boolean) {
    const create = "#!/bin/sh\npwd; exec /usr/bin/env\n";
    const { context, path, instance_os_add } = open({ create, ...files });
    await instance_os_add({ ...add, reinstall }, noSignal);
    const [log = ""] = readdirSync(join(context.paths.log, "os"));
    expect(log).toMatch(
      /^add-debian\+small-web\.example\.com-\d{4}-\d\d-\d\d_\d\d_\d\d_\d\d\.log$/,
    );
    const [directory, ...lines] = readFileSync(join(context.paths.log, "os", log), "utf8").split(
      "\n",
    );
    expect(directory).toBe(path);
    const pairs = lines.filter((line) => line !== "").map((line) => line.split(/=(.*)/s, 2));
    const { PWD: _, SHLVL: __, _: ___, ...variables } = Object.fromEntries(pairs);
    return variables;
  }

  test("gets the whole environment of the instance and nothing from the daemon's", async () => {
    expect(await environmentOf({ "variants.list": "large\nsmall\n" }, true)).toEqual({
      ...{ OS_API_VERSION: "20", OS_NAME: "debian", DEBUG_LEVEL: "0", OS_VARIANT: "small" },
      ...{ OSP_ROOT_SIZE: "10G", OSP_PASSWORD: "secret", PATH: "/sbin:/bin:/usr/sbin:/usr/bin" },
      ...{ INSTANCE_NAME: "web.example.com", INSTANCE_OS: "debian+small" },
      ...{ INSTANCE_UUID: "uuid-web", INSTANCE_CTIME: "1.5", INSTANCE_MTIME: "2" },
      ...{ INSTANCE_PRIMARY_NODE: "A", INSTANCE_SECONDARY_NODES: "B C" },
      ...{ HYPERVISOR: "kvm", INSTANCE_HYPERVISOR: "kvm", INSTANCE_REINSTALL: "1" },
      ...{ INSTANCE_HV_disk_type: "paravirtual", INSTANCE_HV_nic_type: "paravirtual" },
      ...{ INSTANCE_HV_acpi: "True", INSTANCE_HV_boot_order: "None", INSTANCE_BE_vcpus: "2" },
      ...{ DISK_COUNT: "2", DISK_0_PATH: "/dev/xenvg/data", DISK_0_URI: "", DISK_0_SIZE: "512" },
      ...{ DISK_0_ACCESS: "rw", DISK_0_UUID: "uuid-disk", DISK_0_BACKEND_TYPE: "block" },
      ...{ DISK_0_FRONTEND_TYPE: "paravirtual", DISK_1_FRONTEND_TYPE: "paravirtual" },
      ...{ DISK_1_PATH: "/dev/xenvg/data", DISK_1_URI: "", DISK_1_SIZE: "8", DISK_1_ACCESS: "rw" },
      ...{ DISK_1_UUID: "uuid-file", DISK_1_NAME: "swap", DISK_1_BACKEND_TYPE: "file:loop" },
      ...{ NIC_COUNT: "1", NIC_0_MAC: "aa:00:00:11:22:33", NIC_0_UUID: "uuid-nic" },
      ...{ NIC_0_IP: "192.0.2.5", NIC_0_MODE: "bridged", NIC_0_LINK: "br0", NIC_0_BRIDGE: "br0" },
      ...{ NIC_0_FRONTEND_TYPE: "paravirtual", NIC_0_NETWORK_NAME: "net1" },
      ...{ NIC_0_NETWORK_SUBNET: "192.0.2.0/24", NIC_0_NETWORK_TAGS: "a b" },
    });
  });

  test("for version 10 gets nothing that came with version 15", async () => {
    const files = { ganeti_api_version: "10\n", "variants.list": "small\n" };
    const variables = await environmentOf(files, false);
    expect(variables).toMatchObject({ OS_API_VERSION: "10", OS_VARIANT: "", HYPERVISOR: "kvm" });
    const late = Object.keys(variables).filter((name) => /^INSTANCE_(HV|BE|HYPERVISOR)/.test(name));
    expect(late).toEqual([]);
  });

  test("fails with the last 20 lines of its log", async () => {
    const create =
      "#!/bin/sh\nfor i in $(/usr/bin/seq 30); do echo line $i; done\nprintf 'a\\tb' >&2; exit 3\n";
    const { instance_os_add } = open({ create, "variants.list": "small\n" });
    const fault = await instance_os_add(add, noSignal).catch((error: Error) => error.message);
    const [first, ...lines] = String(fault).split("\n");
    expect(first).toBe(
      "OS create script failed (exited with exit code 3), last lines in the log file:",
    );
    expect([lines.length, lines[0], lines.at(-1)]).toEqual([20, "line 12", "a\\tb"]);
  });

  test("of an untrusted OS is not run on the node", async () => {
    const { instance_os_add, path } = open({ "variants.list": "small\n" });
    execFileSync("mv", [join(path, "create"), join(path, "create_untrusted")]);
    const call = instance_os_add(add, noSignal);
    await expect(call).rejects.toThrow("OS 'debian' has no trusted create script");
  });
});

test("the rename script gets the old name, and its log has both", async () => {
  const { context, instance_run_rename } = open({
    rename: "#!/bin/sh\necho $OLD_INSTANCE_NAME\n",
    "variants.list": "small\n",
  });
  await instance_run_rename({ instance, oldName: "old.example.com", debugLevel: 0 }, noSignal);
  const [log = ""] = readdirSync(join(context.paths.log, "os"));
  expect(log).toContain("rename-debian+small-old.example.com-web.example.com-");
  expect(readFileSync(join(context.paths.log, "os", log), "utf8")).toBe("old.example.com\n");
});

test("only the last 4 KiB of a log are read", async () => {
  const path = aContext().write("log", `${"x".repeat(5000)}\nend\n`);
  const lines = await lastLines(path);
  expect([lines.length, lines[0]?.length, lines[1]]).toEqual([2, 4096 - 5, "end"]);
});

test("an exported OS has its files and the environment", async () => {
  const { os_export } = open({ "variants.list": "small\n" });
  const archive = await os_export({ instance, environment: { EXTRA: "1" } }, noSignal);
  const text = execFileSync("tar", ["-xzOf", archive, "./environment"], { encoding: "utf8" });
  const names = execFileSync("tar", ["-tzf", archive], { encoding: "utf8" });
  rmSync(archive);
  expect(text).toContain("INSTANCE_NAME=web.example.com\n");
  expect(text).toContain("EXTRA=1\n");
  expect(names).toContain("./os/create\n");
});

test("providers of external storage are listed with the first script that is missing", async () => {
  const { context, extstorage_diagnose } = open();
  const path = "usr/share/ganeti/extstorage";
  for (const name of ["create", "attach", "detach", "remove", "grow", "setinfo", "verify"]) {
    context.write(`${path}/good/${name}`, "", 0o755);
  }
  context.write(`${path}/good/parameters.list`, "pool The pool\n");
  context.write(`${path}/bad/create`, "", 0o755);
  expect(await extstorage_diagnose({}, noSignal)).toMatchObject([
    { name: "bad", valid: false, fault: expect.stringContaining("File 'attach' under path") },
    { name: "good", valid: true, parameters: [["pool", "The pool"]] },
  ]);
});
