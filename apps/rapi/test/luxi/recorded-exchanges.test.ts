// Every recorded exchange with Ganeti's server, asked again of ours on an equal cluster.
import { readdirSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { type JsonObject, parseJson, writeJson } from "@ganeti-ts/protocol";
import { describe, expect, test } from "vitest";
import { equalCluster } from "./equal-cluster.js";
import { exchangeDifferences } from "./exchange-differences.js";
import { Replay } from "./replay.js";

const corpus = process.env.GANETI_TS_CORPUS;
const problem = "GANETI_TS_CORPUS does not name the folder of recorded exchanges";
if (corpus === undefined) console.warn(`SKIPPED: ${problem}`);

interface Recording {
  readonly name: string;
  readonly exchanges: readonly JsonObject[];
  /** Nanoseconds of the first reason in a request, by which recordings are put in order. */
  readonly begun: string;
}

/** When recordings without a time in their requests were made, as far as they depend on it: seconds. */
const moments: Readonly<Record<string, string>> = {
  "cluster-redist-conf-drained.json": "1795350310",
  "queue-drain.json": "1795350414",
  "queue-drain-twice.json": "1795350415",
  "queue-drained-to-drained.json": "1795350418",
  "queue-undrain.json": "1795350430",
  "watcher-pause.json": "1795350431",
  "watcher-info.json": "1795350432",
  "watcher-continue.json": "1795350433",
};

function recordings(): readonly Recording[] {
  const folder = join(corpus ?? "", "luxi");
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .map((name) => {
      const { exchanges } = parseJson(readFileSync(join(folder, name), "utf8")) as {
        readonly exchanges: readonly JsonObject[];
      };
      const requests = exchanges.map(({ request }) => writeJson(request ?? null)).join();
      return {
        name,
        exchanges,
        begun: moments[name] ?? /\b1795\d{15}\b/.exec(requests)?.[0] ?? "",
      };
    })
    .sort((a, b) => (a.begun + a.name < b.begun + b.name ? -1 : 1));
}

/** Sends a request on a connection of its own; gives the answer. */
const exchange = (path: string, request: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(path);
    let text = "";
    socket.setEncoding("utf8").on("data", (chunk) => {
      text += chunk;
      if (!text.endsWith("\u0003")) return;
      socket.destroy();
      resolve(text.slice(0, -1));
    });
    socket.on("error", reject).on("end", () => reject(new Error(`no answer to ${request}`)));
    socket.write(`${request}\u0003`);
  });

describe.skipIf(corpus === undefined)("Recorded exchanges on an equal cluster", () => {
  test("our server answers as Ganeti's did, but for the named differences", async () => {
    const equal = await equalCluster({ withHistory: false });
    const unexplained: string[] = [];
    const used = new Set<string>();
    let compared = 0;
    let equalCount = 0;
    const replay = new Replay((request) => exchange(equal.luxi.path, request));
    for (const { name, exchanges } of recordings()) {
      for (const one of exchanges) {
        const differing = await replay.differences(one);
        if (differing === undefined) continue;
        compared++;
        if (differing.length === 0) equalCount++;
        const method = String((one.request as JsonObject | null)?.method);
        for (const line of differing) {
          const place = `${name} ${method} ${line}`;
          const known = exchangeDifferences.find(({ pattern }) => pattern.test(place));
          if (known === undefined) unexplained.push(place.slice(0, 400));
          else used.add(known.pattern.source);
        }
      }
    }
    await equal.end();
    console.info(`${equalCount} of ${compared} exchanges are equal`);
    expect(unexplained).toEqual([]);
    expect(compared).toBeGreaterThan(700);
    expect(exchangeDifferences.filter(({ pattern }) => !used.has(pattern.source))).toEqual([]);
  });
});
