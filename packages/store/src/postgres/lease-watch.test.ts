import { expect, test } from "vitest";
import { nextAct } from "./lease-watch.js";

test.each([
  {
    why: "a turning loop has its lease renewed every third of it",
    turned: 999,
    act: "renew",
    pause: 100,
  },
  {
    why: "a loop that stood still for less than a lease keeps it",
    turned: 750,
    act: "renew",
    pause: 50,
  },
  {
    why: "the next look is at the end of the lease at the latest",
    turned: 701,
    act: "renew",
    pause: 1,
  },
  {
    why: "a loop that has not turned for a lease loses it",
    turned: 700,
    act: "give up",
    pause: 30,
  },
  {
    why: "a loop that stands still for longer does not get it back",
    turned: 0,
    act: "give up",
    pause: 30,
  },
])("$why", ({ turned, act, pause }) => {
  const next = nextAct({ nowMs: 1000, turnedMs: turned, leaseMs: 300 });
  expect(next).toEqual({ act, pauseMs: pause });
});
