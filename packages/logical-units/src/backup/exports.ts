/** OP_BACKUP_PREPARE and OP_BACKUP_REMOVE: before an export, and the end of the exports of an instance. */
import {
  domainSecret,
  handshake,
  keyValiditySeconds,
  newSalt,
  signedCertificate,
  signedKeyName,
} from "../instance/domain/domain.js";
import { checkNodeOnline } from "../instance/running/node-checks.js";
import { namedRealInstance, nodeName } from "../instance/state.js";
import { ask, valueOrFail, warn } from "../unit/effects.js";
import { asExclusive, instanceLock, nodeLock } from "../unit/locks.js";
import { areChecksAll, type Unit } from "../unit/unit.js";

/** OP_BACKUP_PREPARE: what an export needs beforehand; one that stays in the cluster needs nothing. */
export const prepareExport: Unit<"OP_BACKUP_PREPARE"> = {
  opcode: "OP_BACKUP_PREPARE",

  locks: (op, now) => asExclusive(instanceLock(namedRealInstance(now, op))),

  /** Handshake and key for the receiving cluster, to be passed on to the export. */
  async run(op, world) {
    const now = world.config.snapshot;
    const { primary_node: node } = namedRealInstance(now, op);
    checkNodeOnline(now, node);
    if ((await areChecksAll(world, op)) || op.mode === "local") return null;
    const secret = await domainSecret(world);
    const salt = newSalt(world.config.random);
    const where = nodeName(now, node);
    world.log(`Generating X509 certificate on ${where}`);
    const { name, certPem } = valueOrFail(
      await ask(world, node, "x509_cert_create", { validitySeconds: keyValiditySeconds }),
      `Can't create X509 key and certificate on ${where}`,
    );
    return {
      handshake: await handshake(secret, world.config.random),
      x509_key_name: await signedKeyName(secret, salt, name),
      x509_ca: await signedCertificate(secret, certPem, salt),
    };
  },
};

/** OP_BACKUP_REMOVE: removes the exports of an instance, which may itself be gone. */
export const removeExports: Unit<"OP_BACKUP_REMOVE"> = {
  opcode: "OP_BACKUP_REMOVE",

  locks: (_, now) => asExclusive(...[...now.nodes()].map(({ uuid }) => nodeLock(uuid))),

  async run(op, world) {
    const now = world.config.snapshot;
    const known = now.findInstance(op.instance_name);
    const name = known?.name ?? op.instance_name;
    if (await areChecksAll(world, op)) return null;
    let isFound = false;
    for (const node of now.nodes()) {
      const exports = await ask(world, node.uuid, "export_list", {});
      if (!exports.ok) {
        warn(world, `Failed to query node ${node.name} (continuing): ${exports.message}`);
        continue;
      }
      if (!exports.value.includes(name)) continue;
      isFound = true;
      const removed = await ask(world, node.uuid, "export_remove", { name });
      if (!removed.ok) {
        const text = `Could not remove export for instance ${name} on node ${node.name}`;
        warn(world, `${text}: ${removed.message}`);
      }
    }
    if (known === undefined && !isFound) {
      world.log(
        "Export not found. If trying to remove an export belonging to a deleted instance please use its Fully Qualified Domain Name.",
      );
    }
    return null;
  },
};
