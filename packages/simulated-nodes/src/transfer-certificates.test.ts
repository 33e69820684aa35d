// Certificates of transfers: both ends verify name, key and validity of the other's, as socat does.
import type { NodeCallArguments } from "@ganeti-ts/node-calls";
import { anInstance, aPlainDisk } from "@ganeti-ts/node-calls/conformance";
import { expect, test } from "vitest";
import { creation, nodesUnderTest } from "../test/nodes-under-test.js";

type Options = NodeCallArguments<"export_start">["options"];
interface Key {
  readonly name: string;
  readonly certPem: string;
}
/** Keys of A and B, and another one of A. */
type Keys = { readonly [Of in "a" | "b" | "other"]: Key };

const disk = aPlainDisk();
const file = { kind: "file" as const, path: "web.example.com.new/disk0.snap" };
const refusing = /certificate verify failed/;

test.each<{
  why: string;
  sender?: (keys: Keys) => Partial<Options>;
  receiver?: (keys: Keys) => Partial<Options>;
  passedMs?: number;
  ends: readonly [sender: readonly [number, RegExp], receiver: readonly [number | null, RegExp]];
}>([
  {
    why: "both ends have each other's certificate",
    ends: [
      [0, /^$/],
      [0, /^$/],
    ],
  },
  {
    why: "the sender's key is another one",
    sender: ({ other }) => ({ keyName: other.name }),
    ends: [
      [1, /unknown ca/],
      [null, /^$/],
    ],
  },
  {
    why: "the sender expects another certificate",
    sender: ({ other }) => ({ caPem: other.certPem }),
    ends: [
      [1, refusing],
      [1, /end of file/],
    ],
  },
  {
    why: "the sender expects another name",
    sender: ({ b }) => ({ caPem: b.certPem.replace("B.example.com", "C.example.com") }),
    ends: [
      [1, /does not match hostname "C.example.com"/],
      [1, /end of file/],
    ],
  },
  {
    why: "the certificates have expired",
    passedMs: 61_000,
    ends: [
      [1, refusing],
      [1, /end of file/],
    ],
  },
  {
    why: "only the receiver has the cluster's certificate",
    receiver: () => ({ keyName: null, caPem: null }),
    ends: [
      [1, refusing],
      [1, /end of file/],
    ],
  },
  {
    why: "both ends have the certificates of different clusters",
    sender: () => ({ keyName: null, caPem: null }),
    receiver: () => ({ keyName: null, caPem: null }),
    ends: [
      [1, refusing],
      [1, /end of file/],
    ],
  },
])("outcome of a transfer: $why", async ({ sender, receiver, passedMs = 0, ends }) => {
  const { ask, clock, nodes } = await nodesUnderTest();
  for (const [at, node] of ["A", "B"].entries()) {
    const state = nodes.stateOf(node);
    if (state) state.files["/var/lib/ganeti/server.pem"] = `cluster ${at}`;
  }
  const made = (node: string) => ask(node, "x509_cert_create", { validitySeconds: 60 });
  const keys = { a: await made("A"), b: await made("B"), other: await made("A") };
  const shared = { compress: "none", magic: "m", ipv6: false, connectTimeoutSeconds: 60 };
  const common = { instance: anInstance(), component: "disk0" };
  const trust = ({ name }: Key, { certPem }: Key) => ({ keyName: name, caPem: certPem });
  const receiving = { ...shared, ...trust(keys.b, keys.a), ...receiver?.(keys) };
  const into = await ask("B", "import_start", { ...common, end: file, options: receiving });
  const status = async (node: string, name: string) =>
    (await ask(node, "impexp_status", { names: [name] }))[0];
  const port = (await status("B", into))?.listenPort ?? 0;
  await clock.pass(passedMs);
  await ask("A", "blockdev_create", creation(disk));
  const out = await ask("A", "export_start", {
    ...{ ...common, end: { kind: "raw-disk", disk }, host: "192.0.2.2", port },
    options: { ...shared, ...trust(keys.a, keys.b), ...sender?.(keys) },
  });
  const found = [await status("A", out), await status("B", into)].map((end) => [
    end?.exitStatus,
    end?.recentOutput.join(),
  ]);
  expect(found).toEqual(ends.map(([exit, text]) => [exit, expect.stringMatching(text)]));
});
