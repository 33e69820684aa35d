import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readConfigFile, Snapshot } from "@ganeti-ts/config";
import { expect, test } from "vitest";
import { answerTo, messageOf } from "./exchange.js";

// Recorded from a cluster of Ganeti 3.0.2; the environment names the folder.
const folder = process.env.GANETI_TS_CORPUS ?? "";
const isThere = existsSync(join(folder, "state", "confd.json"));

interface Pair {
  readonly name: string;
  readonly query_datagram: string;
  readonly answer_datagram: string | null;
}

const read = <T>(name: string): T =>
  JSON.parse(readFileSync(join(folder, "state", name), "utf8")) as T;

/** The file was saved before the exchanges were recorded; answers of that time tell what had changed. */
function clusterThen(): Snapshot {
  const file = read<{
    cluster: { serial_no: number };
    instances: Record<string, object>;
    disks: Record<string, object>;
  }>("config.data.raw.json");
  file.cluster.serial_no = 29;
  Object.assign(file.instances["88320f4a-3099-4b44-8708-c8e20efd4e3d"] as object, {
    serial_no: 5,
    mtime: 1795210094.632178,
  });
  Object.assign(file.disks["b328ca29-a0e1-45b0-b525-9d726aa1bb82"] as object, {
    size: 16,
    serial_no: 2,
    mtime: 1795210094.754103,
  });
  const random = { fraction: () => 0.5 };
  return Snapshot.of(readConfigFile(JSON.stringify(file), { random, now: 0 }).content);
}

/** Another protocol version is answered with status 2. */
const differing = ["wrong_protocol"];

const reason = "GANETI_TS_CORPUS names no folder with state/confd.json";

test.skipIf(!isThere)(
  `the recorded exchanges are answered byte for byte (skipped: ${reason})`,
  () => {
    const { hmac_key, pairs } = read<{ hmac_key: string; pairs: Pair[] }>("confd.json");
    const now = clusterThen();
    let equalCount = 0;
    for (const { name, query_datagram, answer_datagram } of pairs) {
      const [, salt] = /"salt": "(\d+)"/.exec(pairs[0]?.query_datagram ?? "") ?? [];
      const own = answerTo(now, query_datagram, Buffer.from(hmac_key), Number(salt));
      if (differing.includes(name)) {
        expect(messageOf(own)).toContain('"status":2,');
        continue;
      }
      expect({ name, answer: own }).toEqual({ name, answer: answer_datagram });
      equalCount++;
    }
    expect(equalCount).toBe(pairs.length - differing.length);
  },
);
