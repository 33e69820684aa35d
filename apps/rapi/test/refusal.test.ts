// A read-only server refuses every change, and answers all other requests.
import { expect, test } from "vitest";
import { askingOf, aWorld, faultText } from "./world.js";

const refusal = "this is a shadow";
const ask = askingOf({ ...(await aWorld()), refusal });

test.each([
  ["POST", "/2/instances"],
  ["DELETE", "/2/instances/web1"],
  ["PUT", "/2/instances/web1/startup"],
  ["POST", "/2/nodes/node1/modify"],
  ["PUT", "/2/tags"],
  ["DELETE", "/2/jobs/1"],
  ["POST", "/2/filters"],
  ["PUT", "/2/modify"],
  // Both submit a job, although they are a GET.
  ["GET", "/2/os"],
  ["GET", "/2/instances/web1/info"],
])("%s %s is refused with the reason", async (method, path) => {
  const answer = await ask(method, path, method === "GET" ? {} : { body: {} });
  expect([answer.status, faultText(answer)]).toEqual([403, expect.stringContaining(refusal)]);
});

test.each([
  ["GET", "/2/info"],
  ["GET", "/2/jobs"],
  ["GET", "/2/filters"],
  ["GET", "/2/tags"],
  ["GET", "/version"],
])("%s %s is answered", async (method, path) => {
  expect((await ask(method, path)).status).toBe(200);
});
