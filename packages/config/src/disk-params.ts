/** Disk parameters by the names that nodes use, derived from those of the disk template. */
import type { Diskparams, DiskType, Json } from "@ganeti-ts/protocol";

type Params = Readonly<Record<string, Json>>;

/** By disk type: each parameter of the device with its name in the template. */
const namesByType: Readonly<Record<DiskType, Readonly<Record<string, string>>>> = {
  plain: { stripes: "stripes" },
  drbd: {
    "resync-rate": "resync-rate",
    "disabled-barriers": "disk-barriers",
    "disable-meta-flush": "meta-barriers",
    "default-metavg": "metavg",
    "disk-custom": "disk-custom",
    "net-custom": "net-custom",
    protocol: "protocol",
    "dynamic-resync": "dynamic-resync",
    "c-plan-ahead": "c-plan-ahead",
    "c-fill-target": "c-fill-target",
    "c-delay-target": "c-delay-target",
    "c-max-rate": "c-max-rate",
    "c-min-rate": "c-min-rate",
  },
  file: {},
  sharedfile: {},
  blockdev: {},
  rbd: { pool: "pool", access: "access" },
  ext: { access: "access" },
  gluster: { access: "access", gluster_host: "host", gluster_port: "port", volume: "volume" },
};

/** Parameters of a disk of that type. Source: Ganeti, `ComputeLDParams`. */
export function diskParamsOnNode(type: DiskType, filled: Diskparams): Params {
  const template: Params = filled[type] ?? {};
  return Object.fromEntries(
    Object.entries(namesByType[type]).map(([device, name]) => [device, template[name] ?? null]),
  );
}

/** Parameters of the data or metadata volume of a mirror. */
export const mirrorPartParams = (part: "data" | "meta", filled: Diskparams): Params => ({
  stripes: filled.drbd?.[`${part}-stripes`] ?? 1,
});
