// Clusters in links.
import { expect, test } from "vitest";
import { linkPart, textInLink } from "../src/simulator/link.js";

test("a cluster survives the round trip through a link", async () => {
  const text = "default|uuid|preferred||\n\nnode1|65536|…\n".repeat(40);
  const part = await linkPart(text);
  expect(part).toMatch(/^#cluster=[\w-]+$/);
  expect(await textInLink(part as string)).toBe(text);
});

test("a cluster that would make the link too long is left out", async () => {
  const noise = Array.from({ length: 60_000 }, (_, at) =>
    ((at * 2_654_435_761) >>> 7).toString(36),
  );
  expect(await linkPart(noise.join(""))).toBeUndefined();
});

test("a link without a cluster gives undefined, and a damaged one an error", async () => {
  expect(await textInLink("#/instances")).toBeUndefined();
  await expect(textInLink("#cluster=%%%")).rejects.toThrow("the link is damaged");
  await expect(textInLink("#cluster=AAAA")).rejects.toThrow("the link is damaged");
});
