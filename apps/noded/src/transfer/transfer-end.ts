/** Shell commands at the ends of a transfer, which read or write files, disks or the input and output of OS scripts. */
import { mkdir, realpath, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, normalize } from "node:path";
import type { InstanceOnNode, TransferEnd } from "@ganeti-ts/node-calls";
import { bytesPerMib } from "@ganeti-ts/protocol";
import { NodeFailure } from "../failure.js";
import { located } from "../machine/paths.js";
import { shellQuoted } from "../machine/runner.js";
import { type OsPorts, prepared } from "../os/os-scripts.js";

export interface PlannedEnd {
  readonly prefix: string;
  readonly suffix: string;
  /** Size in MiB, or `fd` if the script reports it. */
  readonly expected?: number | "fd";
  readonly environment: Readonly<Record<string, string>>;
}

/** Opens disks and creates directories. The result is shell text in which each value is one quoted word. */
export async function plannedEnd(
  ports: OsPorts,
  instance: InstanceOnNode,
  end: TransferEnd,
  mode: "import" | "export",
): Promise<PlannedEnd> {
  switch (end.kind) {
    case "file":
      return fileEnd(ports, end.path, mode);
    case "raw-disk": {
      const [device] = await ports.openDisks([end.disk]);
      if (device?.path == null) throw new NodeFailure("The disk has no device on this node");
      return diskEnd(device.path, end.disk.size, mode);
    }
    case "script":
      return scriptEnd(ports, instance, end, mode);
  }
}

async function fileEnd(
  ports: OsPorts,
  given: string,
  mode: "import" | "export",
): Promise<PlannedEnd> {
  const path = await exportPath(ports, given, mode === "import");
  if (mode === "import") {
    // A truncated file would be taken for a complete dump.
    const undone = `{ echo ${shellQuoted(`${path} was not written to its end, and is removed`)} >&2; rm -f -- ${shellQuoted(path)}; false; }`;
    return { prefix: "", suffix: `> ${shellQuoted(path)} || ${undone}`, environment: {} };
  }
  const found = await stat(path).catch(() => null);
  if (found === null) throw new NodeFailure(`File '${given}' does not exist`);
  const expected = Math.round(found.size / bytesPerMib);
  return { prefix: "", suffix: `< ${shellQuoted(path)}`, expected, environment: {} };
}

/** Checks that a path lies below the export directory, even after links are resolved. */
async function exportPath({ paths }: OsPorts, given: string, make: boolean): Promise<string> {
  const path = isAbsolute(given) ? located(paths, given) : join(paths.exports, given);
  if (normalize(path) !== path || given.includes("\0")) {
    throw new NodeFailure(`Path '${given}' is not normalized or absolute`);
  }
  const outside = (real: string) =>
    new NodeFailure(`File '${given}' is not under exports directory '${paths.exports}': ${real}`);
  if (!path.startsWith(`${paths.exports}/`)) throw outside(path);
  if (make) await mkdir(dirname(path), { recursive: true, mode: 0o750 });
  const directory = await realpath(dirname(path)).catch(() => dirname(path));
  const whole = join(directory, basename(path));
  const real = await realpath(whole).catch(() => whole);
  const root = await realpath(paths.exports).catch(() => paths.exports);
  if (!real.startsWith(`${root}/`)) throw outside(real);
  return real;
}

function diskEnd(device: string, sizeMib: number, mode: "import" | "export"): PlannedEnd {
  if (mode === "import") {
    const suffix = `| dd of=${shellQuoted(device)} bs=1048576 conv=notrunc,fsync`;
    return { prefix: "", suffix, environment: {} };
  }
  const prefix = `dd if=${shellQuoted(device)} bs=1048576 count=${sizeMib} |`;
  return { prefix, suffix: "", expected: sizeMib, environment: {} };
}

async function scriptEnd(
  ports: OsPorts,
  instance: InstanceOnNode,
  { disk, index }: Extract<TransferEnd, { kind: "script" }>,
  mode: "import" | "export",
): Promise<PlannedEnd> {
  const { os, environment } = await prepared(ports, instance);
  const [device] = await ports.openDisks([disk]);
  const word = mode.toUpperCase();
  const path = device?.path ?? "";
  const own = {
    [`${word}_INDEX`]: String(index),
    [`${word}_DEVICE`]: path,
    [`${word}_DISK_PATH`]: path,
    [`${word}_DISK_URI`]: device?.uri ?? "",
  };
  const script = `( cd ${shellQuoted(os.path)} && ${shellQuoted(join(os.path, mode))}; )`;
  return {
    environment: { ...environment, ...own },
    ...(mode === "import"
      ? { prefix: "", suffix: `| ${script}` }
      : { prefix: `${script} |`, suffix: "", expected: "fd" }),
  };
}
