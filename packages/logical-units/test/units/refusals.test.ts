import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { busyCluster, type RefusalCase } from "./busy-cluster.js";

const folder = new URL("data/", import.meta.url);
const cases = readdirSync(folder).flatMap((file) =>
  (JSON.parse(readFileSync(new URL(file, folder), "utf8")) as RefusalCase[]).map((one) => ({
    ...one,
    why: `${file.replace("-refusals.json", "")}: ${one.why}`,
  })),
);

test.each(cases)("$why", async ({ before = [], opcode, result, log = [] }) => {
  const cluster = await busyCluster();
  for (const one of before) expect(await cluster.try(one)).toMatchObject({ status: "success" });
  const asBefore = cluster.config.snapshot.serial;
  expect(await cluster.try(opcode)).toEqual({ status: "error", result, log });
  expect(cluster.config.snapshot.serial).toBe(asBefore);
});
