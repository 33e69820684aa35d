/** Import of an instance from another cluster, disk by disk. */

import { diskOnNode, realDisksOf, type Snapshot } from "@ganeti-ts/config";
import { PrereqError } from "@ganeti-ts/job-queue";
import type { Json, RealInstance } from "@ganeti-ts/protocol";
import { ask, valueOrFail } from "../../../unit/effects.js";
import { wrongInput } from "../../../unit/refusals.js";
import { contextAt, type World } from "../../../unit/unit.js";
import {
  checkedCertificate,
  domainSecret,
  handshakeFault,
  keyValiditySeconds,
  newSalt,
  signedCertificate,
  signedDestination,
} from "../../domain/domain.js";
import { nodeName } from "../../state.js";
import { type Destination, receiveDisks } from "../../transfer/between-clusters.js";
import type { CreateOp } from "../request.js";
import { checkArrived } from "./from-export.js";

const connectTimeoutSeconds = 180;

export interface OtherCluster {
  readonly secret: string;
  /** CA certificate of the sending node. */
  readonly caPem: string;
  /** Name of the instance in the other cluster; the full one with `name_check`. */
  readonly instanceName: string;
}

/** Checks run in Ganeti's order. @throws PrereqError, OperationError */
export async function checkedOtherCluster(world: World, op: CreateOp): Promise<OtherCluster> {
  const secret = await domainSecret(world);
  if (!op.source_handshake?.length) wrongInput("Missing source handshake");
  const fault = await handshakeFault(secret, op.source_handshake ?? []);
  if (fault !== undefined) wrongInput(`Invalid handshake: ${fault}`);
  if (op.source_x509_ca === undefined) wrongInput("Missing source X509 CA");
  const caPem = await checkedCertificate(world, secret, op.source_x509_ca ?? "", "source");
  if (op.source_instance_name === undefined) wrongInput("Missing source instance name");
  const name = op.source_instance_name ?? "";
  if (!op.name_check) return { secret, caPem, instanceName: name };
  const host = await world.resolver.resolve(name);
  if (host.ok) return { secret, caPem, instanceName: host.name };
  throw new PrereqError(
    "resolver_error",
    `The given name (${name}) does not resolve: ${host.reason}`,
  );
}

/**
 * Waits for the disks and logs the addresses they are expected at; the other cluster may take long
 * to stop the instance. Returns the name of the instance there. @throws ExecError
 */
export async function fillFromCluster(
  world: World,
  instance: RealInstance,
  { secret, caPem, instanceName }: OtherCluster,
  { compress, source_shutdown_timeout }: CreateOp,
): Promise<string> {
  const now = world.config.snapshot;
  const context = contextAt(world, now);
  const { primary_node: node } = instance;
  world.log("* preparing remote import...");
  const key = valueOrFail(
    await ask(world, node, "x509_cert_create", { validitySeconds: keyValiditySeconds }),
    `Can't create X509 key and certificate on ${nodeName(now, node)}`,
  );
  let arrived: readonly boolean[];
  try {
    const { random } = world.config;
    const ownCa = await signedCertificate(secret, key.certPem, newSalt(random));
    arrived = await receiveDisks(context, instance, endsOf(now, instance), {
      keyName: key.name,
      caPem,
      compress,
      connectTimeoutSeconds: connectTimeoutSeconds + source_shutdown_timeout,
      announcement: async (destinations) => ({
        disks: await signedDestinations(secret, newSalt(random), destinations),
        x509_ca: ownCa,
      }),
    });
  } finally {
    valueOrFail(
      await ask(world, node, "x509_cert_remove", { name: key.name }),
      `Can't remove X509 key and certificate on ${nodeName(now, node)}`,
    );
  }
  checkArrived(context, instance, arrived);
  return instanceName;
}

const signedDestinations = (
  secret: string,
  salt: string,
  destinations: readonly Destination[],
): Promise<Json[]> =>
  Promise.all(destinations.map((one, index) => signedDestination(secret, salt, index, one)));

const endsOf = (now: Snapshot, instance: RealInstance) =>
  realDisksOf(now, instance).map((of, index) => {
    const disk = diskOnNode(now, instance, of);
    return instance.os === ""
      ? ({ kind: "raw-disk", disk } as const)
      : ({ kind: "script", disk, index } as const);
  });
