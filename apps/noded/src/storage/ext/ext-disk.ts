/** Disks of type ext, which belong to external storage providers. */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { DiskOnNode } from "@ganeti-ts/node-calls";
import type { NodeContext } from "../../context.js";
import { NodeFailure } from "../../failure.js";
import { lastLines } from "../../machine/last-lines.js";
import { type Finished, outputOf, reasonOf, succeeded } from "../../machine/runner.js";
import { blockDevice, isUserspace } from "../block-device.js";
import { type Device, type DiskType, passive } from "../disk-type.js";
import { tagText } from "../lvm/plain-disk.js";
import { deviceBytes, limitsMs, linesOf, withinLimits } from "../programs.js";
import { type ExtAction, providerNamed } from "./provider.js";

type Variables = Readonly<Record<string, string>>;

/** Each operation runs a script of the provider. `attach` runs whenever a disk is looked up, so it must be repeatable. */
export function extDisks(context: NodeContext): DiskType {
  const { log, run } = context;
  const act = (disk: DiskOnNode, action: ExtAction, variables: Variables = {}) =>
    runScript(context, disk, action, variables);
  const attached = async (disk: DiskOnNode): Promise<Device | null> => {
    const ended = await act(disk, "attach");
    return ended === null ? null : attachedDevice(disk, ended.stdout, log);
  };
  const sizeOf = ({ size }: DiskOnNode): Variables => ({ VOL_SIZE: String(size) });
  return {
    ...passive,
    parameters: ["access"],
    find: attached,
    create: async (disk, { sizeMib }) =>
      void (await act(disk, "create", { VOL_SIZE: String(sizeMib) })),
    async assemble(disk) {
      const device = await attached(disk);
      if (device === null) throw new NodeFailure(`${disk.logical_id[1]}: No such device`);
      return device;
    },
    open: async (disk, { exclusive }) =>
      void (await act(disk, "open", { VOL_OPEN_EXCLUSIVE: exclusive ? "True" : "False" })),
    close: async (disk) => void (await act(disk, "close")),
    shutdown: async (disk) => void (await act(disk, "detach")),
    async remove(disk) {
      await act(disk, "detach");
      await act(disk, "remove");
    },
    async grow(disk, { amountMib, dryRun, backingStore }) {
      if (dryRun || !backingStore) return;
      const size = { VOL_NEW_SIZE: String(disk.size + amountMib) };
      await act(disk, "grow", { ...sizeOf(disk), ...size });
    },
    rename: passive.close,
    setInfo: async (disk, info) =>
      void (await act(disk, "setinfo", { VOL_METADATA: tagText(info) })),
    async size(disk) {
      const device = await attached(disk);
      if (device?.path == null) return null;
      return { bytes: await deviceBytes(run, device.path), spindles: null };
    },
    async snapshot(disk, { name, sizeMib }) {
      const snapshot = name ?? `${disk.logical_id[1]}.snap`;
      await act(disk, "snapshot", {
        ...sizeOf(disk),
        ...{ VOL_SNAPSHOT_NAME: snapshot, VOL_SNAPSHOT_SIZE: String(sizeMib ?? disk.size) },
      });
      return [disk.logical_id[0] ?? null, snapshot];
    },
  };
}

/** Runs a script; null if it is optional and the provider does not have it. */
async function runScript(
  context: NodeContext,
  disk: DiskOnNode,
  action: ExtAction,
  variables: Variables,
): Promise<Finished | null> {
  const [providerName, volume] = disk.logical_id;
  const { directory, scripts, name } = await providerNamed(context.paths, providerName);
  const program = scripts[action];
  if (program === undefined) return null;
  if (typeof volume !== "string" || volume.includes("/")) {
    throw new NodeFailure(`Invalid name of a volume: ${JSON.stringify(volume)}`);
  }
  const outputFile = action === "attach" ? undefined : await logFile(context, action, name, volume);
  const ended = await withinLimits(context.run, {
    ...{ program, args: [], cwd: directory, timeoutMs: limitsMs.change },
    env: { ...volumeVariables(disk, action), ...variables },
    ...(outputFile !== undefined && { outputFile }),
  });
  if (succeeded(ended)) return ended;
  const lines =
    outputFile === undefined ? outputOf(ended).split("\n").slice(-20) : await lastLines(outputFile);
  throw new NodeFailure(
    `External storage's ${action} script failed (${reasonOf(ended)}), last lines of output:\n${lines.join("\n")}`,
  );
}

function volumeVariables(disk: DiskOnNode, action: ExtAction): Variables {
  const { logical_id, params, name, uuid } = disk;
  return {
    VOL_NAME: String(logical_id[1]),
    ...Object.fromEntries(
      Object.entries(params ?? {}).map(([key, value]) => [
        `EXTP_${key.toUpperCase()}`,
        String(value),
      ]),
    ),
    ...(action !== "snapshot" && { ...(name && { VOL_CNAME: name }), VOL_UUID: uuid }),
  };
}

async function logFile(
  { paths, clock }: NodeContext,
  action: ExtAction,
  provider: string,
  volume: string,
): Promise<string> {
  const folder = join(paths.log, "extstorage");
  if (!(await stat(folder).catch(() => null))?.isDirectory()) {
    throw new NodeFailure(`Cannot find log directory: ${folder}`);
  }
  const time = new Date(clock.wallMicros() / 1000);
  const two = (value: number): string => String(value).padStart(2, "0");
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  const hour = `${two(time.getHours())}_${two(time.getMinutes())}_${two(time.getSeconds())}`;
  return join(folder, `${action}-${provider}-${volume}-${day}_${hour}.log`);
}

const hypervisorPrefix = "kvm:";

/** Device from the output of attach: its path, which may be empty, then lines `HYPERVISOR:URI`. */
async function attachedDevice(
  { params, logical_id }: DiskOnNode,
  output: string,
  log: NodeContext["log"],
): Promise<Device | null> {
  const [first = "", ...rest] = output.split("\n");
  const uris = linesOf(rest.join("\n"));
  let uri: string | null = null;
  if (isUserspace(params)) {
    const found = uris.find((line) => line.toLowerCase().startsWith(hypervisorPrefix));
    if (found === undefined) {
      throw new NodeFailure(
        `Userspace access is not supported by the '${logical_id[0]}' ExtStorage provider for the 'kvm' hypervisor`,
      );
    }
    uri = found.slice(hypervisorPrefix.length);
  }
  const path = first.trim();
  if (path === "") {
    if (uris.length > 0) return { path: null, major: null, minor: null, uri };
    log.error(`The attach script of '${logical_id[0]}' gave neither a device nor URIs`);
    return null;
  }
  const device = await blockDevice(path);
  if (device === null) log.error(`A block device '${path}' does not exist`);
  return device && { ...device, uri };
}
