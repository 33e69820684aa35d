/** Decoder for an instance in the RAPI's lists. */
import { diskTemplates, type InstanceData, instanceStatuses } from "../cluster-data.js";
import { MessageError } from "../errors.js";
import { RecordReader, wrong } from "../json/record-reader.js";
import { renderJson } from "../json/render.js";
import { disksOf, nodeOfInstance } from "./decode-names.js";

/** Keys are read in Ganeti's order, which decides the reported error if there are several. */
export function decodeRapiInstance(
  record: (owner: string) => RecordReader,
  nodesByName: ReadonlyMap<string, number>,
): InstanceData {
  const name = record("Parsing new instance: ").string("name");
  const instance = record(`Instance '${name}', error while parsing data: `);
  const { document } = instance;
  const nodeNamed = (node: string) => nodeOfInstance(node, name, nodesByName);
  const diskMib = instance.integer("disk_usage");
  const forthcoming = instance.isTrue("forthcoming");
  // Disks of a reservation need not have a size yet, and count with none in `disk_usage`.
  const sizes = forthcoming
    ? nullableIntegers(instance, "disk.sizes").map((size) => size ?? 0)
    : instance.integers("disk.sizes");
  const spindles = nullableIntegers(instance, "disk.spindles");
  const parameters = new RecordReader(document, instance.objectValue("beparams"), instance.owner);
  const memoryMib = document.integer(instance.value("oper_ram")) ?? memoryWanted(parameters);
  const vcpus = parameters.integer("vcpus");
  const primary = nodeNamed(instance.string("pnode"));
  const [first] = instance.items("snodes");
  if (first !== undefined && !document.isString(first)) throw wrong("Wrong JSON type");
  const secondary = first === undefined ? -1 : nodeNamed(document.string(first, true));
  return {
    name,
    memoryMib,
    diskMib,
    disks: disksOf(sizes, spindles),
    vcpus,
    primary,
    secondary,
    status: instance.choice("status", "InstanceStatus", instanceStatuses),
    tags: instance.strings("tags"),
    autoBalance: parameters.boolean("auto_balance"),
    diskTemplate: instance.choice("disk_template", "DiskTemplate", diskTemplates),
    spindleUse: parameters.integer("spindle_use"),
    forthcoming,
    networks: [],
  };
}

/** A value for each disk; null is "unknown". */
function nullableIntegers(instance: RecordReader, key: string): (number | undefined)[] {
  const { document, owner } = instance;
  const list = instance.value(key);
  if (!document.isArray(list)) {
    throw wrong(`${owner}Expecting array, got '${renderJson(document, list)}'`);
  }
  return document.items(list).map((item) => {
    if (document.isNull(item)) return undefined;
    const value = document.integer(item);
    if (value !== undefined) return value;
    const shown = renderJson(document, item);
    throw wrong(`${owner}Cannot convert value '${shown}', error: Unable to read Int`);
  });
}

/** For an instance that does not run: the key `memory` of older Ganetis, else `maxmem`. */
function memoryWanted(parameters: RecordReader): number {
  try {
    return parameters.integer("memory");
  } catch (first) {
    if (!(first instanceof MessageError)) throw first;
    try {
      return parameters.integer("maxmem");
    } catch (second) {
      if (!(second instanceof MessageError)) throw second;
      throw wrong(`${first.message}; ${second.message}`);
    }
  }
}
