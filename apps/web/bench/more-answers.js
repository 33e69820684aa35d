/** Answers of the stand-in server about networks, filter rules and the audit; 20 000 of 65 536 addresses are in use. */

const size = 65_536;
const used = 20_000;
const ipOf = (at) => `10.0.${at >> 8}.${at & 255}`;

export const networkUuid = "00000000-0000-4000-9000-000000000001";

export const networkValues = {
  uuid: () => networkUuid,
  name: () => "large",
  network: () => "10.0.0.0/16",
  gateway: () => "10.0.0.1",
  free_count: () => size - used - 3,
  reserved_count: () => used + 3,
  map: () =>
    "X"
      .repeat(used + 2)
      .padEnd(size - 1, ".")
      .concat("X"),
  group_list: () => [["group0", "bridged", "br0", ""]],
  inst_cnt: () => used,
  external_reservations: () => "10.0.200.1, 10.0.200.2",
  tags: () => [],
};

/** Fields of NICs: the first two addresses are the network's own. */
export const nicValues = {
  "nic.ips": (at) => [ipOf(at + 2)],
  "nic.networks": () => [networkUuid],
};

const rules = Array.from({ length: 100 }, (_, at) => ({
  ...{ uuid: `00000000-0000-4000-a000-${String(at).padStart(12, "0")}`, watermark: at },
  ...{ priority: at * 10, action: at % 3 ? "PAUSE" : ["RATE_LIMIT", 10] },
  predicates: [["opcode", ["==", "instance_name", `instance${at}.example.com`]]],
  reason_trail: [
    ["gnt:user", "a reason", 1],
    ["luxid", "", 1],
  ],
}));

const entries = Array.from({ length: 200 }, (_, at) => ({
  ...{ id: 1000 - at, status: "success", summary: [`INSTANCE_STARTUP(instance${at}.example.com)`] },
  ...{ archived: false, received_ts: [1_700_000_000, 0], end_ts: [1_700_000_001, 0] },
  ...{ user: "jack", why: ["maintenance"], causes: at % 4 ? [1000 - at + (at % 4)] : [] },
  reasons: [{ source: "gnt:user", text: "maintenance", time: 1_700_000_000_000 }],
}));

export const moreAnswers = {
  "/2/filters": rules,
  "/ganeti-ts/1/filters": {
    rules: Object.fromEntries(
      rules.map(({ uuid }, at) => [uuid, { running: at % 10, queued: at }]),
    ),
    buckets: [{ text: "rate-limit:5:night", limit: 5, running: 2, queued: 8 }],
    ...{ limit: 20, running: 20, queued: 5000 },
  },
  "/ganeti-ts/1/audit": { entries, next: 800, looked: 200, last: 1000 },
};
