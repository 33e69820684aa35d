// Filter rules as servers send them.
import { expect, test } from "vitest";
import { openRapi } from "../src/index.js";
import { json, serving } from "./fake-rapi.js";

test("the times of a rule's reasons may be nanoseconds beyond 2^53", async () => {
  const uuid = "0c2ab8b4-1ce5-4b2e-9a5e-2f0d0b6f8d11";
  const now = 1_763_850_000 * 1e9;
  const shown = {
    ...{ uuid, watermark: 12, priority: 5, action: "PAUSE" },
    predicates: [["jobid", [">", "id", "watermark"]]],
    reason_trail: [["gnt:user", "maintenance", now]],
  };
  const server = await serving((_, response) => json(response, [shown]));
  const [rule] = await openRapi({ url: server.url }).filters.list();
  expect(rule?.reason_trail).toEqual([["gnt:user", "maintenance", BigInt(now)]]);
});

test("a rule whose time is no whole number is reported as an unexpected answer", async () => {
  const uuid = "0c2ab8b4-1ce5-4b2e-9a5e-2f0d0b6f8d11";
  const shown = { uuid, watermark: 1, priority: 1, action: "PAUSE", predicates: [] };
  const server = await serving((_, response) =>
    json(response, [{ ...shown, reason_trail: [["gnt:user", "", 0.5]] }]),
  );
  await expect(openRapi({ url: server.url }).filters.list()).rejects.toMatchObject({
    code: "unexpected",
  });
});
