/** Opcode of `gnt-cluster modify`, from its options. */
import type { Json, JsonObject } from "@ganeti-ts/protocol";
import { pythonLiteral } from "@ganeti-ts/protocol";
import type { OpcodeJson } from "../../cluster.js";
import { Ending } from "../../errors.js";
import type { OptionValues } from "../../invocation.js";
import { fromOptions, given } from "../../opcode.js";
import { clusterValuesOf, uidPool } from "../../parameters/cluster-values.js";
import { commaList } from "../../parsing/key-values.js";

/**
 * `warn` gets names of collectors that are not in the list. @throws Ending if there is nothing to
 * do
 */
export function modifyOpcode(options: OptionValues, warn: (text: string) => void): OpcodeJson {
  const values: JsonObject = {
    ...clusterValuesOf(options),
    ...given({
      ...fromOptions(options, "max-running-jobs", "max-tracked-jobs"),
      ...fromOptions(options, "instance-communication-network", "modify-etc-hosts"),
      add_uids: uidPool(options.text("add-uids")),
      remove_uids: uidPool(options.text("remove-uids")),
      reserved_lvs: reservedVolumes(options.text("reserved-lvs")),
      enabled_data_collectors: collectors(options, warn),
      data_collector_interval: intervals(options),
    }),
  };
  if (Object.keys(values).length === 0) {
    throw new Ending("Please give at least one of the parameters.");
  }
  return { OP_ID: "OP_CLUSTER_SET_PARAMS", force: options.flag("force"), ...values };
}

const reservedVolumes = (text: string | undefined): Json | undefined =>
  text === "" ? [] : text === undefined ? undefined : commaList(text);

const collectorNames = [
  ...["cpu-avg-load", "xen-cpu-avg-load", "diskstats", "drbd", "lv", "inst-status-xen"],
];

/** Any word that begins with a t is true. */
function collectors(options: OptionValues, warn: (text: string) => void): JsonObject | undefined {
  const values = options.keyValues("enabled-data-collectors");
  if (values === undefined) return undefined;
  const unknown = Object.keys(values).filter((name) => !collectorNames.includes(name));
  if (unknown.length > 0) warn(`Data collector names not recognized: ${unknown.join(", ")}`);
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, /^t/i.test(String(value))]),
  );
}

/** Converts seconds to microseconds. */
function intervals(options: OptionValues): JsonObject | undefined {
  const values = options.keyValues("data-collector-interval");
  if (values === undefined) return undefined;
  const micros = Object.entries(values).map(
    ([name, value]) => [name, Math.trunc(1e6 * Number(value))] as const,
  );
  if (micros.some(([, value]) => !Number.isFinite(value))) {
    throw new Ending(`Can't transform all values to integers: ${pythonLiteral(values)}`);
  }
  if (micros.some(([, value]) => value <= 0)) {
    throw new Ending("Some interval times where not above zero.");
  }
  return Object.fromEntries(micros);
}
