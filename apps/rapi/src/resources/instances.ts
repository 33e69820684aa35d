/** Resources below `/2/instances`. */
import { RapiInstance } from "@ganeti-ts/protocol";
import * as z from "zod";
import { HttpFault } from "../http/fault.js";
import { listMethod, readTags, showMethod } from "./collection.js";
import * as change from "./instance-changes.js";
import * as creation from "./instance-creation.js";
import * as disk from "./instance-disk-changes.js";
import { queryOne } from "./queries.js";
import type { Method, Resource } from "./resource.js";
import { tagsResource } from "./tags.js";

const instances = {
  ...({ kind: "instance", plural: "instances", idKey: "id", schema: RapiInstance } as const),
};

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

export const instanceResources: readonly Resource[] = [
  { path: "/2/instances", methods: { GET: listMethod(instances), POST: creation.create } },
  { path: "/2/instances-multi-alloc", methods: { POST: creation.createMany } },
  { path: at(""), methods: { GET: showMethod(instances, "instance"), DELETE: change.remove } },
  { path: at("/info"), methods: { GET: change.info } },
  { path: at("/create"), methods: { POST: creation.commit } },
  { path: at("/repair"), methods: { POST: disk.repair } },
  { path: at("/reboot"), methods: { POST: change.reboot } },
  { path: at("/startup"), methods: { PUT: change.startup } },
  { path: at("/shutdown"), methods: { PUT: change.shutdown } },
  { path: at("/reinstall"), methods: { POST: change.reinstall } },
  { path: at("/replace-disks"), methods: { POST: disk.replace } },
  { path: at("/activate-disks"), methods: { PUT: disk.activate } },
  { path: at("/deactivate-disks"), methods: { PUT: disk.deactivate } },
  { path: at("/recreate-disks"), methods: { POST: disk.recreate } },
  { path: at("/disk/{disk}/grow"), methods: { POST: disk.grow } },
  { path: at("/prepare-export"), methods: { PUT: disk.prepareExport } },
  { path: at("/export"), methods: { PUT: disk.exportInstance, DELETE: disk.removeExport } },
  { path: at("/migrate"), methods: { PUT: change.migrate } },
  { path: at("/failover"), methods: { PUT: change.failover } },
  { path: at("/rename"), methods: { PUT: change.rename } },
  { path: at("/modify"), methods: { PUT: change.modify } },
  { path: at("/console"), methods: { GET: showConsole } },
  tagsResource({
    path: at("/tags"),
    source: "instances_name_tags",
    kind: "instance",
    part: "instance",
    read: readTags("instance", "instance"),
  }),
];
