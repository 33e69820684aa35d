/** Plan of a new instance, from the parameters of its creation. */

import { filledOsparams, type Snapshot, withTags } from "@ganeti-ts/config";
import {
  type Beparams,
  type OpcodeNic,
  type Parameters,
  type ParameterValue,
  type PartialBeparams,
  usesLvm,
} from "@ganeti-ts/protocol";
import { wrongState } from "../../unit/refusals.js";
import { fileDirectory, type PlannedDisk, plannedDisk } from "../plan/disks.js";
import { type PlannedNic, plannedNics } from "../plan/nics.js";
import type { GivenOsparams } from "../running/node-checks.js";
import type { Placement } from "./placement.js";
import type { CreateOp, CreateRequest } from "./request.js";
import { checkedBeparams, checkedHvparams, checkedHypervisor } from "./request.js";
import type { InstancePlan } from "./reservation.js";

/** The wanted instance without its placement. */
export interface Wanted {
  readonly plan: InstancePlan;
  readonly beparams: Beparams;
  /** Parameters with defaults, for the scripts of the OS. */
  readonly osparams: GivenOsparams;
}

/** @throws PrereqError, ConfigError */
export function wantedInstance(
  now: Snapshot,
  request: CreateRequest,
  name: string | undefined,
  checkedIp: string | undefined,
): Wanted {
  const { op, template } = request;
  const directory = fileDirectory(now, template, name, op.file_storage_dir);
  const volumeGroup = now.cluster.volume_group_name;
  if (volumeGroup === undefined && usesLvm(template)) {
    wrongState("Cluster does not support lvm-based instances");
  }
  const isPartial = op.forthcoming;
  const hypervisor =
    isPartial && op.hypervisor === undefined ? undefined : checkedHypervisor(now, op.hypervisor);
  const tags = withTags([], op.tags);
  const hvparams = checkedHvparams(now, op.hvparams, hypervisor, op.os_type);
  const { own, filled } = checkedBeparams(now, op.beparams);
  const os = op.os_type ?? (isPartial ? undefined : "");
  const osparams = typedOs(op.osparams);
  const givenPrivate = typedOs(op.osparams_private ?? {});
  const below = filledOsparams(now, {
    os: os ?? "",
    osparams,
    osparams_private: givenPrivate,
  });
  const givenNics = op.identify_defaults
    ? request.nics.map((nic) => withoutNicDefaults(now, nic))
    : request.nics;
  const nics: readonly PlannedNic[] = plannedNics(now, givenNics, { checkedIp });
  // A diskless instance ignores given disks.
  const said = template === "diskless" ? [] : request.disks;
  const disks: readonly PlannedDisk[] = said.map((disk) =>
    plannedDisk(disk, template, volumeGroup ?? "", !isPartial),
  );
  const own_ = op.identify_defaults
    ? withoutDefaults(now, {
        hypervisor,
        os,
        hvparams,
        beparams: own,
        osparams,
        osparams_private: givenPrivate,
      })
    : { hvparams, beparams: own, osparams, osparams_private: givenPrivate };
  return {
    beparams: filled,
    osparams: { open: below.public, hidden: { ...below.private, ...op.osparams_secret } },
    plan: {
      entry: {
        admin_state: "down",
        admin_state_source: "admin",
        disks_active: false,
        tags,
        ...(name === undefined ? {} : { name }),
        ...(os === undefined ? {} : { os }),
        ...(hypervisor === undefined ? {} : { hypervisor }),
        ...(isPartial && disks.length === 0 && op.disk_template !== undefined
          ? { disk_template: op.disk_template }
          : {}),
        ...own_,
      },
      template,
      disks,
      nics,
      directory,
      driver: request.driver,
      primary: undefined,
      secondary: undefined,
      conflictsCheck: op.conflicts_check,
    },
  };
}

/** OS parameters are strings. */
const typedOs = (given: CreateOp["osparams"]): Parameters =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value as ParameterValue]));

/** Leaves out the values that equal the defaults. */
function withoutDefaults(
  now: Snapshot,
  given: {
    readonly hypervisor: string | undefined;
    readonly os: string | undefined;
    readonly hvparams: Parameters;
    readonly beparams: PartialBeparams;
    readonly osparams: Parameters;
    readonly osparams_private: Parameters;
  },
) {
  const { cluster } = now;
  const differing = <P extends object>(own: P, defaults: object): P =>
    Object.fromEntries(
      Object.entries(own).filter(
        ([key, value]) => (defaults as Record<string, unknown>)[key] !== value,
      ),
    ) as P;
  const { hypervisor = "", os = "" } = given;
  const ofOs = filledOsparams(now, { os, osparams: {}, osparams_private: {} });
  return {
    hvparams: differing(given.hvparams, {
      ...cluster.hvparams[hypervisor],
      ...cluster.os_hvp[os]?.[hypervisor],
    }),
    beparams: differing(given.beparams, cluster.beparams.default),
    osparams: differing(given.osparams, ofOs.public),
    osparams_private: differing(given.osparams_private, { ...ofOs.public, ...ofOs.private }),
  };
}

function withoutNicDefaults({ cluster }: Snapshot, nic: OpcodeNic): OpcodeNic {
  const defaults = cluster.nicparams.default;
  const { mode, link, vlan, ...rest } = nic;
  return {
    ...rest,
    ...(mode === defaults.mode ? {} : { mode }),
    ...(link === defaults.link ? {} : { link }),
    ...((vlan ?? "") === (defaults.vlan ?? "") ? {} : { vlan }),
  };
}

/** The plan with its nodes. */
export const placedPlan = (plan: InstancePlan, place: Placement | undefined): InstancePlan => ({
  ...plan,
  primary: place?.primary,
  secondary: place?.secondary,
});
