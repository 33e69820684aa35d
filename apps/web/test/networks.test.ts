// Addresses of networks, and files of the audit.
import { expect, test } from "vitest";
import {
  type ActionEntry,
  branchesOf,
  countText,
  csvOf,
  type JobEntry,
  whoText,
} from "../src/pages/audit/entries.js";
import {
  addressesIn,
  addressMap,
  type Network,
  textOfUse,
} from "../src/pages/networks/addresses.js";

const network: Network = {
  ...{ uuid: "n1", name: "net", network: "192.0.2.16/28", gateway: "192.0.2.17" },
  ...{ network6: null, gateway6: null, mac_prefix: null, free_count: 10, reserved_count: 6 },
  ...{ map: "XXX.XX.........X", group_list: [], inst_cnt: 1, tags: null },
  external_reservations: "192.0.2.16, 192.0.2.17, 192.0.2.20, 192.0.2.31",
};
const nics = [
  {
    uuid: "a",
    name: "web1",
    "nic.ips": ["192.0.2.18", "192.0.2.20"],
    "nic.networks": ["n1", "n2"],
  },
];

test("a map shows the use of each address: instances, external reservations, the network itself, or none", () => {
  const map = addressMap(network, nics);
  const texts = Array.from({ length: map.size }, (_, at) => textOfUse(map.at(at)));
  expect(texts).toEqual([
    ...["the network's own address", "the gateway", "used by web1", "free", "reserved externally"],
    "used by an instance that is being made",
    ...Array.from({ length: 9 }, () => "free"),
    "the broadcast address",
  ]);
  expect(map.counts).toEqual({ free: 10, instance: 2, external: 1, own: 3 });
  expect(map.at(5).ip).toBe("192.0.2.21");
  expect(map.indexOf("192.0.2.21")).toBe(5);
  expect(["192.0.2.15", "192.0.2.32", "192.0.2", "x"].map((ip) => map.indexOf(ip))).toEqual([
    ...[undefined, undefined, undefined, undefined],
  ]);
});

test("addresses are read from a list with ranges, and an error names the wrong one", () => {
  const map = addressMap(network, []);
  expect(addressesIn("192.0.2.20, 192.0.2.29-192.0.2.31 192.0.2.30", map)).toEqual([
    ...["192.0.2.20", "192.0.2.29", "192.0.2.30", "192.0.2.31"],
  ]);
  expect(() => addressesIn("192.0.2.20, 10.0.0.1", map)).toThrow("10.0.0.1 is not an address");
  expect(() => addressesIn("192.0.2.20-192.0.2.18", map)).toThrow("ends before it begins");
  const large = addressMap({ ...network, network: "10.0.0.0/16", gateway: null }, []);
  expect(() => addressesIn("10.0.0.0-10.0.255.255", large)).toThrow("At most 1024");
});

const anEntry = (id: number, more: Partial<JobEntry> = {}): JobEntry => ({
  ...{
    kind: "job",
    id,
    status: "success",
    summary: [`TEST(${id})`],
    archived: false,
    user: null,
    why: [],
  },
  ...{ received_ts: [1_700_000_000, 500_000], end_ts: null, causes: [], reasons: [], ...more },
});

const anAction = (id: number, more: Partial<ActionEntry> = {}): ActionEntry => ({
  ...{ kind: "action", id, time: [1_700_000_000, 500_000], user: "jack", address: "192.0.2.7" },
  ...{ action: "cancel", object: "job 17", done: false, text: "Job 17 not found", ...more },
});

test("jobs stand below the job that submitted them, or the nearest listed ancestor", () => {
  const entries = [
    anEntry(5, { causes: [1, 4] }),
    anEntry(3, { causes: [1, 2] }),
    anEntry(2, { causes: [1] }),
    anEntry(9, { causes: [8] }),
  ];
  const shown = (branches: ReturnType<typeof branchesOf>): unknown =>
    branches.map((one) =>
      "children" in one ? [one.entry.id, shown(one.children)] : `action ${one.id}`,
    );
  // Ids of actions are independent of job ids.
  expect(shown(branchesOf([anAction(4), ...entries, anAction(2), anEntry(1)]))).toEqual([
    "action 4",
    [9, []],
    "action 2",
    [
      1,
      [
        [5, []],
        [2, [[3, []]]],
      ],
    ],
  ]);
});

test("the author is the user of the request, otherwise the program on the master", () => {
  const reasons = [{ source: "gnt:client:gnt-node", text: "evacuate", time: 1 }];
  expect(whoText(anEntry(1, { user: "jack", reasons }))).toBe("jack");
  expect(whoText(anEntry(1, { reasons }))).toBe("administrator, by gnt-node");
  expect(whoText(anEntry(1))).toBe("someone who is not recorded");
  expect(whoText(anAction(1))).toBe("jack");
  expect(whoText(anAction(1, { user: null }))).toBe("administrator, on the server");
});

test("a file for spreadsheets has quotes where they are needed, and no text that is a formula", () => {
  const lines = csvOf([
    anEntry(1, { user: "=cmd()", why: ['say "no", now', "two\nlines"], causes: [1, 2] }),
    anEntry(2, { user: "@x", why: ["-1+1"], summary: ["+A"] }),
    anAction(3),
    anAction(4, { action: "failed login", object: "", user: "=x" }),
  ]).split("\r\n");
  expect(lines).toEqual([
    "job,submitted,ended,who,operations,status,why,causes,trail,address",
    '1,2023-11-14T22:13:20.500Z,,\'=cmd(),TEST(1),success,"say ""no"", now; two\nlines",1 2,,',
    "2,2023-11-14T22:13:20.500Z,,'@x,'+A,success,'-1+1,,,",
    ",2023-11-14T22:13:20.500Z,,jack,cancel job 17,refused,Job 17 not found,,,192.0.2.7",
    ",2023-11-14T22:13:20.500Z,,'=x,failed login,refused,Job 17 not found,,,192.0.2.7",
    "",
  ]);
});

test("jobs and other actions are counted separately", () => {
  expect(countText([anEntry(1), anEntry(2), anAction(1)])).toBe("2 jobs and 1 other action");
  expect(countText([anEntry(1)])).toBe("1 job");
  expect(countText([anAction(1), anAction(2)])).toBe("2 other actions");
});
