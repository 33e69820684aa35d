// Refusals of opcodes about instances, in Ganeti's words: tables of cases are in files next to this
// one.
import { readdirSync, readFileSync } from "node:fs";
import type { Json, JsonObject, NodeObject, RealInstance } from "@ganeti-ts/protocol";
import { describe, expect, test } from "vitest";
import { staged } from "../support/web1.js";

interface Refusal {
  readonly why: string;
  /** Differences of web1 from a mirrored instance on node1 and node2. */
  readonly web1?: JsonObject;
  /** Changes of nodes, and of web1, beforehand. */
  readonly nodes?: Readonly<Record<string, Partial<NodeObject>>>;
  readonly instance?: Partial<RealInstance>;
  readonly opcode: JsonObject & { readonly OP_ID: string };
  readonly result: Json;
}

const directory = new URL(".", import.meta.url);
const tables = readdirSync(directory).filter((name) => name.endsWith(".json"));

describe.each(tables)("%s", (table) => {
  const cases = JSON.parse(readFileSync(new URL(table, directory), "utf8")) as Refusal[];

  test.each(cases)("$why", async ({ web1: wanted, nodes = {}, instance, opcode, result }) => {
    const { on, node, web1, put, config } = await staged(wanted);
    for (const [number, changes] of Object.entries(nodes)) await node(Number(number), changes);
    if (instance !== undefined) {
      await put({ kind: "put", type: "instance", object: { ...web1(), ...instance } });
    }
    const { serial } = config.snapshot;
    expect(await on(opcode.OP_ID, opcode)).toMatchObject({ status: "error", result });
    expect(config.snapshot.serial).toBe(serial);
  });
});
