import { expect, test } from "vitest";
import { CancelSource } from "./cancel-source.js";

test("a signal calls its listeners once, with the reason of the first call", () => {
  const source = new CancelSource();
  const heard: unknown[] = [];
  const { signal } = source;
  const gone = () => void heard.push("gone");
  signal.addEventListener("abort", () => void heard.push(signal.reason));
  signal.addEventListener("abort", gone);
  signal.removeEventListener("abort", gone);
  expect([signal.aborted, signal.reason]).toEqual([false, undefined]);
  source.fire("first");
  source.fire("second");
  source.fireLazily(() => "third");
  expect(heard).toEqual(["first"]);
  expect([signal.aborted, signal.reason]).toEqual([true, "first"]);
});

test("a lazy reason is made when it is read first, and not again", () => {
  const source = new CancelSource();
  let made = 0;
  source.fireLazily(() => new Error(`reason ${++made}`));
  expect([source.signal.aborted, made]).toEqual([true, 0]);
  const { reason } = source.signal;
  expect((reason as Error).message).toBe("reason 1");
  expect(source.signal.reason).toBe(reason);
});
