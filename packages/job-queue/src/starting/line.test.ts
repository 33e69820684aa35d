import type { JobId } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import { Line } from "./line.js";

const place = (id: number, priority: number) => ({ id: id as JobId, priority });

test("removing a job that is not in a line leaves the others there", () => {
  const line = new Line();
  line.add(place(2, 0));
  for (const absent of [place(1, 0), place(3, 0), place(2, 10)]) line.remove(absent);
  expect(line.first).toEqual(place(2, 0));
  line.remove(place(2, 0));
  expect(line.isEmpty).toBe(true);
});
