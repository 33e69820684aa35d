import { expect, test } from "vitest";
import { resultWithJobs, type World } from "./unit.js";

test("a result contains the ids of submitted jobs, and without jobs nothing is submitted", async () => {
  const submitted: unknown[] = [];
  const submit: World["submit"] = async (jobs) => {
    submitted.push(jobs);
    return jobs.map((_, at) => [true, at + 1]) as never;
  };
  const world = { submit } as World;
  const jobs = [[{ OP_ID: "OP_A" }], [{ OP_ID: "OP_B" }]];
  expect(await resultWithJobs(world, jobs, { failed: [] })).toEqual({
    failed: [],
    jobs: [
      [true, 1],
      [true, 2],
    ],
  });
  expect(await resultWithJobs(world, [])).toEqual({ jobs: [] });
  expect(submitted).toEqual([jobs]);
});
