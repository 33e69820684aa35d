/** withoutSecrets: a configuration whose secrets are left out, or replaced where there must be one. */
import type { ConfigurationContent } from "@ganeti-ts/config";
import { type DiskObject, type Random, randomHex } from "@ganeti-ts/protocol";

/**
 * Private parameters of operating systems are dropped. Mirrors get new shared secrets. Certificate digests and the
 * public ssh keys are not secret.
 */
export function withoutSecrets(
  content: ConfigurationContent,
  random: Random,
): ConfigurationContent {
  return {
    ...content,
    cluster: { ...content.cluster, osparams_private_cluster: {} },
    instances: content.instances.map((instance) => ({ ...instance, osparams_private: {} })),
    disks: content.disks.map((disk) => withNewSecret(disk, random)),
  };
}

function withNewSecret<Disk extends DiskObject>(disk: Disk, random: Random): Disk {
  if (disk.dev_type !== "drbd" || disk.logical_id?.[5] === undefined) return disk;
  const logical_id = disk.logical_id.with(5, randomHex(random, 20));
  return { ...disk, logical_id };
}
