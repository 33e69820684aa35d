/** Information about a node: its equipment, free resources, and results of checks. */
import * as z from "zod";
import { call, Done, list, Nothing, object, record } from "../call.js";
import { HypervisorOnNode } from "../objects/hypervisor.js";
import { LogicalVolume, NodeInformation, NodeVolume, StorageKey } from "./figures.js";
import { Verification, VerifyRequest } from "./verification.js";

export const figureCalls = {
  /** `major * 1000000 + minor * 10000` of the protocol that the node speaks. */
  version: call("urgent", "looks", Nothing, object({ protocol: z.int() })),
  /** The node that it takes for the master, by name. */
  master_node_name: call("urgent", "looks", Nothing, z.string()),
  node_info: call(
    ...(["urgent", "looks"] as const),
    object({
      storage: list(StorageKey).nullable(),
      hypervisors: list(HypervisorOnNode).nullable(),
    }),
    NodeInformation,
  ),
  node_verify: call("normal", "looks", VerifyRequest, Verification),
  /** The same checks for a node that is about to be added. */
  node_verify_light: call("normal", "looks", VerifyRequest, Verification),
  node_volumes: call("fast", "looks", Nothing, list(NodeVolume)),
  /** Volumes of the named groups; of all groups if none is named. */
  lv_list: call(
    ...(["urgent", "looks"] as const),
    object({ volumeGroups: list(z.string()) }),
    list(LogicalVolume),
  ),
  /** Sizes in MiB. */
  vg_list: call("urgent", "looks", Nothing, record(z.number())),
  /** Sizes in MiB of existing device files. */
  bdev_sizes: call(
    ...(["urgent", "looks"] as const),
    object({ paths: list(z.string()) }),
    record(z.number()),
  ),
  /** Fails, naming them, if some do not exist: `Missing bridges br1, br2`. */
  bridges_exist: call("urgent", "looks", object({ bridges: list(z.string()) }), Done),
  drbd_helper: call("urgent", "looks", Nothing, z.string()),
  node_has_ip_address: call("fast", "looks", object({ address: z.string() }), z.boolean()),
  get_file_info: call(
    ...(["fast", "looks"] as const),
    object({ path: z.string() }),
    object({ exists: z.boolean(), sizeBytes: z.number() }),
  ),
};
