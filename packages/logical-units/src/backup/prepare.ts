/** OP_BACKUP_PREPARE: what an export needs beforehand; one that stays in the cluster needs nothing. */

import { keyValiditySeconds, signedCertificate } from "../instance/domain/certificate.js";
import { handshake, signedKeyName } from "../instance/domain/handshake.js";
import { domainSecret, newSalt } from "../instance/domain/secret.js";
import { checkNodeOnline } from "../instance/running/node-checks.js";
import { namedRealInstance, nodeName } from "../instance/state.js";
import { ask, valueOrFail } from "../unit/effects.js";
import { asExclusive, instanceLock } from "../unit/locks.js";
import { areChecksAll, type Unit } from "../unit/unit.js";

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
