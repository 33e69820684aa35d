/** Resources below `/2/instances`. */
import { RapiInstance } from "@ganeti-ts/protocol";
import * as z from "zod";
import { HttpFault } from "../http/fault.js";
import { listMethod, showMethod } from "./collection.js";
import * as disk from "./disk-methods.js";
import * as change from "./instance-changes.js";
import * as creation from "./instance-creation.js";
import { submits } from "./job-method.js";
import { queryOne } from "./queries.js";
import { type Method, type Resource, resource } from "./resource.js";
import { tagsResource } from "./tags.js";

const instances = { kind: "instance", idKey: "id", schema: RapiInstance } as const;

/** Access to the console. Further keys depend on the kind. */
const Console = z.looseObject({
  instance: z.string(),
  kind: z.enum(["ssh", "vnc", "spice", "msg"]),
});

const showConsole: Method = {
  summary: "How to reach an instance's console",
  access: "read",
  answer: Console,
  handle: async ({ names }, world) => {
    const fields = ["console", "oper_state"];
    const found = await queryOne(world, "instance", names.instance as string, fields);
    if (found.oper_state !== true || found.console === null) {
      throw new HttpFault(503, "Instance console unavailable");
    }
    return found.console as never;
  },
};

const at = (rest: string) => `/2/instances/{instance}${rest}`;
const flags = ["dry-run"];

export const instanceResources: readonly Resource[] = [
  resource("/2/instances", { GET: listMethod(instances), POST: creation.create }),
  resource("/2/instances-multi-alloc", { POST: creation.createMany }),
  resource(at(""), {
    GET: showMethod(instances),
    DELETE: submits("OP_INSTANCE_REMOVE", "Removes an instance with its disks", {
      flags,
      fixed: { names: ["ignore_failures"], of: () => ({ ignore_failures: false }) },
    }),
  }),
  resource(at("/info"), { GET: change.info }),
  resource(at("/create"), { POST: creation.commit }),
  // Addition of ours.
  resource(at("/repair"), {
    POST: submits(
      "OP_INSTANCE_REPAIR",
      "Replaces the disks that are faulty on an instance's primary node",
      { flags },
    ),
  }),
  resource(at("/reboot"), { POST: change.reboot }),
  resource(at("/startup"), {
    PUT: submits("OP_INSTANCE_STARTUP", "Starts an instance", {
      flags: [...flags, "force", "no_remember"],
      body: "ignored",
    }),
  }),
  resource(at("/shutdown"), {
    PUT: submits("OP_INSTANCE_SHUTDOWN", "Stops an instance", { flags: [...flags, "no_remember"] }),
  }),
  resource(at("/reinstall"), { POST: change.reinstall }),
  resource(at("/replace-disks"), { POST: disk.replace }),
  resource(at("/activate-disks"), {
    PUT: submits(
      "OP_INSTANCE_ACTIVATE_DISKS",
      "Makes an instance's disks available on its primary node",
      { flags: ["ignore_size"], body: "ignored" },
    ),
  }),
  resource(at("/deactivate-disks"), {
    PUT: submits("OP_INSTANCE_DEACTIVATE_DISKS", "Undoes that", {
      flags: ["force"],
      body: "ignored",
    }),
  }),
  resource(at("/recreate-disks"), {
    POST: submits(
      "OP_INSTANCE_RECREATE_DISKS",
      "Makes an instance's disks anew, without what was on them",
    ),
  }),
  resource(at("/disk/{disk}/grow"), {
    POST: submits("OP_INSTANCE_GROW_DISK", "Makes a disk larger", {
      fixed: { names: ["disk"], of: ({ names }) => ({ disk: Number(names.disk) }) },
    }),
  }),
  resource(at("/prepare-export"), { PUT: disk.prepareExport }),
  resource(at("/export"), {
    PUT: submits("OP_BACKUP_EXPORT", "Exports an instance to a node, or to another cluster", {
      rename: { destination: "target_node" },
    }),
    DELETE: submits("OP_BACKUP_REMOVE", "Removes an instance's exports", { body: "ignored" }),
  }),
  resource(at("/migrate"), {
    PUT: submits("OP_INSTANCE_MIGRATE", "Moves an instance while it runs"),
  }),
  resource(at("/failover"), {
    PUT: submits(
      "OP_INSTANCE_FAILOVER",
      "Stops an instance, and starts it where its disks also are",
    ),
  }),
  resource(at("/rename"), { PUT: submits("OP_INSTANCE_RENAME", "Renames an instance") }),
  resource(at("/modify"), { PUT: change.modify }),
  resource(at("/console"), { GET: showConsole }),
  tagsResource(at(""), "instance"),
];
