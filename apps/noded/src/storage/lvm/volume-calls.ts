/** Calls and checks that list volumes and groups. */
import type { LogicalVolume, NodeVolume } from "@ganeti-ts/node-calls";
import type { NodeContext } from "../../context.js";
import { faultOf, ifFailed } from "../../failure.js";
import { handlers } from "../../handlers.js";
import type { Checks } from "../../host/verification.js";
import { succeeded } from "../../machine/runner.js";
import { deviceBytes, linesOf, ran, runOrFail } from "../programs.js";
import { physicalVolumes } from "./space.js";
import { checkLvmName } from "./volume-name.js";
import { devicesOf } from "./volume-table.js";

type Ports = Pick<NodeContext, "run" | "log">;

export const volumeCalls = (ports: Ports) =>
  handlers({
    lv_list: ({ volumeGroups }) => logicalVolumes(ports, volumeGroups),
    vg_list: () => groupSizes(ports),
    node_volumes: () => nodeVolumes(ports),
    async bdev_sizes({ paths }) {
      const sizes: Record<string, number> = {};
      for (const path of paths) {
        if (!isDevicePath(path)) continue;
        // Only block devices have a size; all others are skipped.
        const fault = await faultOf(async () => {
          sizes[path] = Math.floor((await deviceBytes(ports.run, path)) / (1024 * 1024));
        });
        if (fault !== null) ports.log.debug(`${path}: ${fault}`);
      }
      return sizes;
    },
  });

/** Whether `path` names a file below `/dev` without leading out of it. */
const isDevicePath = (path: string): boolean =>
  path.startsWith("/dev/") && !path.split("/").includes("..");

const listing = ["--noheadings", "--units=m", "--nosuffix", "--separator=|"];
const cannotList = "Failed to list logical volumes, lvs output: ";

/** Volumes of the given groups, or of all groups if none is given. Virtual volumes are skipped. */
async function logicalVolumes(
  { run, log }: Ports,
  groups: readonly string[],
): Promise<readonly LogicalVolume[]> {
  const words = [...listing, "-ovg_name,lv_name,lv_size,lv_attr", ...groups.map(checkLvmName)];
  const ended = await runOrFail(run, ["lvs", ...words], cannotList);
  return linesOf(ended.stdout).flatMap((line): LogicalVolume[] => {
    const columns = /^([^|]+)\|([^|]+)\|([0-9.]+)\|([^|]{6,})\|?$/.exec(line);
    if (columns === null) {
      log.error(`Invalid line returned from lvs output: '${line}'`);
      return [];
    }
    const [, volumeGroup = "", name = "", size, attributes = ""] = columns;
    if (attributes.startsWith("v")) return [];
    const [active, open] = [attributes[4] !== "-", attributes[5] === "o"];
    return [{ name, volumeGroup, sizeMib: Number(size), active, open }];
  });
}

/** Size (MiB) of each group; empty if groups cannot be listed. */
async function groupSizes({ run, log }: Ports): Promise<Readonly<Record<string, number>>> {
  const options = ["--noheadings", "--units", "m", "--nosuffix", "-o", "name,size"];
  const ended = await ran(run, ["vgs", ...options]);
  if (!succeeded(ended)) return {};
  const sizes: Record<string, number> = {};
  for (const line of linesOf(ended.stdout)) {
    const columns = /^(\S+)\s+(\d+)(\.\d*)?$/.exec(line);
    if (columns?.[1] === undefined) log.error(`Invalid line returned from vgs output: '${line}'`);
    else sizes[columns[1]] = Number(columns[2]);
  }
  return sizes;
}

/** One entry for each pair of a logical volume and a physical volume that it uses. */
async function nodeVolumes({ run, log }: Ports): Promise<readonly NodeVolume[]> {
  const words = [...listing, "--options=lv_name,lv_size,devices,vg_name"];
  const ended = await runOrFail(run, ["lvs", ...words], cannotList);
  return linesOf(ended.stdout).flatMap((line): NodeVolume[] => {
    const [name, size, devices, volumeGroup, ...more] = line.split("|");
    if (name === undefined || devices === undefined || !volumeGroup || more.length > 0) {
      log.warn(`Invalid line returned from lvs output: '${line}'`);
      return [];
    }
    return devicesOf(devices).map((physicalVolume) => ({
      ...{ name, volumeGroup, physicalVolume },
      sizeMib: Number(size),
    }));
  });
}

export const volumeChecks = (ports: Ports): Checks => ({
  volumeGroups: async () => ({ volumeGroups: await groupSizes(ports) }),
  logicalVolumes: async () => ({
    logicalVolumes: await logicalVolumes(ports, []).catch(ifFailed((fault) => ({ fault }))),
  }),
  async physicalVolumes(groups, { exclusiveStorage }) {
    const how = { onlyAllocatable: false, withVolumes: exclusiveStorage === true };
    const found = (await physicalVolumes(ports, groups, how)) ?? [];
    const listed = found.map(({ name, group, ...space }) => ({
      ...{ name, volumeGroup: group, sizeMib: space.sizeMib, freeMib: space.freeMib },
      ...{ attributes: space.attributes, volumes: [] },
    }));
    if (!exclusiveStorage) return { physicalVolumes: listed };
    const sharedPhysicalVolumes = found
      .filter(({ volumes }) => volumes.length > 1)
      .map(({ name, volumes }) => ({ name, volumes }));
    return { physicalVolumes: listed, sharedPhysicalVolumes };
  },
});
