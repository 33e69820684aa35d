// The variants of the OS definition `debian` with systemd, built from Debian packages and booted to a login.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { qemu } from "./machine-namespace.js";

const definition = join(import.meta.dirname, "../os-definitions/debian");
const wanted = (process.env.GANETI_TS_OS_VARIANTS ?? "").split(",").filter(Boolean);
const needed = [qemu, "/usr/bin/mmdebstrap", "/sbin/mke2fs"].filter((path) => !existsSync(path));
const lacks = [
  ...(wanted.length === 0 ? ["GANETI_TS_OS_VARIANTS=bookworm,trixie asks for it"] : []),
  ...needed,
];
if (lacks.length > 0) console.warn(`SKIPPED: ${lacks.join("; ")}`);

/** Time limit (ms) for building and booting one variant: about two minutes of processor time. */
const bootMs = 2_400_000;

interface Guest {
  /** Resolves with the console's text once it contains the pattern from the last typed line on. */
  shown(pattern: RegExp): Promise<string>;
  type(line: string): void;
  /** Resolves when the machine has powered off. */
  readonly ended: Promise<number | null>;
  kill(): void;
}

function boot(disk: string): Guest {
  const words = [
    // The guest's clock counts its own instructions: on a busy machine its services would run into their time limits.
    ...["-accel", "tcg", "-icount", "shift=2", "-rtc", "clock=vm", "-m", "512"],
    ...["-display", "none", "-no-reboot", "-serial", "stdio"],
    ...["-drive", `file=${disk},format=raw,if=virtio`, "-nic", "user,model=virtio-net-pci"],
  ];
  const child = spawn(qemu, words, { stdio: ["pipe", "pipe", "inherit"] });
  let output = "";
  let typedAt = 0;
  let look = () => {};
  child.stdout.setEncoding("latin1").on("data", (part: string) => {
    output += part;
    look();
  });
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  return {
    ended,
    type(line) {
      typedAt = output.length;
      child.stdin.write(`${line}\n`);
    },
    shown: (pattern) =>
      new Promise((resolve, reject) => {
        look = () => {
          if (pattern.test(output.slice(typedAt))) resolve(output.slice(typedAt));
        };
        ended.then(() => reject(new Error(`the machine has ended:\n${output.slice(-2000)}`)));
        look();
      }),
    kill: () => void child.kill("SIGKILL"),
  };
}

describe.skipIf(lacks.length > 0)("an instance of the OS debian", () => {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "os-variants-"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each(wanted.length === 0 ? ["bookworm", "trixie"] : wanted)(
    "boots %s to a login, with network, an SSH server and no failed unit",
    { timeout: bootMs },
    async (variant) => {
      const disk = join(folder, variant);
      writeFileSync(disk, "");
      execFileSync("truncate", ["-s", "3G", disk]);
      const made = spawnSync(join(definition, "create"), [], {
        cwd: definition,
        env: {
          ...{ PATH: "/sbin:/bin:/usr/sbin:/usr/bin", OS_VARIANT: variant, DISK_0_PATH: disk },
          ...{ INSTANCE_NAME: "web.example.com", NIC_COUNT: "1", OSP_ROOT_PASSWORD: "se-cret" },
          GANETI_TS_OS_CACHE: join(homedir(), ".cache/ganeti-ts/os-variants"),
          TMPDIR: tmpdir(),
        },
        encoding: "utf8",
      });
      expect([made.status, made.stderr]).toEqual([0, expect.anything()]);
      const guest = boot(disk);
      onTestFinished(guest.kill);
      expect(await guest.shown(/login: $/)).toContain("web login: ");
      guest.type("root");
      await guest.shown(/Password: $/);
      guest.type("se-cret");
      await guest.shown(/@web:~# /);
      const answer = async (line: string) => {
        guest.type(`${line}; echo "done=$?"`);
        const shown = await guest.shown(/done=\d+\r\n[^\n]*# /);
        // Strips the colours of ip in trixie, and the shell's control sequences around each command.
        return stripVTControlCharacters(shown).replaceAll("\r", "");
      };
      expect(await answer("cat /etc/os-release")).toContain(`VERSION_CODENAME=${variant}\n`);
      expect(await answer("systemctl is-system-running --wait")).toContain("running\ndone=0");
      expect(await answer("ip -4 -o addr show eth0")).toContain("inet 10.0.2.15/24");
      expect(await answer("systemctl is-active ssh")).toContain("\nactive\n");
      guest.type("poweroff");
      await guest.ended;
    },
  );
});
