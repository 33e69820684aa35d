import { describe, expect, test } from "vitest";
import { simulatedResolver } from "./simulated-resolver.js";

const node = { name: "localhost.cluster.invalid", primary_ip: "192.0.2.7" };
const resolver = simulatedResolver(
  () => "demo.cluster.invalid",
  (name) => (name === "node1" || name === node.name ? node : undefined),
);

describe("resolver of a simulated cluster", () => {
  test("unknown hosts of the cluster's domain get one address each", async () => {
    const web = await resolver.resolve("Web1.cluster.invalid");
    expect(web).toMatchObject({ ok: true, name: "web1.cluster.invalid" });
    expect(web).toEqual(await resolver.resolve("web1.cluster.invalid"));
    expect(web.ok && web.ip).toMatch(/^198\.1[89]\.\d+\.([1-9]|[1-9]\d|1\d\d|2[0-4]\d|25[0-4])$/);
    const other = await resolver.resolve("web2.cluster.invalid");
    expect(other.ok && other.ip).not.toBe(web.ok && web.ip);
  });

  test("nodes resolve to the configured addresses, by any of their names", async () => {
    const found = { ok: true, name: node.name, ip: "192.0.2.7" };
    expect(await resolver.resolve("node1")).toEqual(found);
    expect(await resolver.resolve(node.name)).toEqual(found);
  });

  test("unknown hosts of other domains stay unknown, and real names are unchanged", async () => {
    expect(await resolver.resolve("web1.other.invalid")).toMatchObject({ ok: false });
    expect(await resolver.resolve("web1")).toMatchObject({ ok: false });
    expect(await resolver.resolve("localhost")).toMatchObject({ ok: true, name: "localhost" });
  });

  test("simulated addresses do not answer", async () => {
    expect(await resolver.isAlive("198.18.7.7", 80)).toBe(false);
  });
});
