/** Simulated nodes with a clock of their own, and short helpers to call them. */
import type {
  DiskOnNode,
  NodeAnswer,
  NodeCallArguments,
  NodeCallName,
  NodeCallValue,
} from "@ganeti-ts/node-calls";
import { VirtualClock } from "@ganeti-ts/testkit/simulation";
import { SimulatedNodes, type SimulatedNodesOptions } from "../src/index.js";

export interface NodesUnderTest {
  readonly clock: VirtualClock;
  readonly nodes: SimulatedNodes;
  /** Throws the refusal of a node. */
  ask<Name extends NodeCallName>(
    node: string,
    name: Name,
    args: NodeCallArguments<Name>,
    lease?: string,
  ): Promise<NodeCallValue<Name>>;
  answer<Name extends NodeCallName>(
    node: string,
    name: Name,
    args: NodeCallArguments<Name>,
    lease?: string,
  ): Promise<NodeAnswer<NodeCallValue<Name>>>;
}

/** Nodes A, B and C. */
export async function nodesUnderTest(
  options: Partial<SimulatedNodesOptions> = {},
): Promise<NodesUnderTest> {
  const clock = new VirtualClock();
  const names = ["A", "B", "C"];
  const hosts = names.map((name) => ({
    name: `${name}.example.com`,
    volumeGroups: { xenvg: { "/dev/sda": 10000 } },
    memoryTotalMib: 4096,
    memoryNodeMib: 512,
    fileSystemMib: 5000,
  }));
  const nodes = await SimulatedNodes.open({ clock, hosts, ...options });
  for (const [at, uuid] of names.entries()) {
    const ip = `192.0.2.${at + 1}`;
    await nodes.introduce({ uuid, name: `${uuid}.example.com`, primaryIp: ip, secondaryIp: ip });
  }
  const { signal } = new AbortController();
  const under: NodesUnderTest = {
    clock,
    nodes,
    answer: (node, name, args, lease = "1:1") => nodes.call(node, name, args, { lease, signal }),
    async ask(node, name, args, lease) {
      const answer = await under.answer(node, name, args, lease);
      if (!answer.ok) throw new Error(answer.message);
      return answer.value;
    },
  };
  return under;
}

/** Arguments for a disk's creation, as the master sends them. */
export const creation = <T>(disk: T & { size: number }, onPrimary = true) => ({
  disk,
  sizeMib: disk.size,
  owner: "web.example.com",
  onPrimary,
  info: "originstname+web.example.com",
  exclusiveStorage: false,
});

/** A mirror whose data are good on A. */
export async function makeMirror({ ask }: NodesUnderTest, disk: DiskOnNode): Promise<void> {
  for (const node of ["B", "A"]) {
    for (const child of disk.children ?? []) {
      await ask(node, "blockdev_create", creation(child, node === "A"));
    }
    await ask(node, "blockdev_create", creation(disk, node === "A"));
  }
}
