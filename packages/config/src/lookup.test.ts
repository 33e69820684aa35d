import { type ClaimUuid, JobId } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import { anInstance, apply, nodeNamed, opened, put, seeded } from "../test/cluster.js";
import { creationChanges } from "../test/holds.js";
import { ownerOfName } from "./lookup.js";

async function withInstances(...names: string[]) {
  const configuration = await opened();
  const random = seeded();
  const node = nodeNamed(configuration.snapshot, 1).uuid;
  return apply(
    configuration,
    ...names.map((name) => put("instance", anInstance(random, name, node))),
  );
}

test.each([
  { why: "a full name is found", text: "web1.example.com", found: "web1.example.com" },
  { why: "whatever the case", text: "WEB1.Example.com", found: "web1.example.com" },
  {
    why: "first labels are enough if they begin one name alone",
    text: "web1",
    found: "web1.example.com",
  },
  { why: "several labels too", text: "db.a", found: "db.a.example.com" },
  { why: "but not if they begin two", text: "db", found: undefined },
  { why: "a part of a label begins nothing", text: "web", found: undefined },
  { why: "nothing is called by the empty name", text: "", found: undefined },
  { why: "a name that begins others is its own", text: "mail", found: "mail" },
])("$why", async ({ text, found }) => {
  const now = await withInstances(
    ...["web1.example.com", "db.a.example.com", "db.b.example.com", "mail", "mail.example.com"],
  );
  expect(now.findInstance(text)?.name).toBe(found);
});

test("an exact name wins over one that differs in case", async () => {
  const now = await withInstances("Web1", "web1");
  expect(now.findInstance("Web1")?.name).toBe("Web1");
  expect(now.findInstance("WEB1")).toBeUndefined();
});

test("a UUID finds its object, and what it does not find is named in the refusal", async () => {
  const now = await withInstances("web1");
  const { uuid } = now.expectInstance("web1");
  expect(now.findInstance(uuid)?.name).toBe("web1");
  expect(() => now.expectNode("nobody")).toThrow("Node 'nobody' not known");
  expect(() => now.expectGroup("none")).toThrow("Node group 'none' not found");
  expect(() => now.expectNetwork("none")).toThrow("Network 'none' not found");
  expect(() => now.expectInstance(now.cluster.uuid)).toThrow(
    expect.objectContaining({ code: "unknown_entity" }),
  );
});

test("lookup does not find an instance that is being created, but its name is taken", async () => {
  const configuration = await opened();
  const node = nodeNamed(configuration.snapshot, 1).uuid;
  const instance = anInstance(seeded(), "new.example.com", node);
  const now = await apply(configuration, ...creationChanges(instance, [], JobId.parse(7)));
  expect(now.findInstance("new.example.com")).toBeUndefined();
  expect(now.findInstance("new")).toBeUndefined();
  expect(now.findInstance(instance.uuid)).toBeUndefined();
  expect(ownerOfName(now, "instance", "NEW.example.com")).toBe(instance.uuid);
  expect(now.claimsOfNode(node)).toEqual([now.claim(instance.uuid as string as ClaimUuid)]);
});
