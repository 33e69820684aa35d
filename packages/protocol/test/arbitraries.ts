// Random valid messages, and random ways to spoil them.
import * as fc from "fast-check";
import {
  aMessage,
  aNode,
  anInstance,
  change,
  type Json,
  type JsonObject,
  requestTypes,
} from "./message.js";

/** Valid messages of every type, with nodes in every state. */
export const messages: fc.Arbitrary<JsonObject> = fc
  .record({
    type: fc.constantFrom(...requestTypes),
    changes: fc.array(fc.constantFrom(...harmless()), { maxLength: 4 }),
    domain: fc.boolean(),
  })
  .map(({ type, changes, domain }) => {
    const message = aMessage(type);
    for (const apply of changes) apply(message);
    return domain ? message : without(message, ".example.com");
  });

/** Changes after which a message is still valid. */
function harmless(): readonly ((message: JsonObject) => void)[] {
  const set =
    (path: string, value: Json | undefined) =>
    (message: JsonObject): void =>
      change(message, path.split(" "), value);
  // Each kind of state has a node of its own, so that no two of these get in each other's way.
  const first = "nodes node1.example.com";
  const second = "nodes node2.example.com";
  const third = "nodes node3.example.com";
  const fourth = "nodes node4.example.com";
  return [
    set(`${first} vm_capable`, undefined),
    set(`${first} vm_capable`, null),
    set(`${first} tags`, null),
    set(`${first} drained`, true),
    set(`${first} free_memory`, 1024.5),
    (message) => {
      set(`${third} offline`, true)(message);
      set(`${third} free_memory`, undefined)(message);
    },
    (message) => {
      set(`${second} vm_capable`, false)(message);
      set(`${second} total_cpus`, "x")(message);
    },
    (message) => {
      set(`${fourth} ndparams exclusive_storage`, true)(message);
      set(`${fourth} ndparams spindle_count`, undefined)(message);
    },
    set("nodes node5.example.com", aNode("uuid-b")),
    set("instances 10.example.com", anInstance(["node4.example.com", "node3.example.com"])),
    set("instances web.example.com nics", []),
    set("instances web.example.com disks", []),
    set("instances web.example.com forthcoming", true),
    set("nodegroups uuid-a ipolicy minmax", []),
    set("nodegroups uuid-b name", "uuid-b"),
    set("request restrict-to-nodes", ["node1.example.com"]),
    set("request group_name", "alpha"),
    set("request target_groups", []),
    set("request relocate_from", []),
  ];
}

function without(message: JsonObject, domain: string): JsonObject {
  return JSON.parse(JSON.stringify(message).replaceAll(domain, "")) as JsonObject;
}

/** One way to spoil a message; `at` and `other` choose among all its places. */
interface Spoiling {
  readonly how: "drop" | "replace" | "copy" | "rename" | "add";
  readonly section: string;
  readonly at: number;
  readonly other: number;
  readonly value: Json;
}

export const spoilings: fc.Arbitrary<Spoiling> = fc.record({
  how: fc.constantFrom("drop", "replace", "copy", "rename", "add"),
  section: fc.constantFrom("nodegroups", "nodes", "instances", "request", "request", "any"),
  at: fc.nat(),
  other: fc.nat(),
  value: fc.oneof(
    fc.constantFrom<Json>(
      null,
      true,
      false,
      0,
      -1,
      1.5,
      1e30,
      "",
      "web",
      "node1",
      "ghost",
      "alpha",
    ),
    fc.constantFrom<Json>("allocate", "relocate", "ext", "bridged", [], {}, [null], [5], ["web"]),
    fc.jsonValue({ maxDepth: 1 }) as fc.Arbitrary<Json>,
  ),
});

/** Spoils `message` in place. */
export function spoil(message: JsonObject, { how, section, at, other, value }: Spoiling): void {
  const places = placesIn(message).filter(
    (place) => section === "any" || (place[0] === section && place.length > 1),
  );
  const place = places[at % Math.max(places.length, 1)];
  if (place === undefined) return;
  if (how === "drop") change(message, place, undefined);
  else if (how === "replace") change(message, place, structuredClone(value));
  else if (how === "add") change(message, [...place, "added"], structuredClone(value));
  else if (how === "copy") {
    const source = places[other % places.length] as readonly string[];
    change(message, place, structuredClone(valueAt(message, source)));
  } else {
    change(message, [...place.slice(0, -1), "renamed"], structuredClone(valueAt(message, place)));
    change(message, place, undefined);
  }
}

function placesIn(value: Json, path: readonly string[] = []): (readonly string[])[] {
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([key, each]) => [
    [...path, key],
    ...placesIn(each, [...path, key]),
  ]);
}

function valueAt(message: JsonObject, path: readonly string[]): Json {
  return path.reduce<Json>((value, key) => (value as JsonObject)[key] as Json, message);
}
