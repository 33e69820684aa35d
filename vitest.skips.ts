// The reasons of skipped tests, at the end of a run: what the machine lacks, and how many tests wait for it.
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, relative } from "node:path";
import type { Reporter, TestModule } from "vitest/node";

interface Need {
  /** What the machine lacks, and how to get it. */
  readonly lacks: string;
  readonly isThere: () => boolean;
  /** Matches the title of a test, or the text of its file, that needs it. */
  readonly shownBy: RegExp;
}

const root = import.meta.dirname;
const built = (path: string) => () => existsSync(join(root, path));

/** In this order: the first need that is not met explains the test. */
export const needs: readonly Need[] = [
  {
    lacks: "GANETI_TS_CORPUS names no folder of recordings",
    isThere: () => process.env.GANETI_TS_CORPUS !== undefined,
    shownBy: /GANETI_TS_CORPUS/,
  },
  {
    lacks: "PostgreSQL 15 is not installed: apt-get install postgresql-15",
    isThere: () => existsSync("/usr/lib/postgresql/15/bin/postgres"),
    shownBy: /PostgreSQL|postgres/,
  },
  {
    lacks: "Ganeti's RAPI client is not installed: apt-get install python3-ganeti-rapi",
    isThere: () => existsSync("/usr/lib/python3/dist-packages/ganeti/rapi/client.py"),
    shownBy: /python3-ganeti-rapi|original(Installed|\.js)/,
  },
  {
    lacks: "Ganeti's htools are not installed: apt-get install ganeti-htools",
    isThere: () => existsSync("/usr/lib/ganeti/iallocators/hail"),
    shownBy:
      /ganeti-htools|whatIsMissing|as-original|\/usr\/bin\/h[a-z]+|\bhail\.js"|iallocators\/hail/,
  },
  {
    lacks: "Chromium is not installed: apt-get install chromium fonts-dejavu-core",
    isThere: () => existsSync("/usr/bin/chromium"),
    shownBy: /chromium/,
  },
  {
    lacks: "systemd is not installed: apt-get install systemd",
    isThere: () => existsSync("/usr/bin/systemd-analyze"),
    shownBy: /systemd-analyze/,
  },
  {
    lacks: "nothing is built: pnpm build",
    isThere: () =>
      ["apps/hail/dist/hail.js", "apps/gnt/dist/gnt.js", "apps/rapi/dist/ganeti-rapi.js"].every(
        (path) => built(path)(),
      ),
    shownBy: /\bbuilt\b|dist\//,
  },
  {
    lacks:
      "QEMU or iproute2 is missing, or no root: apt-get install qemu-system-x86 iproute2 socat",
    isThere: () =>
      process.getuid?.() === 0 &&
      ["/usr/bin/qemu-system-x86_64", "/usr/sbin/ip"].every((path) => existsSync(path)),
    shownBy: /machine-namespace|demo\/real/,
  },
  {
    lacks: "an ssh server is missing: apt-get install openssh-server",
    isThere: () => existsSync("/usr/sbin/sshd"),
    shownBy: /test-room/,
  },
  {
    lacks: "socat is not installed: apt-get install socat",
    isThere: () => existsSync("/usr/bin/socat"),
    shownBy: /\[needs socat\]/,
  },
  {
    lacks: "e2fsprogs is missing: apt-get install e2fsprogs",
    isThere: () => existsSync("/sbin/mke2fs"),
    shownBy: /mke2fs/,
  },
  {
    lacks: "LVM or loop devices are missing, or no root: apt-get install lvm2",
    isThere: () => process.getuid?.() === 0 && existsSync("/usr/sbin/lvs"),
    shownBy: /loop devices/,
  },
  {
    lacks: "the image of the guests is not built: apps/noded/test/guest/build-image.sh",
    isThere: () => existsSync(join(homedir(), ".cache/ganeti-ts/guest/root.img")),
    shownBy: /guestsUnavailable|guestsProblem/,
  },
  {
    lacks: "these tests need root",
    isThere: () => process.getuid?.() === 0,
    shownBy: /\[lacks root\]/,
  },
  { lacks: "bash is not installed", isThere: () => existsSync("/bin/bash"), shownBy: /"bash"/ },
];

/** The reason why a test of this file was skipped; what one sees where nothing known is missing. */
export function reasonOf(title: string, fileText: string): string {
  const lacking = needs.filter(({ isThere }) => !isThere());
  const found =
    lacking.find(({ shownBy }) => shownBy.test(title)) ??
    lacking.find(({ shownBy }) => shownBy.test(fileText));
  if (found !== undefined) return found.lacks;
  const said = /\[(lacks [^\]]+)\]|\((?:skipped|SKIPPED)[: ]+([^)]+)\)/.exec(title);
  return said?.[1] ?? said?.[2] ?? "left out by the test itself, see its title";
}

/** Lines for people: each reason with the number of its tests and its files. */
export function skipLines(
  skipped: readonly { readonly title: string; readonly file: string; readonly text: string }[],
): string[] {
  const byReason = new Map<string, { count: number; files: Set<string> }>();
  for (const { title, file, text } of skipped) {
    const reason = reasonOf(title, text);
    const entry = byReason.get(reason) ?? { count: 0, files: new Set() };
    byReason.set(reason, { count: entry.count + 1, files: entry.files.add(file) });
  }
  return [...byReason]
    .toSorted(([, a], [, b]) => b.count - a.count)
    .map(([reason, { count, files }]) => {
      const [first = "", ...others] = files;
      const more = others.length === 0 ? "" : ` and ${others.length} more`;
      return `${count} skipped: ${reason} (${first}${more})`;
    });
}

/** Prints the lines after everything else. */
export default class SkipReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules.flatMap((module) => {
      const tests = [...module.children.allTests("skipped")];
      if (tests.length === 0) return [];
      const text = readFileSync(module.moduleId, "utf8");
      return tests.map(({ fullName }) => ({
        title: fullName,
        file: relative(root, module.moduleId),
        text,
      }));
    });
    // A run of chosen tests (`-t`) skips the others: that is no news.
    if (skipped.length === 0 || process.argv.some((word) => /^(-t|--testNamePattern)/.test(word))) {
      return;
    }
    console.log(`\n${skipLines(skipped).join("\n")}\n`);
  }
}
