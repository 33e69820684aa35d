import { Snapshot } from "@ganeti-ts/config";
import { failed } from "@ganeti-ts/node-calls";
import type { RealInstance } from "@ganeti-ts/protocol";
import { aSnapshot, instanceUuid } from "@ganeti-ts/testkit/configuration";
import { expect, test } from "vitest";
import { instanceStatus } from "../src/instance-live-fields.js";

const base = aSnapshot();
const inst1 = base.instance(instanceUuid(1)) as RealInstance;
const onOffline = base.instance(instanceUuid(3)) as RealInstance;

const seen = (state: "running" | "paused" | "shutdown", onPrimary = true) =>
  ({
    ok: true,
    value: {
      found: { hypervisor: "kvm", memoryMib: 1, vcpus: 1, state, cpuSeconds: 0 },
      onPrimary,
    },
  }) as const;
const nowhere = { ok: true, value: undefined } as const;

const withUserShutdown = Snapshot.of({
  ...base.content(),
  cluster: { ...base.cluster, enabled_user_shutdown: true },
});
const guestMay = { hvparams: { user_shutdown: true } };

test.each([
  { why: "runs and should", is: "running", with: {}, sighting: seen("running") },
  { why: "is paused and should run", is: "running", with: {}, sighting: seen("paused") },
  {
    why: "runs and should not",
    is: "ERROR_up",
    with: { admin_state: "down" },
    sighting: seen("running"),
  },
  { why: "runs elsewhere", is: "ERROR_wrongnode", with: {}, sighting: seen("running", false) },
  { why: "should run and does not", is: "ERROR_down", with: {}, sighting: nowhere },
  {
    why: "is down as it should",
    is: "ADMIN_down",
    with: { admin_state: "down" },
    sighting: nowhere,
  },
  { why: "is offline", is: "ADMIN_offline", with: { admin_state: "offline" }, sighting: nowhere },
  {
    why: "was shut down by its user",
    is: "ERROR_down",
    with: guestMay,
    sighting: seen("shutdown"),
  },
  { why: "has a node that does not answer", is: "ERROR_nodedown", with: {}, sighting: failed("x") },
] as const)("an instance that $why is $is", ({ is, with: changed, sighting }) => {
  expect(instanceStatus({ ...inst1, ...changed }, base, sighting)).toBe(is);
});

test.each([
  {
    why: "its user shut it down and may",
    is: "USER_down",
    with: guestMay,
    sighting: seen("shutdown"),
  },
  {
    why: "its user shut it down and kvm does not say",
    is: "ERROR_down",
    with: {},
    sighting: seen("shutdown"),
  },
  {
    why: "shut down and meant to be",
    is: "ADMIN_down",
    with: { admin_state: "down" },
    sighting: seen("shutdown"),
  },
  {
    why: "put away after its user shut it down",
    is: "USER_down",
    with: { admin_state: "down", admin_state_source: "user" },
    sighting: nowhere,
  },
] as const)("with user shutdown enabled: $why is $is", ({ is, with: changed, sighting }) => {
  expect(instanceStatus({ ...inst1, ...changed }, withUserShutdown, sighting)).toBe(is);
});

test("a primary node that is offline counts before all else", () => {
  expect(instanceStatus(onOffline, base, seen("running"))).toBe("ERROR_nodeoffline");
});

test("a reservation is down, or offline if it says so", () => {
  const reservation = base.instance(instanceUuid(4));
  if (!reservation?.forthcoming) throw new Error("no reservation");
  expect(instanceStatus(reservation, base, seen("running"))).toBe("ADMIN_down");
  expect(instanceStatus({ ...reservation, admin_state: "offline" }, base, nowhere)).toBe(
    "ADMIN_offline",
  );
});
