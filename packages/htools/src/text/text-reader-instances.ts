/** Reads an instance's line of the text format; it has one disk of the given size. */
import {
  diskTemplates,
  type InstanceData,
  instanceStatuses,
  isMirrored,
} from "@ganeti-ts/protocol";
import { DataError } from "../model/data-error.js";
import { readInteger } from "./number-reader.js";
import { columnsOf, readFlag, readList, readWord } from "./text-reader-columns.js";

export function readInstance(line: string, nodesByName: ReadonlyMap<string, number>): InstanceData {
  const columns = columnsOf(line, 10, "Invalid/incomplete instance data");
  const [name, memory, disk, vcpus, status, autoBalance, primaryName, secondaryName] = columns;
  const [template, tags, spindleUse = "1", spindles = "-", forthcoming = "N"] = columns.slice(8);

  const indexOfNode = (nodeName: string) => {
    const index = nodesByName.get(nodeName);
    if (index !== undefined) return index;
    throw new DataError(`Unknown node '${nodeName}' for instance ${name}`);
  };
  const primary = indexOfNode(primaryName);
  const secondary = secondaryName === "" ? -1 : indexOfNode(secondaryName);
  // The order of reading decides which of several errors is reported.
  const memoryMib = readInteger(memory, name);
  const diskMib = readInteger(disk, name);
  const instance: InstanceData = {
    name,
    memoryMib,
    diskMib,
    vcpus: readInteger(vcpus, name),
    status: readWord(status, instanceStatuses, "InstanceStatus"),
    autoBalance: readFlag(
      autoBalance,
      () => `auto_balance value '${autoBalance}' for instance ${name}`,
    ),
    diskTemplate: readDiskTemplate(template as string, name),
    tags: readList(tags as string),
    spindleUse: readInteger(spindleUse, name),
    disks: [
      { sizeMib: diskMib, spindles: spindles === "-" ? undefined : readInteger(spindles, name) },
    ],
    forthcoming: readFlag(
      forthcoming,
      () => `forthcoming value '${forthcoming}' for instance ${name}`,
    ),
    networks: [],
    primary,
    secondary,
  };
  if (isMirrored(instance.diskTemplate) && primary === secondary) {
    throw new DataError(`Instance ${name} has same primary and secondary node - ${primaryName}`);
  }
  return instance;
}

function readDiskTemplate(text: string, instanceName: string): InstanceData["diskTemplate"] {
  try {
    return readWord(text, diskTemplates, "DiskTemplate");
  } catch (error) {
    throw new DataError(`Instance ${instanceName}: ${(error as DataError).message}`);
  }
}
