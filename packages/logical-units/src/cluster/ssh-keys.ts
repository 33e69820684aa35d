/** Ssh keys of root between nodes: every node accepts those of master candidates. The master changes the files of all nodes. */

import { ExecError } from "@ganeti-ts/job-queue";
import type { NodeAnswer, NodeCallArguments, NodeCallValue } from "@ganeti-ts/node-calls";
import type { NodeObject } from "@ganeti-ts/protocol";
import { ask } from "../unit/effects.js";
import type { World } from "../unit/unit.js";

type Node = Pick<NodeObject, "uuid" | "name">;
type Removal = Pick<
  NodeCallArguments<"node_ssh_key_remove">,
  "fromAuthorizedKeys" | "fromPublicKeys" | "clearAuthorizedKeys" | "clearPublicKeys" | "isReadded"
>;

/** A new node learns the keys of all others; its own is accepted everywhere if it is a candidate. @throws ExecError */
export async function joinSshKeys(
  world: World,
  { uuid, name, master_candidate }: NodeObject,
  { isReadded }: { readonly isReadded: boolean },
): Promise<void> {
  if (isReadded) {
    await remove(
      world,
      { uuid, name },
      {
        ...{ fromAuthorizedKeys: true, fromPublicKeys: true, isReadded },
        ...{ clearAuthorizedKeys: false, clearPublicKeys: true },
      },
      `Could not remove SSH keys of node ${name} before readding, (UUID: ${uuid}).`,
    );
  }
  const answer = await ask(world, masterOf(world), "node_ssh_key_add", {
    ...{ uuid, name, potentialCandidates: namesOfAll(world) },
    ...{ toAuthorizedKeys: master_candidate, toPublicKeys: true, getPublicKeys: true },
  });
  check(world, answer, "Could not update the node's SSH setup.");
}

/** The keys of nodes that have become candidates are accepted everywhere. @throws ExecError */
export async function authorizeCandidates(world: World, promoted: readonly Node[]): Promise<void> {
  if (!world.config.snapshot.cluster.modify_ssh_setup) return;
  for (const { uuid, name } of promoted) {
    const answer = await ask(world, masterOf(world), "node_ssh_key_add", {
      ...{ uuid, name, potentialCandidates: namesOfAll(world) },
      ...{ toAuthorizedKeys: true, toPublicKeys: true, getPublicKeys: false },
    });
    const text = `Could not update the SSH setup of node '${name}' after promotion (UUID: ${uuid}).`;
    check(world, answer, text);
  }
}

/** The key of a former candidate is accepted nowhere; the node stays one that may become a candidate. @throws ExecError */
export async function revokeCandidate(world: World, { uuid, name }: Node): Promise<void> {
  if (!world.config.snapshot.cluster.modify_ssh_setup) return;
  await remove(
    world,
    { uuid, name },
    {
      ...{ fromAuthorizedKeys: true, fromPublicKeys: false, isReadded: false },
      ...{ clearAuthorizedKeys: false, clearPublicKeys: false },
    },
    `Could not adjust the SSH setup after demoting node '${name}' (UUID: ${uuid}).`,
  );
}

/**
 * Before a node leaves: the others forget its key, and it no longer accepts theirs, unless it is still to be cleared by
 * them. Those that clear nodes have accepted the keys of regular nodes as well in earlier versions.
 * @throws ExecError
 */
export async function leaveSshKeys(world: World, node: NodeObject): Promise<void> {
  if (!world.config.snapshot.cluster.modify_ssh_setup) return;
  const { uuid, name, master_candidate } = node;
  const { clearsFormerNodes: isCleared = false } = world.masterHost;
  await remove(
    world,
    { uuid, name },
    {
      ...{
        fromAuthorizedKeys: master_candidate || isCleared,
        fromPublicKeys: true,
        isReadded: false,
      },
      ...{ clearAuthorizedKeys: !isCleared, clearPublicKeys: true },
    },
    `Could not remove the SSH key of node '${name}' (UUID: ${uuid}).`,
  );
}

async function remove(
  world: World,
  { uuid, name }: Node,
  removal: Removal,
  text: string,
): Promise<void> {
  const answer = await ask(world, masterOf(world), "node_ssh_key_remove", {
    ...{ uuid, name, potentialCandidates: namesOfAll(world) },
    candidates: nodesOf(world)
      .filter(({ master_candidate }) => master_candidate)
      .map((node) => node.uuid),
    ...removal,
  });
  check(world, answer, text);
}

const masterOf = ({ config }: World): string => config.snapshot.cluster.master_node;

const nodesOf = ({ config }: World): readonly NodeObject[] => Array.from(config.snapshot.nodes());

/** Ganeti counts every node as a potential candidate here, also one that is not master capable. */
const namesOfAll = (world: World): readonly string[] => nodesOf(world).map(({ name }) => name);

/** Logs the nodes that the master could not change. @throws ExecError if it has changed none */
function check(
  world: World,
  answer: NodeAnswer<NodeCallValue<"node_ssh_key_add">>,
  text: string,
): void {
  if (!answer.ok) throw new ExecError(`${text}: ${answer.message}`);
  if (answer.value.length === 0) return;
  world.log("Some nodes' SSH key files could not be updated:");
  for (const { node, message } of answer.value) world.log(`${node}: ${message}`);
}
