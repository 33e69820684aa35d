/** Two nodes, one of them offline, as the vectors of the specification have them. */
import { normal, type QueryField, type QueryResource, resultStatus } from "../src/index.js";

export interface TestNode {
  readonly name: string;
  /** MiB; `undefined` until it is collected, `null` where the node is offline. */
  readonly mem: number | null | undefined;
  readonly tags: readonly unknown[];
  readonly vm: boolean;
  readonly ctime: readonly [number, number];
}

export const aNode = (given: Partial<TestNode>): TestNode => ({
  name: "node1.ex.com",
  mem: 10,
  tags: ["a", "b"],
  vm: true,
  ctime: [100, 900_000],
  ...given,
});

export const nodes = [aNode({ name: "node2.ex.com", mem: null }), aNode({})];

const field = (
  name: string,
  entry: QueryField<TestNode>["entry"],
  seenAs?: QueryField<TestNode>["seenAs"],
): QueryField<TestNode> => ({
  definition: { name, title: name.toUpperCase(), kind: "other", doc: `The ${name}` },
  entry,
  seenAs,
});

export const nodeResource: QueryResource<TestNode> = {
  title: "Node",
  nameField: "name",
  name: (node) => node.name,
  fields: [
    field("name", (node) => normal(node.name), "hostname"),
    field("mem", ({ mem }) =>
      mem === undefined ? undefined : mem === null ? [resultStatus.offline, null] : normal(mem),
    ),
    field("load", () => normal(1.5)),
    field("tags", (node) => normal(node.tags)),
    field("vm", (node) => normal(node.vm)),
    field("ctime", (node) => normal(node.ctime), "timestamp"),
    field("nothing", () => normal(null)),
  ],
};
