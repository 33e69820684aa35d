/**
 * Fast decoder for instances of a message of the usual form as columns, without an object for each instance,
 * which saves a third of the time of a request that only counts them.
 */
import {
  type DiskTemplate,
  diskTemplates,
  type InstanceColumns,
  type InstanceStatus,
  instanceStatuses,
} from "../cluster-data.js";
import { type Records, rowKey } from "../json/record-scan.js";
import { nicModes } from "./nic.js";
import { firstInstance, firstNode, ofInstance, ofNic, statusOf, unusual } from "./quick-cluster.js";

/**
 * Undefined if there are forthcoming instances. Refuses the same messages as `quickInstances`, which can
 * therefore be called later and succeeds. Cost: O(nodes + instances). @throws unusual
 */
export function quickColumns(records: Records): InstanceColumns | undefined {
  const { tools } = records;
  const first = firstInstance(records);
  if (first === 0) return undefined;
  const values = (list: number) => valuesOf(records, list);
  const figures = (column: number) => values(tools.column(first, column));
  const nodes = nodePositions(records);
  const primary = translated(records, tools.columnOfItems(first, ofInstance.nodes, 0), nodes);
  const secondary = translated(records, tools.columnOfItems(first, ofInstance.nodes, 1), nodes);
  const diskTemplate = coded(records, tools.column(first, ofInstance.disk_template), (text) =>
    diskTemplates.indexOf(text as DiskTemplate),
  );
  const status = coded(records, tools.column(first, ofInstance.admin_state), (text) =>
    instanceStatuses.indexOf(statusOf(text)),
  );
  checkNics(records, first);
  if (primary.includes(none) || primary.includes(unknown) || secondary.includes(unknown)) {
    throw unusual;
  }
  if (diskTemplate.includes(-1)) throw unusual;
  if (figures(ofInstance.forthcoming).includes(1)) return undefined;
  return {
    memoryMib: figures(ofInstance.memory),
    diskMib: figures(ofInstance.disk_space_total),
    vcpus: figures(ofInstance.vcpus),
    spindleUse: figures(ofInstance.spindle_use),
    diskTemplate,
    status: status.includes(none) ? status.map(orRunning) : status,
    primary,
    secondary,
  };
}

// Result of `translate` for a missing string, and for one without a translation.
const none = -1;
const unknown = -2;

const orRunning = (status: number): number =>
  status === none ? instanceStatuses.indexOf("running" satisfies InstanceStatus) : status;

function valuesOf({ words }: Records, list: number): Int32Array {
  if (list === 0) throw unusual;
  return words.subarray(list + 1, list + 1 + (words[list] as number));
}

/** A list of translations from strings to the positions of the nodes with these names. */
function nodePositions(records: Records): number {
  const positions = noTranslations(records);
  const { words } = records;
  const keys = valuesOf(records, records.tools.column(firstNode(records), rowKey));
  // If keys repeat, the later one is meant.
  for (let node = 0; node < keys.length; node++) {
    words[positions + 1 + (keys[node] as number)] = node;
  }
  return positions;
}

function noTranslations({ tools, stringCount }: Records): number {
  const translations = tools.newTranslations(stringCount);
  if (translations === 0) throw unusual;
  return translations;
}

function translated(records: Records, list: number, translations: number): Int32Array {
  const values = valuesOf(records, list);
  records.tools.translate(list, translations);
  return values;
}

/** A column of strings with few distinct values, encoded by `code`. */
function coded(records: Records, list: number, code: (text: string) => number): Int32Array {
  const codes = noTranslations(records);
  for (const string of differing(records, list)) {
    if (string >= 0) records.words[codes + 1 + string] = code(records.string(string));
  }
  return translated(records, list, codes);
}

function differing(records: Records, list: number): Int32Array {
  return valuesOf(records, list === 0 ? 0 : records.tools.distinct(list));
}

function checkNics(records: Records, first: number): void {
  const modes = records.tools.columnOfRecords(first, ofInstance.nics, ofNic.mode);
  for (const mode of differing(records, modes)) {
    if (mode >= 0 && !nicModes.includes(records.string(mode))) throw unusual;
  }
}
