/** Disks of type rbd: volumes in a Ceph cluster. */
import type { DiskOnNode } from "@ganeti-ts/node-calls";
import type { NodeContext } from "../context.js";
import { ifFailed, NodeFailure } from "../failure.js";
import { succeeded } from "../machine/runner.js";
import { blockDevice, isUserspace } from "./block-device.js";
import { type Device, type DiskType, passive } from "./disk-type.js";
import { deviceBytes, linesOf, ran, reasonThenOutput, runOrFail } from "./programs.js";

interface Volume {
  readonly pool: string;
  readonly name: string;
}

/** Volume of a disk with the logical id `["rbd", NAME]`; the pool is a parameter. */
function volumeOf({ logical_id, params }: DiskOnNode): Volume {
  const [, name] = logical_id;
  const pool = params?.pool;
  for (const word of [name, pool]) {
    if (typeof word !== "string" || word === "" || word.startsWith("-")) {
      throw new NodeFailure(`Invalid name of a rbd volume or pool: ${JSON.stringify(word)}`);
    }
  }
  return { pool: String(pool), name: String(name) };
}

/** `find` maps the volume to a device. */
export function rbdDisks({ run }: Pick<NodeContext, "run">): DiskType {
  const mappedDevice = async (disk: DiskOnNode): Promise<Device> => {
    const volume = volumeOf(disk);
    const path = (await mapped(run, volume)) ?? (await map(run, volume));
    const { major = null, minor = null } = (await blockDevice(path)) ?? {};
    const uri = isUserspace(disk.params) ? `rbd:${volume.pool}/${volume.name}` : null;
    return { path, major, minor, uri };
  };
  const unmap = async (disk: DiskOnNode): Promise<void> => {
    const path = await mapped(run, volumeOf(disk));
    if (path === null) return;
    await runOrFail(run, ["rbd", "unmap", path], "rbd unmap failed ", reasonThenOutput);
  };
  return {
    ...passive,
    parameters: ["pool", "access"],
    find: (disk) => mappedDevice(disk).catch(ifFailed(null)),
    async create(disk, { sizeMib }) {
      const { pool, name } = volumeOf(disk);
      await runOrFail(
        run,
        ["rbd", "create", "-p", pool, name, "--size", String(sizeMib)],
        "rbd creation failed ",
        reasonThenOutput,
      );
    },
    assemble: mappedDevice,
    shutdown: unmap,
    async remove(disk) {
      await unmap(disk);
      const { pool, name } = volumeOf(disk);
      const ended = await ran(run, ["rbd", "rm", "-p", pool, name]);
      // 2 is ENOENT: the volume does not exist.
      if (succeeded(ended) || ended.code === 2) return;
      throw new NodeFailure(
        `Can't remove Volume from cluster with rbd rm: ${reasonThenOutput(ended)}`,
      );
    },
    async grow(disk, { amountMib, dryRun, backingStore }) {
      if (dryRun || !backingStore) return;
      const { pool, name } = volumeOf(disk);
      const size = String(disk.size + amountMib);
      await runOrFail(
        run,
        ["rbd", "resize", "-p", pool, name, "--size", size],
        "rbd resize failed ",
        reasonThenOutput,
      );
    },
    rename: () => Promise.reject(new NodeFailure("Rename is not supported for RBD storage")),
    async size(disk) {
      const { path } = await mappedDevice(disk);
      return path === null ? null : { bytes: await deviceBytes(run, path), spindles: null };
    },
  };
}

type Run = NodeContext["run"];

async function map(run: Run, volume: Volume): Promise<string> {
  const { pool, name } = volume;
  await runOrFail(run, ["rbd", "map", "-p", pool, name], "rbd map failed ", reasonThenOutput);
  const path = await mapped(run, volume);
  if (path !== null) return path;
  throw new NodeFailure(
    `rbd map succeeded, but could not find the rbd block device in output of showmapped, for volume: ${name}`,
  );
}

/** The device to which the volume is mapped; null if it is not. */
async function mapped(run: Run, volume: Volume): Promise<string | null> {
  const listed = await ran(run, ["rbd", "showmapped", "--format", "json"]);
  if (succeeded(listed)) return deviceInJson(listed.stdout, volume);
  const plain = await runOrFail(
    run,
    ["rbd", "showmapped", "-p", volume.pool],
    "rbd showmapped failed ",
    reasonThenOutput,
  );
  return deviceInTable(plain.stdout, volume);
}

function only(devices: readonly string[], { name }: Volume): string | null {
  if (devices.length > 1) throw new NodeFailure(`rbd volume ${name} is mapped more than once`);
  return devices[0] ?? null;
}

/** Device in the JSON output: a list or, from older versions, an object whose values are the entries. */
export function deviceInJson(text: string, volume: Volume): string | null {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new NodeFailure(`Can't parse the output of rbd showmapped: ${(error as Error).message}`);
  }
  const devices: string[] = [];
  for (const entry of Object.values(json ?? {}) as Readonly<Record<string, unknown>>[]) {
    for (const key of ["name", "pool", "device"]) {
      if (typeof entry?.[key] !== "string") {
        throw new NodeFailure(`'${key}' key missing from json object ${JSON.stringify(entry)}`);
      }
    }
    if (entry.name === volume.name && entry.pool === volume.pool)
      devices.push(String(entry.device));
  }
  return only(devices, volume);
}

/** Device in the plain output: columns id, pool, image, snapshot and device, with a header line. */
export function deviceInTable(text: string, volume: Volume): string | null {
  const rows = linesOf(text).map((line) => line.split(/\s+/));
  const odd = rows.find((row) => row.length !== 5);
  if (odd !== undefined) {
    throw new NodeFailure(
      `Cannot parse rbd showmapped output expected 5 fields, found ${odd.length}`,
    );
  }
  const found = rows.filter(([, pool, image]) => pool === volume.pool && image === volume.name);
  return only(
    found.map((row) => row[4] as string),
    volume,
  );
}
