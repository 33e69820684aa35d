/** Information about a node: its equipment, free resources, and results of checks. */
import * as z from "zod";
import { call, callOf, Done, list, object, record } from "../call.js";
import { HypervisorOnNode } from "../objects/hypervisor.js";
import { LogicalVolume, NodeInformation, NodeVolume, StorageKey } from "./figures.js";
import { Verification, VerifyRequest } from "./verification.js";

export const figureCalls = {
  /** `major * 1000000 + minor * 10000` of the protocol that the node speaks. */
  version: call("urgent", "looks", object({ protocol: z.int() })),
  /** The node that it takes for the master, by name. */
  master_node_name: call("urgent", "looks", z.string()),
  node_info: call("urgent", "looks", NodeInformation, {
    storage: list(StorageKey).nullable(),
    hypervisors: list(HypervisorOnNode).nullable(),
  }),
  node_verify: callOf("normal", "looks", Verification, VerifyRequest),
  /** The same checks for a node that is about to be added. */
  node_verify_light: callOf("normal", "looks", Verification, VerifyRequest),
  node_volumes: call("fast", "looks", list(NodeVolume)),
  /** Volumes of the named groups; of all groups if none is named. */
  lv_list: call("urgent", "looks", list(LogicalVolume), { volumeGroups: list(z.string()) }),
  /** Sizes in MiB. */
  vg_list: call("urgent", "looks", record(z.number())),
  /** Sizes in MiB of existing device files. */
  bdev_sizes: call("urgent", "looks", record(z.number()), { paths: list(z.string()) }),
  /** Fails, naming them, if some do not exist: `Missing bridges br1, br2`. */
  bridges_exist: call("urgent", "looks", Done, { bridges: list(z.string()) }),
  drbd_helper: call("urgent", "looks", z.string()),
  node_has_ip_address: call("fast", "looks", z.boolean(), { address: z.string() }),
  get_file_info: call("fast", "looks", object({ exists: z.boolean(), sizeBytes: z.number() }), {
    path: z.string(),
  }),
};
