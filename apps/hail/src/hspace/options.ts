/** Options that only hspace has. */
import { DataError, readInteger, readSize, type TrialSpec } from "@ganeti-ts/htools";
import { diskTemplates, quoted } from "@ganeti-ts/protocol";
import { type Option, reads, sets } from "../option.js";
import { commaList } from "../option-values.js";
import type { HspaceSettings } from "./settings.js";

export const diskTemplate: Option<HspaceSettings> = {
  long: "disk-template",
  argument: { name: "TEMPLATE" },
  completes: `choices=${diskTemplates.join(",")}`,
  description: "select the desired disk template",
  apply: (settings, text = "") => {
    const template = diskTemplates.find((known) => known === text);
    if (template === undefined) {
      throw new DataError(`Invalid string value for type DiskTemplate: ${quoted(text)}`);
    }
    settings.diskTemplate = template;
  },
};

export const spindleUse: Option<HspaceSettings> = {
  long: "spindle-use",
  argument: { name: "SPINDLES" },
  completes: "float",
  description: "select how many virtual spindle instances use [default read from cluster]",
  apply: (settings, text = "") => {
    const spindles = readInteger(text, "parsing spindle-use");
    if (spindles < 0) throw new DataError("Invalid value of the spindle-use (expected >= 0)");
    settings.spindleUse = spindles;
  },
};

export const independentGroups: Option<HspaceSettings> = {
  long: "independent-groups",
  description: "Consider groups independently",
  apply: sets("independentGroups", true),
};

export const acceptExistingErrors: Option<HspaceSettings> = {
  long: "accept-existing-errors",
  description: "Accept existing N+1 violations; just don't add new ones",
  apply: sets("acceptExistingErrors", true),
};

export const standardAlloc: Option<HspaceSettings> = {
  long: "standard-alloc",
  argument: { name: "STDSPEC" },
  completes: "string",
  description: "enable standard specs allocation, given as 'disk,ram,cpu'",
  apply: reads("standardSpec", (text) => readSpec(text, "standard")),
};

export const tieredAlloc: Option<HspaceSettings> = {
  long: "tiered-alloc",
  argument: { name: "TSPEC" },
  completes: "string",
  description: "enable tiered specs allocation, given as 'disk,ram,cpu'",
  apply: reads("tieredSpec", (text) => readSpec(text, "tiered")),
};

/** Disk, memory, CPUs and, with exclusive storage, spindles. */
function readSpec(text = "", kind: string): TrialSpec {
  const parts = commaList(text);
  const [disk, memory, vcpus, spindles] = parts;
  if (disk === undefined || memory === undefined || vcpus === undefined || parts.length > 4) {
    throw new DataError(`Invalid ${kind} specification: '${text}', expected disk,ram,cpu`);
  }
  return {
    diskMib: readSize(disk, `${kind} specs disk`),
    memoryMib: readSize(memory, `${kind} specs memory`),
    vcpus: readInteger(vcpus, `${kind} specs cpus`),
    spindles: spindles === undefined ? 1 : readInteger(spindles, `${kind} specs spindles`),
  };
}
