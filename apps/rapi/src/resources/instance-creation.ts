/** Methods that create instances: one, many, and reserved ones. */
import { isJsonObject, type Json, type JsonObject } from "@ganeti-ts/protocol";
import * as z from "zod";
import { HttpFault } from "../http/fault.js";
import { fillOpcode, requireObject, submits } from "./job-method.js";

const rename = { os: "os_type", name: "instance_name" };

const creation = "Creates an instance, or with `forthcoming` reserves its resources";
export const create = submits("OP_INSTANCE_CREATE", creation, {
  flags: ["dry-run"],
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

const creations =
  "Creates instances where an allocator puts them; the job's result lists their jobs";
export const createMany = submits("OP_INSTANCE_MULTI_ALLOC", creations, {
  flags: ["dry-run"],
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
  also: { longBody: true },
});

/** Addition of ours: creates the instance of a reservation, which provides the values that the body lacks. */
export const commit = submits("OP_INSTANCE_CREATE", "Makes a reserved instance real", {
  flags: ["dry-run"],
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
