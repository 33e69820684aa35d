import { randomMessage, requestTypes, wireMessage as wireOf } from "@ganeti-ts/testkit";
import { expect, test } from "vitest";
import { hailIn } from "../../test/fake-ports.js";
import { wireMessage, wireNode } from "../../test/message.js";
import { quickAnswer } from "./quick-answer.js";

const bytesOf = (message: unknown) => new TextEncoder().encode(JSON.stringify(message));

test.each(requestTypes)(
  "a usual request is answered as the whole program does: %s",
  async (type) => {
    let answered = 0;
    for (let seed = 1; seed <= 60; seed++) {
      const request = JSON.stringify(wireOf(randomMessage(seed, type).message));
      const quick = quickAnswer(new TextEncoder().encode(request));
      if (quick === undefined) continue;
      answered++;
      const { exitCode, stdout, stderr } = await hailIn({ files: { request } }, "request");
      const all = { exitCode, stdout, stderr };
      expect(all, `seed ${seed}`).toEqual({ exitCode: 0, stdout: quick, stderr: "" });
    }
    expect(answered).toBeGreaterThan(20);
  },
);

test.each([
  ["no JSON", new Uint8Array([0xff])],
  ["a message without nodes", bytesOf({})],
  [
    "a node whose memory is used by nothing",
    bytesOf(wireMessage({ nodes: { node1: wireNode({ free_memory: 10_000 }) } })),
  ],
])("%s is left to the whole program", (_, bytes) => {
  expect(quickAnswer(bytes)).toBeUndefined();
});
