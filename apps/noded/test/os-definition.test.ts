// The scripts of the OS definition `debian` on a disk in a file, with a small tree in place of packages.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readDefinition } from "../src/os/definition.js";

const definition = join(import.meta.dirname, "../os-definitions/debian");
const path = "/sbin:/bin:/usr/sbin:/usr/bin";
const needed = ["mke2fs", "debugfs", "e2fsck"];
const missing = needed.filter((name) =>
  path.split(":").every((folder) => !existsSync(join(folder, name))),
);
if (missing.length > 0) console.warn(`SKIPPED: ${missing.join(", ")} of e2fsprogs`);

let folder = "";
let disk = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "os-definition-"));
  disk = join(folder, "disk");
  for (const part of ["boot/grub", "etc/network"]) {
    mkdirSync(join(folder, "tree", part), { recursive: true });
  }
  for (const part of ["core.img", "boot.img"]) {
    writeFileSync(join(folder, "tree/boot/grub", part), Buffer.alloc(512, part));
  }
  writeFileSync(join(folder, "tree/etc/shadow"), "root:*:19000:0:99999:7:::\nbin:*:1:0:9:7:::\n");
});
afterAll(() => rmSync(folder, { recursive: true }));

type Variables = Readonly<Record<string, string>>;

const instance: Variables = { INSTANCE_NAME: "web1.example.com", OS_VARIANT: "small" };

const script = (name: string, variables: Variables, words: readonly string[] = [], input = "") =>
  spawnSync(join(definition, name), words, {
    cwd: definition,
    env: { PATH: path, ...instance, ...variables },
    input,
    encoding: "latin1",
    maxBuffer: 64 * 1024 * 1024,
  });

const create = (variables: Variables = {}) => {
  writeFileSync(disk, "");
  execFileSync("truncate", ["-s", "24M", disk]);
  return script("create", { DISK_0_PATH: disk, OSP_SOURCE: join(folder, "tree"), ...variables });
};

/** A file of the file system on the disk. */
const fileOf = (name: string, on = disk) =>
  execFileSync("/sbin/debugfs", ["-R", `cat ${name}`, `${on}?offset=1048576`], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });

test("a tree with systemd mounts its root for writing, and its console is a login or a shell", () => {
  const root = join(folder, "systemd");
  mkdirSync(join(root, "etc"), { recursive: true });
  expect(script("systemd-tree", {}, [root])).toMatchObject({ status: 0, stderr: "" });
  expect(readFileSync(join(root, "etc/fstab"), "utf8")).toBe(
    "LABEL=root / ext4 errors=remount-ro 0 1\n",
  );
  const units = join(root, "etc/systemd/system");
  expect(existsSync(join(units, "ganeti-command.service"))).toBe(true);
  const [shell, login] = ["ganeti-console.service", "serial-getty@ttyS0.service.d/console.conf"];
  expect(readFileSync(join(units, shell), "utf8")).toContain("grep -qx shell /etc/ganeti-console");
  expect(readFileSync(join(units, shell), "utf8")).not.toContain("Conflicts=");
  expect(readFileSync(join(units, login), "utf8")).toContain("grep -qx login /etc/ganeti-console");
});

test("the definition is valid, has version 20 and lists its variants and parameters", async () => {
  const found = await readDefinition("debian", definition);
  expect(found).toMatchObject({ valid: true, effectiveVersion: 20, trusted: true });
  expect(found.variants).toEqual(["bookworm", "trixie", "small"]);
  expect(found.parameters.map(([name]) => name)).toContain("source");
});

describe.skipIf(missing.length > 0)("a disk in a file", () => {
  test("gets a partition, a boot loader and a file system with name and address", () => {
    const nic = { NIC_COUNT: "1", NIC_0_IP: "192.0.2.50", OSP_NETMASK: "26" };
    expect(create({ ...nic, OSP_GATEWAY: "192.0.2.1" })).toMatchObject({ status: 0, stderr: "" });
    const start = readFileSync(disk).subarray(0, 1024);
    expect(start.subarray(0, 8).toString()).toBe("boot.img");
    expect([...start.subarray(446, 462)]).toEqual([
      ...[0x80, 254, 255, 255, 0x83, 254, 255, 255],
      ...[0, 8, 0, 0, 0, 0xb8, 0, 0],
    ]);
    expect(start.subarray(510, 520).toString("latin1")).toBe("U\xaacore.img");
    expect(fileOf("/etc/hostname")).toBe("web1.example.com\n");
    expect(fileOf("/etc/network/interfaces")).toContain(
      "iface eth0 inet static\n  address 192.0.2.50\n  netmask 255.255.255.192\n  gateway 192.0.2.1\n",
    );
  });

  test("takes prefix and router from the network of a NIC, and DHCP without an address", () => {
    const network = {
      NIC_0_NETWORK_SUBNET: "198.51.100.0/23",
      NIC_0_NETWORK_GATEWAY: "198.51.100.1",
    };
    const nics = { NIC_COUNT: "2", NIC_0_IP: "198.51.100.9", ...network };
    expect(create({ ...nics, OSP_GATEWAY: "192.0.2.1" }).status).toBe(0);
    const text = fileOf("/etc/network/interfaces");
    expect(text).toContain("netmask 255.255.254.0\n  gateway 198.51.100.1\n");
    expect(text).toContain("iface eth1 inet dhcp\n");
  });

  test("contains root's password as a hash, and the key and the command from the parameters", () => {
    const parameters = { OSP_ROOT_PASSWORD: "se-cret", OSP_SSH_KEY: "ssh-rsa AAAA admin" };
    expect(create({ ...parameters, OSP_COMMAND: "echo 'up'" }).status).toBe(0);
    expect(fileOf("/etc/shadow")).toMatch(/^root:\$6\$[^:]+:19000:.*\nbin:\*:/);
    expect(fileOf("/etc/shadow")).not.toContain("se-cret");
    expect(fileOf("/etc/ganeti-command")).toBe("#!/bin/sh\necho 'up'\n");
  });

  test("is exported and imported byte by byte, and its size is announced", () => {
    expect(create().status).toBe(0);
    const size = join(folder, "size");
    const words = ["-c", `exec ${join(definition, "export")} 3> ${size}`];
    const dumped = spawnSync("/bin/sh", words, {
      cwd: definition,
      env: { PATH: path, EXPORT_DEVICE: disk, EXP_SIZE_FD: "3" },
      maxBuffer: 64 * 1024 * 1024,
    });
    expect(dumped.status).toBe(0);
    expect(readFileSync(size, "utf8")).toBe(`${24 * 1024 * 1024}\n`);
    const copy = join(folder, "copy");
    execFileSync("truncate", ["-s", "24M", copy]);
    const restored = spawnSync(join(definition, "import"), [], {
      cwd: definition,
      env: { PATH: path, IMPORT_DEVICE: copy },
      input: dumped.stdout,
    });
    expect(restored.status).toBe(0);
    expect(readFileSync(copy).equals(readFileSync(disk))).toBe(true);
  });

  test("is renamed without being mounted", () => {
    expect(create().status).toBe(0);
    const renamed = script("rename", {
      ...{ INSTANCE_NAME: "db7.example.com", OLD_INSTANCE_NAME: "web1.example.com" },
      DISK_0_PATH: disk,
    });
    expect(renamed).toMatchObject({ status: 0, stderr: "" });
    expect(fileOf("/etc/hostname")).toBe("db7.example.com\n");
    expect(fileOf("/etc/hosts")).toBe("127.0.0.1\tlocalhost\n127.0.1.1\tdb7.example.com db7\n");
  });

  test.skipIf(process.getuid?.() !== 0)(
    "is renamed although its journal was not replayed, and the changes in the journal survive",
    () => {
      expect(create().status).toBe(0);
      const image = `${disk}?offset=1048576`;
      const debugfs = (input: string, ...words: string[]) =>
        execFileSync("/sbin/debugfs", [...words, image], {
          input,
          stdio: ["pipe", "pipe", "ignore"],
        });
      // A block of /etc/shadow, as a guest wrote it before it was killed.
      const block = /\d+/.exec(String(debugfs("", "-R", "blocks /etc/shadow")))?.[0];
      const written = join(folder, "written");
      const size = Number(/Block size:\s+(\d+)/.exec(String(debugfs("", "-R", "stats -h")))?.[1]);
      writeFileSync(written, Buffer.alloc(size, "new\n"));
      debugfs(`jo\njw -b ${block} ${written}\njc\n`, "-w", "-f", "-");
      expect(fileOf("/etc/shadow")).toMatch(/^root:/);
      const renamed = script("rename", { INSTANCE_NAME: "db7.example.com", DISK_0_PATH: disk });
      expect(renamed).toMatchObject({ status: 0, stderr: "" });
      expect(fileOf("/etc/hostname")).toBe("db7.example.com\n");
      expect(fileOf("/etc/shadow")).toMatch(/^new\n/);
      expect(execFileSync("/sbin/losetup", ["--associated", disk], { encoding: "utf8" })).toBe("");
      expect(execFileSync("/sbin/e2fsck", ["-f", "-n", image], { encoding: "utf8" })).toContain(
        "files",
      );
    },
  );

  test("is not changed by rename if it already has the name", () => {
    expect(create().status).toBe(0);
    const before = readFileSync(disk);
    expect(script("rename", { DISK_0_PATH: disk })).toMatchObject({ status: 0, stderr: "" });
    expect(readFileSync(disk).equals(before)).toBe(true);
  });

  test("is refused with the reason if it is too small or the source has no boot loader", () => {
    expect(create({ OSP_SOURCE: "/missing" }).stderr).toContain("there is no /missing");
    const bare = join(folder, "bare/etc/network");
    mkdirSync(bare, { recursive: true });
    const without = create({ OSP_SOURCE: join(folder, "bare") });
    expect(without.stderr).toContain("has no /boot/grub/core.img");
    execFileSync("truncate", ["-s", "4M", disk]);
    const small = { DISK_0_PATH: disk, OSP_SOURCE: join(folder, "tree") };
    expect(script("create", small).stderr).toContain("the disk is too small");
  });
});

test.each([
  ["OSP_CONSOLE", "telnet", "neither login nor shell"],
  ["OSP_NETMASK", "2x", "not a prefix length"],
  ["OSP_GATEWAY", "a; reboot", "not an address"],
  ["OSP_MIRROR", "--aptopt=x", "not the address of a mirror"],
  ["OSP_PACKAGES", "vim", "the variant small takes none"],
  ["OSP_SOURCE", "../tree", "not an absolute path"],
])("verify refuses %s=%s", (variable, value, reason) => {
  const ended = script("verify", { [variable]: value }, ["parameters"]);
  expect([ended.status, ended.stderr]).toEqual([1, expect.stringContaining(reason)]);
});

test("verify accepts parameters that the definition lists, and no unknown check", () => {
  const given = { OSP_CONSOLE: "shell", OSP_NETMASK: "24", OSP_GATEWAY: "2001:db8::1" };
  expect(script("verify", given, ["parameters"])).toMatchObject({ status: 0, stderr: "" });
  expect(script("verify", given, ["sizes"]).status).toBe(1);
});

test("root's password is declared as a secret, so that a master can refuse it as a public parameter", () => {
  const list = readFileSync(join(definition, "parameters.list"), "utf8").split("\n");
  expect(list.filter((line) => / secret\b/.test(line)).map((line) => line.split(" ")[0])).toEqual([
    "root_password",
  ]);
});
