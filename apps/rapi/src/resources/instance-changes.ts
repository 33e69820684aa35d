/** Methods that change existing instances, except for their disks. */
import type { Json } from "@ganeti-ts/protocol";
import { JobId } from "@ganeti-ts/protocol";
import * as z from "zod";
import { HttpFault, typeName } from "../http/fault.js";
import { withUsbDevices } from "./instance-creation.js";
import {
  fillOpcode,
  reasonText,
  reasonTrail,
  requireObject,
  submit,
  submits,
} from "./job-method.js";
import type { Call, Method } from "./resource.js";

const allOfIt = "Asks for all there is to know of an instance; the job's result has it";
export const info = submits("OP_INSTANCE_QUERY_DATA", allOfIt, {
  // Each request stores a job.
  access: "user",
  flags: ["static"],
  fixed: { names: ["instances"], of: ({ names }) => ({ instances: [names.instance as string] }) },
  body: "ignored",
});

export const reboot = submits("OP_INSTANCE_REBOOT", "Restarts an instance", {
  flags: ["dry-run", "ignore_secondaries"],
  query: { type: "soft, hard (the default) or full" },
  fixed: {
    names: ["reboot_type"],
    of: ({ query }) => ({ reboot_type: query.text("type") ?? "hard" }),
  },
});

const modification = "Changes an instance's parameters, disks and NICs";
export const modify = submits("OP_INSTANCE_SET_PARAMS", modification, {
  rename: { custom_beparams: "beparams", custom_hvparams: "hvparams" },
  body: ({ body }) => withUsbDevices(requireObject(body ?? {})),
});

/** A job of two or three opcodes: stop, install, and start again. */
export const reinstall: Method = {
  summary: "Installs an instance's operating system again",
  access: "write",
  query: {
    os: "The operating system; only without a body",
    nostartup: "1 leaves the instance stopped; only without a body",
    reason: reasonText,
  },
  body: z.object({
    os: z.string().nullish(),
    osparams: z.looseObject({}).nullish(),
    start: z.boolean().optional(),
  }),
  answer: JobId,
  opcodes: ["OP_INSTANCE_SHUTDOWN", "OP_INSTANCE_REINSTALL", "OP_INSTANCE_STARTUP"],
  handle: (call, world) => {
    const { os, osparams, start } = reinstallation(call);
    const fixed = {
      instance_name: call.names.instance as string,
      reason: reasonTrail(call, "instances_name_reinstall", world),
    };
    const opcodes = [
      fillOpcode("OP_INSTANCE_SHUTDOWN", {}, fixed),
      fillOpcode("OP_INSTANCE_REINSTALL", { os_type: os, osparams }, fixed),
      ...(start ? [fillOpcode("OP_INSTANCE_STARTUP", {}, fixed)] : []),
    ];
    return submit(opcodes, world);
  },
};

function reinstallation({ body, query }: Call): { os: Json; osparams: Json; start: boolean } {
  const inQuery = query.names.some((name) => name !== "reason");
  if (!isEmpty(body)) {
    if (inQuery) throw new HttpFault(400, "Can't combine query and body parameters");
    if (typeof body !== "object" || body === null || Array.isArray(body)) {
      throw new HttpFault(400, "Invalid body contents, not a dictionary");
    }
    const { os = null, osparams = null, start = true } = requireObject(body);
    if (typeof start !== "boolean") {
      throw new HttpFault(
        400,
        `'start' parameter: Type is '${typeName(start)}', but 'bool' is expected`,
      );
    }
    return { os, osparams, start };
  }
  return { os: query.text("os") ?? null, osparams: null, start: !query.flag("nostartup") };
}

/** Python's truth value: null, zero and empty values are false. */
export const isEmpty = (body: Json | undefined): boolean =>
  body === undefined ||
  body === null ||
  body === false ||
  body === 0 ||
  body === "" ||
  (typeof body === "object" && Object.keys(body).length === 0);
