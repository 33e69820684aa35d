/** OP_CLUSTER_RENEW_CRYPTO: new node certificates, and new ssh keys between nodes. */
import { putCluster, secondCertificateOf } from "@ganeti-ts/config";
import { bigLock } from "@ganeti-ts/locking";
import { failed, type NodeAnswer } from "@ganeti-ts/node-calls";
import type { NodeObject, NodeUuid, OpcodeOf } from "@ganeti-ts/protocol";
import { ask, info, valueOrFail, warn } from "../unit/effects.js";
import { asExclusive } from "../unit/locks.js";
import { wrongInput } from "../unit/refusals.js";
import { applied, areChecksAll, type Unit, type World } from "../unit/unit.js";
import { distributeSsconf } from "./ssconf.js";

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

/**
 * The configuration records the certificates of the master and of candidates. A node whose certificate could not be
 * replaced is logged, and stays listed with the one that it has: without it, it could not become the master.
 *
 * All calls to nodes are made with the master's certificate. Its second one is listed with the first, and used once
 * all online nodes have accepted a call made with it; only then is the first one removed from the list. So nodes accept
 * the certificate in use at any moment, also if this ends in between.
 */
async function renewCertificates(world: World): Promise<void> {
  const { master_node: master } = world.config.snapshot.cluster;
  const { digests, failures } = await renewedCandidates(world);
  const second = await world.masterHost.secondCertificate.make();
  if (!second.ok) failures.push(failureOf(world, master, second.message));
  if (failures.length > 0) {
    world.log(
      "Some nodes' SSL client certificates could not be fetched. Please make sure those nodes are" +
        " reachable and rerun the operation. The affected nodes and their errors are:\n" +
        failures.join(""),
    );
  }
  await list(world, digests, second.ok ? second.value.digest : undefined);
  await distributeSsconf(world);
  if (!second.ok) return;
  const used = await useEverywhere(world, second.value.digest);
  await list(world, used ? new Map([[master, second.value.digest]]) : new Map());
  await distributeSsconf(world);
}

const failureOf = ({ config }: World, node: NodeUuid, message: string): string =>
  `Node ${config.snapshot.expectNode(node).name}: ${message}\n`;

const onlineNodes = ({ config }: World): readonly NodeObject[] =>
  Array.from(config.snapshot.nodes()).filter(({ offline }) => !offline);

/** Digests of the certificates that candidates have now, and that of the master's present one. */
async function renewedCandidates(world: World) {
  const { master_node } = world.config.snapshot.cluster;
  const digests = new Map<NodeUuid, string>();
  const failures: string[] = [];
  for (const { uuid, master_candidate } of onlineNodes(world)) {
    if (!master_candidate) continue;
    const renewed: NodeAnswer<unknown> =
      uuid === master_node
        ? { ok: true, value: null }
        : await world.masterHost.renewNodeCertificate(uuid);
    const answer = renewed.ok ? await ask(world, uuid, "node_crypto_tokens", {}) : renewed;
    if (answer.ok) digests.set(uuid, answer.value.digest);
    else failures.push(failureOf(world, uuid, answer.message));
  }
  return { digests, failures };
}

/** Lists these certificates, and the master's second one if there is one; other candidates stay as they are listed. */
async function list(
  world: World,
  digests: ReadonlyMap<NodeUuid, string>,
  second?: string,
): Promise<void> {
  await applied(world, ({ cluster }) => {
    const candidates = onlineNodes(world).filter(({ master_candidate }) => master_candidate);
    const entries = candidates.flatMap(({ uuid }) => {
      const digest = digests.get(uuid) ?? cluster.candidate_certs[uuid];
      return digest === undefined ? [] : [[uuid as string, digest] as const];
    });
    if (second !== undefined) entries.push([secondCertificateOf(cluster.master_node), second]);
    const object = { ...cluster, candidate_certs: Object.fromEntries(entries) };
    return [putCluster(object)];
  });
}

/** Returns whether the server uses the second certificate now; otherwise it keeps the first one, and the log says why. */
async function useEverywhere(world: World, digest: string): Promise<boolean> {
  const { secondCertificate } = world.masterHost;
  const tried = await Promise.all(
    onlineNodes(world).map(async ({ uuid, name }) => ({
      name,
      answer: await secondCertificate.tryOn(uuid),
    })),
  );
  const problems = tried.flatMap(({ name, answer }) =>
    answer.ok ? [] : [`node ${name}: ${answer.message}`],
  );
  if (problems.length === 0) {
    const used = world.signal.aborted
      ? failed("the job was given up")
      : await secondCertificate.use(digest);
    if (used.ok) {
      warnOfOffline(world);
      return true;
    }
    problems.push(used.message);
  }
  await secondCertificate.remove();
  warn(
    world,
    `The master keeps its certificate, because a new one cannot be used everywhere: ${problems.join("; ")}`,
    "Make these nodes reachable, or set them offline, and run 'gnt-cluster renew-crypto --new-node-certificates' again",
  );
  return false;
}

/** A node that comes back knows the master's former certificate only. */
function warnOfOffline(world: World): void {
  const names = [...world.config.snapshot.nodes()].flatMap(({ offline, name }) =>
    offline ? [name] : [],
  );
  if (names.length === 0) return;
  info(
    world,
    `Offline nodes do not accept the master's new certificate: add them again with 'gnt-node add --readd' (${names.join(", ")})`,
  );
}
