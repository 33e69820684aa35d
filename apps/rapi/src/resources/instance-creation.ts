/** Methods that create instances: one, many, and reserved ones. */
import { isJsonObject, type Json, type JsonObject } from "@ganeti-ts/protocol";
import * as z from "zod";
import { HttpFault } from "../http/fault.js";
import { fillOpcode, requireObject, submits } from "./job-method.js";
import type { Method } from "./resource.js";

const rename = { os: "os_type", name: "instance_name" };

export const create = submits({
  summary: "Creates an instance, or with `forthcoming` reserves its resources",
  source: "instances",
  opcode: "OP_INSTANCE_CREATE",
  flags: { dry_run: "dry-run" },
  rename,
  besides: { __version__: z.literal([0, 1]) },
  body: ({ body }) => {
    const { __version__: version = 0, ...given } = requireObject(body);
    // Reservations are new, so they have no older format.
    if (version === 0 && given.forthcoming !== true) {
      throw new HttpFault(400, "Instance creation request version 0 is no longer supported");
    }
    if (version !== 0 && version !== 1) {
      throw new HttpFault(400, `Unsupported request data version ${version}`);
    }
    return withUsbDevices(given);
  },
});

export const createMany: Method = {
  ...manyCreations(),
  longBody: true,
};

function manyCreations(): Method {
  return submits({
    summary: "Creates instances where an allocator puts them; the job's result lists their jobs",
    source: "instances_multi_alloc",
    opcode: "OP_INSTANCE_MULTI_ALLOC",
    flags: { dry_run: "dry-run" },
    body: ({ body }) => {
      const given = requireObject(body);
      if (given.instances === undefined) {
        throw new HttpFault(400, "Request is missing required 'instances' field in body");
      }
      if (!Array.isArray(given.instances)) return given;
      const instances = given.instances.map((one): Json => {
        const { OP_ID: _, ...parameters } = fillOpcode("OP_INSTANCE_CREATE", one, {}, rename);
        return parameters;
      });
      return { ...given, instances };
    },
  });
}

/** Addition of ours: creates the instance of a reservation, which provides the values that the body lacks. */
export const commit = submits({
  summary: "Makes a reserved instance real",
  source: "instances_name_create",
  opcode: "OP_INSTANCE_CREATE",
  path: { instance_name: "instance" },
  flags: { dry_run: "dry-run" },
  fixed: { names: ["commit"], of: () => ({ commit: true }) },
  rename: { os: "os_type" },
  body: ({ body }) => {
    const given = requireObject(body ?? {});
    const barred = ["forthcoming", "mode", "pnode", "snode", "iallocator"].find(
      (name) => given[name] !== undefined,
    );
    if (barred === undefined) return withUsbDevices(given);
    throw new HttpFault(
      400,
      `Invalid body parameters: '${barred}' cannot be given, where the instance goes is fixed by its reservation`,
    );
  },
});

/** Replaces blanks between devices by commas, which the hypervisor requires. */
export function withUsbDevices(given: JsonObject): JsonObject {
  const { hvparams } = given;
  if (!isJsonObject(hvparams) || typeof hvparams.usb_devices !== "string") return given;
  const usb_devices = hvparams.usb_devices.replaceAll(" ", ",");
  return { ...given, hvparams: { ...hvparams, usb_devices } };
}
