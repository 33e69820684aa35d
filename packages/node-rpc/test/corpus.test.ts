// Recorded calls between the master and the node daemons of Ganeti 3.0.2: arguments and answers decode, and encode to the same
// bytes. Runs only if GANETI_TS_CORPUS names the folder of the recordings.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import type { NodeCallName } from "@ganeti-ts/node-calls";
import { nodeCalls } from "@ganeti-ts/node-calls/catalog";
import { type Json, parseJson, sameJson, writeJson } from "@ganeti-ts/protocol";
import { describe, expect, test } from "vitest";
import {
  decodeAnswer,
  decodeArguments,
  encodeAnswer,
  encodeArguments,
  noNodes,
} from "../src/index.js";

const corpus = process.env.GANETI_TS_CORPUS;
const reason = "skipped: GANETI_TS_CORPUS does not name the folder of recorded calls";
if (corpus === undefined) console.warn(`recorded node calls are ${reason}`);

interface Example {
  readonly call: NodeCallName;
  readonly args: Json;
  readonly answer: Json;
}

function examples(folder: string): Example[] {
  return (Object.keys(nodeCalls) as NodeCallName[])
    .filter((call) => existsSync(join(folder, `${call}.json`)))
    .flatMap((call) => {
      const text = readFileSync(join(folder, `${call}.json`), "utf8");
      const list = parseJson(text) as { readonly args: Json; readonly answer: Json }[];
      return list.map(({ args, answer }) => ({ call, args, answer }));
    });
}

// Ganeti's queue renames forget the prefix of virtual clusters.
const contextOf = (call: NodeCallName) => ({
  ...noNodes,
  virtualPaths: call !== "jobqueue_rename",
});

/** Normalizes forms that Ganeti's own clients write in different ways. */
function sameMeaning(call: NodeCallName, args: Json): Json {
  if (call === "export_list" || call === "version") return [];
  if (call === "node_crypto_tokens") return [[["ssl", "get", {}]]];
  return inflated(args);
}

/** Compressed content as its text: compression differs from library to library. */
function inflated(json: Json): Json {
  if (!Array.isArray(json)) return json;
  const [encoding, data] = json;
  if (json.length === 2 && encoding === 1 && typeof data === "string") {
    return [0, inflateSync(Buffer.from(data, "base64")).toString()];
  }
  return json.map(inflated);
}

describe.skipIf(corpus === undefined)("Recorded node calls", () => {
  const recorded = corpus === undefined ? [] : examples(join(corpus, "node-rpc"));

  test("all recorded arguments decode and encode as they were", () => {
    const problems = recorded.flatMap(({ call, args }): object[] => {
      const context = contextOf(call);
      try {
        const again = encodeArguments(call, decodeArguments(call, args, context), context);
        const [before, after] = [sameMeaning(call, args), inflated(again)];
        return sameJson(before, after)
          ? []
          : [{ call, before: writeJson(before), after: writeJson(after) }];
      } catch (error) {
        return [{ call, error: String(error), args: writeJson(args) }];
      }
    });
    expect(problems).toEqual([]);
    expect(recorded.length).toBeGreaterThan(300);
  });

  test("all recorded answers decode and encode as they were, but for the beginning of transfers", () => {
    const problems = recorded.flatMap(({ call, answer }): object[] => {
      const context = contextOf(call);
      const decoded = decodeAnswer(call, answer, context);
      if (!decoded.ok && (answer as Json[])[0] === true) return [{ call, decoded }];
      const again = encodeAnswer(call, decoded, context);
      return sameJson(withoutBeginning(call, answer), again)
        ? []
        : [{ call, answer: writeJson(answer), again: writeJson(again) }];
    });
    expect(problems).toEqual([]);
  });
});

/** Removes the start time of transfers, which the codec does not read. */
function withoutBeginning(call: NodeCallName, answer: Json): Json {
  if (call !== "impexp_status") return answer;
  const [success, transfers] = answer as [Json, ({ readonly [key: string]: Json } | null)[]];
  return [
    success,
    transfers.map((one) => {
      const { ctime: _, ...rest } = one ?? {};
      return one && rest;
    }),
  ];
}
