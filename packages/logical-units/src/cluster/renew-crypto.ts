/** OP_CLUSTER_RENEW_CRYPTO: new node certificates, and new ssh keys between nodes. */

import { putCluster } from "@ganeti-ts/config";
import { bigLock } from "@ganeti-ts/locking";
import type { OpcodeOf } from "@ganeti-ts/protocol";
import { ask, valueOrFail } from "../unit/effects.js";
import { asExclusive } from "../unit/locks.js";
import { wrongInput } from "../unit/refusals.js";
import { applied, areChecksAll, type Unit, type World } from "../unit/unit.js";
import { onlineNodes, renewCertificates } from "./renew-certificates.js";

type Op = OpcodeOf<"OP_CLUSTER_RENEW_CRYPTO">;

export const renewCrypto: Unit<"OP_CLUSTER_RENEW_CRYPTO"> = {
  opcode: "OP_CLUSTER_RENEW_CRYPTO",

  locks: () => asExclusive(bigLock),

  async run(op, world) {
    const key = keyOf(op, world);
    if (await areChecksAll(world, op)) return null;
    if (op.node_certificates) {
      world.log("Renewing Node SSL certificates");
      await renewCertificates(world);
    }
    if (!op.renew_ssh_keys) return null;
    if (world.config.snapshot.cluster.modify_ssh_setup) {
      world.log("Renewing SSH keys");
      await renewSshKeys(world, key);
    } else {
      world.log("Cannot renew SSH keys if the cluster is configured to not modify the SSH setup.");
    }
    return null;
  },
};

interface KeyKind {
  readonly keyType: string;
  readonly keyBits: number;
}

/**
 * Values that are not given stay unchanged; another type of key has a default size of its own.
 * @throws PrereqError
 */
function keyOf(op: Op, { config }: World): KeyKind {
  const { ssh_key_type, ssh_key_bits } = config.snapshot.cluster;
  const keyType = op.ssh_key_type ?? ssh_key_type;
  const keyBits =
    op.ssh_key_bits ?? (keyType === ssh_key_type ? ssh_key_bits : defaultBits(keyType));
  if (!isValidSize(keyType, keyBits)) {
    wrongInput(`Invalid key type and bit size combination: ${keyType} with ${keyBits} bits`);
  }
  return { keyType, keyBits };
}

const defaultBits = (keyType: string): number =>
  keyType === "rsa" ? 2048 : keyType === "dsa" ? 1024 : 384;

const isValidSize = (keyType: string, keyBits: number): boolean =>
  keyType === "rsa"
    ? keyBits >= 768
    : (keyType === "dsa" ? [1024] : [256, 384, 521]).includes(keyBits);

/** Every node gets new keys; the keys of candidates are authorized everywhere. @throws ExecError */
async function renewSshKeys(world: World, { keyType, keyBits }: KeyKind): Promise<void> {
  const { cluster } = world.config.snapshot;
  const nodes = onlineNodes(world);
  const candidates = nodes.filter(({ master_candidate }) => master_candidate);
  const potential = nodes.filter(({ master_capable }) => master_capable);
  const failed = valueOrFail(
    await ask(world, cluster.master_node, "node_ssh_keys_renew", {
      uuids: nodes.map(({ uuid }) => uuid),
      names: nodes.map(({ name }) => name),
      candidates: candidates.map(({ uuid }) => uuid),
      potentialCandidates: potential.map(({ name }) => name),
      oldKeyType: cluster.ssh_key_type,
      newKeyType: keyType,
      newKeyBits: keyBits,
    }),
    "Could not renew the SSH keys of all nodes",
  );
  const failures = failed.map(({ node, message }) => `${node}: ${message}`);
  if (failures.length > 0) {
    world.log("Some nodes' SSH key files could not be updated:");
    for (const failure of failures) world.log(failure);
  }
  await applied(world, ({ cluster }) => {
    const object = { ...cluster, ssh_key_type: keyType, ssh_key_bits: keyBits };
    return [putCluster(object)];
  });
}
