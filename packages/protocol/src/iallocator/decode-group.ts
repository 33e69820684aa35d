/** Decoder for an entry of `nodegroups`, with its complete instance policy. */
import {
  allocationPolicies,
  diskTemplates,
  type GroupData,
  type InstancePolicy,
  type InstanceSpec,
} from "../cluster-data.js";
import type { JsonValues } from "../json/json-values.js";
import { quotedList } from "../json/quoted.js";
import { RecordReader, wrong } from "../json/record-reader.js";

export function decodeGroup(document: JsonValues, uuid: string, value: number): GroupData {
  if (!document.isObject(value)) throw wrong("not an object");
  const group = new RecordReader(document, value, `invalid data for group '${uuid}': `);
  return {
    uuid,
    name: group.string("name"),
    allocationPolicy: group.choice("alloc_policy", "AllocPolicy", allocationPolicies),
    networks: group.strings("networks"),
    policy: decodePolicy(group, "ipolicy"),
    tags: group.strings("tags"),
  };
}

// Inside a policy every unknown key is an error, reported after all others.
const policyKeys = ["disk-templates", "minmax", "spindle-ratio", "std", "vcpu-ratio"];
const minMaxKeys = ["max", "min"];
const specKeys = [
  "cpu-count",
  "disk-count",
  "disk-size",
  "memory-size",
  "nic-count",
  "spindle-use",
];

/** The complete instance policy at `key` of `owner`. */
export function decodePolicy(owner: RecordReader, key: string): InstancePolicy {
  return policyRecord(owner.document, owner.objectValue(key), owner.where(key));
}

/** Decodes the policy in an object; `way` is the prefix of its errors. */
export function policyRecord(document: JsonValues, object: number, way: string): InstancePolicy {
  const policy = nested(document, object, way);
  const decoded = {
    minMax: policy.items("minmax").map((item) => decodeMinMax(policy, item)),
    std: decodeSpec(policy, "std"),
    diskTemplates: policy.choiceList("disk-templates", "DiskTemplate", diskTemplates),
    vcpuRatio: policy.double("vcpu-ratio"),
    spindleRatio: policy.double("spindle-ratio"),
  };
  refuseOtherKeys(policy, policyKeys);
  return decoded;
}

function decodeMinMax(policy: RecordReader, item: number): InstancePolicy["minMax"][number] {
  const pair = nested(policy.document, policy.mustBeObject("minmax", item), policy.where("minmax"));
  const decoded = { min: decodeSpec(pair, "min"), max: decodeSpec(pair, "max") };
  refuseOtherKeys(pair, minMaxKeys);
  return decoded;
}

function decodeSpec(parent: RecordReader, key: string): InstanceSpec {
  const spec = nested(parent.document, parent.objectValue(key), parent.where(key));
  const decoded = {
    memoryMib: spec.integer("memory-size"),
    cpuCount: spec.integer("cpu-count"),
    diskMib: spec.integer("disk-size"),
    diskCount: spec.integer("disk-count"),
    nicCount: spec.integer("nic-count"),
    spindleUse: spec.integer("spindle-use"),
  };
  refuseOtherKeys(spec, specKeys);
  return decoded;
}

/** A reader for an object inside a policy: its errors contain the path to it, one level after the other. */
function nested(document: JsonValues, object: number, way: string): RecordReader {
  return new RecordReader(document, object, way, "Can't parse value for");
}

function refuseOtherKeys(record: RecordReader, allowed: readonly string[]): void {
  const others = record.document.keys(record.object).filter((key) => !allowed.includes(key));
  if (others.length === 0) return;
  const named = quotedList([...new Set(others)].sort(byCodePoint));
  const only = quotedList(allowed);
  throw wrong(`${record.owner}Superfluous dictionary keys: ${named}, but only ${only} allowed.`);
}

function byCodePoint(a: string, b: string): number {
  const [left, right] = [[...a], [...b]];
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const order = (left[i]?.codePointAt(0) ?? 0) - (right[i]?.codePointAt(0) ?? 0);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}
