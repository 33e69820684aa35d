/** Simulated nodes A, B and C on whatever keeps their state. */
import type {
  NodeAnswer,
  NodeCallArguments,
  NodeCallName,
  NodeCallValue,
} from "@ganeti-ts/node-calls";
import { type NodeStates, SimulatedNodes } from "@ganeti-ts/simulated-nodes";
import { VirtualClock } from "@ganeti-ts/testkit/simulation";

export interface NodesUnderTest {
  readonly nodes: SimulatedNodes;
  answer<Name extends NodeCallName>(
    node: string,
    name: Name,
    args: NodeCallArguments<Name>,
  ): Promise<NodeAnswer<NodeCallValue<Name>>>;
  /** Throws what a node refuses. */
  ask<Name extends NodeCallName>(
    node: string,
    name: Name,
    args: NodeCallArguments<Name>,
  ): Promise<NodeCallValue<Name>>;
}

export const names = ["A", "B", "C"];

/** Nodes A, B and C, each with 10 000 MiB. */
export async function nodesOn(states: NodeStates): Promise<NodesUnderTest> {
  const hosts = names.map((name) => ({
    name: `${name}.example.com`,
    volumeGroups: { xenvg: { "/dev/sda": 10000 } },
  }));
  const nodes = await SimulatedNodes.open({ clock: new VirtualClock(), hosts, states });
  for (const [at, uuid] of names.entries()) {
    const ip = `192.0.2.${at + 1}`;
    await nodes.introduce({ uuid, name: `${uuid}.example.com`, primaryIp: ip, secondaryIp: ip });
  }
  const caller = { lease: "1:1", signal: new AbortController().signal };
  const under: NodesUnderTest = {
    nodes,
    answer: (node, name, args) => nodes.call(node, name, args, caller),
    async ask(node, name, args) {
      const answer = await under.answer(node, name, args);
      if (!answer.ok) throw new Error(answer.message);
      return answer.value;
    },
  };
  return under;
}

/** A disk's creation, as the master asks for it. */
export const creationOf = <T>(disk: T & { readonly size: number }) => ({
  disk,
  sizeMib: disk.size,
  owner: "web.example.com",
  onPrimary: true,
  info: "originstname+web.example.com",
  exclusiveStorage: false,
});

export const volumesOn = ({ nodes }: NodesUnderTest, node: string): readonly string[] =>
  Object.keys(nodes.stateOf(node)?.volumeGroups.xenvg?.volumes ?? {});
