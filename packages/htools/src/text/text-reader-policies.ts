/** Reads the policy section of the text format: `owner|std|min;max;...|templates|ratio|ratio`. */
import {
  diskTemplates,
  type GroupData,
  type InstancePolicy,
  type InstanceSpec,
  quotedList,
} from "@ganeti-ts/protocol";
import { DataError } from "../model/data-error.js";
import { readFloat, readInteger } from "./number-reader.js";
import { columnsOf, readList, readWord } from "./text-reader-columns.js";

export interface Policies {
  readonly ofCluster: InstancePolicy | undefined;
  /** By group index. */
  readonly ofGroups: ReadonlyMap<number, InstancePolicy>;
}

/** A line without owner is the cluster's; otherwise the owner is a group's name or UUID. */
export function readPolicies(lines: readonly string[], groups: readonly GroupData[]): Policies {
  let ofCluster: InstancePolicy | undefined;
  const ofGroups = new Map<number, InstancePolicy>();
  for (const line of lines) {
    const columns = columnsOf(line, 6, "Invalid ipolicy data");
    const owner = columns[0];
    const policy = readPolicy(owner, columns);
    if (owner === "") ofCluster = policy;
    else ofGroups.set(indexOfGroup(groups, owner), policy);
  }
  return { ofCluster, ofGroups };
}

function readPolicy(owner: string, columns: readonly (string | undefined)[]): InstancePolicy {
  const [, std, minMax, templates, vcpuRatio, spindleRatio] = columns as string[];
  return {
    std: readSpec(std as string, `${owner}/stdspec`),
    minMax: readMinMax(minMax as string, owner),
    diskTemplates: readList(templates as string).map((template) =>
      readWord(template, diskTemplates, "DiskTemplate"),
    ),
    vcpuRatio: readFloat(vcpuRatio as string, `${owner}/vcpu_ratio`),
    spindleRatio: readFloat(spindleRatio as string, `${owner}/spindle_ratio`),
  };
}

function readMinMax(text: string, owner: string): InstancePolicy["minMax"] {
  const specs = text === "" ? [] : text.split(";");
  if (specs.length % 2 !== 0) throw new DataError(`Odd number of min/max specs for ${owner}`);
  return Array.from({ length: specs.length / 2 }, (_, pair) => ({
    min: readSpec(specs[2 * pair] as string, `${owner}/minspec`),
    max: readSpec(specs[2 * pair + 1] as string, `${owner}/maxspec`),
  }));
}

function readSpec(text: string, label: string): InstanceSpec {
  const numbers = readList(text);
  if (numbers.length < 6) {
    throw new DataError(`Invalid ispec data for ${label}: ${quotedList(numbers)}`);
  }
  const read = (position: number, key: string) =>
    readInteger(numbers[position] as string, `${label}/${key}`);
  return {
    memoryMib: read(0, "memsize"),
    cpuCount: read(1, "cpucount"),
    diskMib: read(2, "disksize"),
    diskCount: read(3, "diskcount"),
    nicCount: read(4, "niccount"),
    spindleUse: read(5, "spindleuse"),
  };
}

function indexOfGroup(groups: readonly GroupData[], key: string): number {
  const matches = [...groups.keys()].filter(
    (index) => groups[index]?.name === key || groups[index]?.uuid === key,
  );
  if (matches.length === 1) return matches[0] as number;
  throw new DataError(`Wrong number of elems found with name ${key}`);
}
