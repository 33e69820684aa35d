import type { Json } from "@ganeti-ts/protocol";
import { describe, expect, test } from "vitest";
import { aWorld, faultText } from "./world.js";

const { ask } = await aWorld();
const bad = "Bad request syntax or unsupported method";
const instance = { name: "web1", mode: "create", disk_template: "plain", disks: [], nics: [] };

describe("what cannot be one is refused in Ganeti's words", () => {
  test.each<[string, string, Json | undefined, string]>([
    [
      "POST",
      "/2/instances",
      undefined,
      "Body contents: Type is &#x27;NoneType&#x27;, but &#x27;dict&#x27; is expected",
    ],
    [
      "POST",
      "/2/instances",
      [1],
      "Body contents: Type is &#x27;list&#x27;, but &#x27;dict&#x27; is expected",
    ],
    ["POST", "/2/instances", {}, "Instance creation request version 0 is no longer supported"],
    ["POST", "/2/instances", { __version__: 2 }, "Unsupported request data version 2"],
    [
      "POST",
      "/2/instances",
      { __version__: 1 },
      "Invalid body parameters: (&quot;Parameter &#x27;OP_INSTANCE_CREATE.instance_name&#x27; fails validation&quot;, &#x27;wrong_input&#x27;)",
    ],
    [
      "POST",
      "/2/instances",
      { ...instance, __version__: 1, nosuch: 1 },
      "Invalid body parameters: Object OpInstanceCreate doesn&#x27;t support the parameter &#x27;nosuch&#x27;",
    ],
    [
      "POST",
      "/2/instances",
      { ...instance, __version__: 1, reason: [] },
      "Can&#x27;t overwrite static parameters {&#x27;reason&#x27;}",
    ],
    [
      "POST",
      "/2/instances",
      { ...instance, __version__: 1, instance_name: "b" },
      "Parameter &#x27;name&#x27; was renamed to &#x27;instance_name&#x27;, but both are specified",
    ],
    [
      "PUT",
      "/2/instances/web1/shutdown",
      { dry_run: true },
      "Can&#x27;t overwrite static parameters {&#x27;dry_run&#x27;}",
    ],
    [
      "PUT",
      "/2/instances/web1/modify",
      { beparams: 5 },
      "Invalid body parameters: (&quot;Parameter &#x27;OP_INSTANCE_SET_PARAMS.beparams&#x27; fails validation&quot;, &#x27;wrong_input&#x27;)",
    ],
    [
      "PUT",
      "/2/nodes/n1/role",
      {},
      "Body contents: Type is &#x27;dict&#x27;, but &#x27;str&#x27; is expected",
    ],
    ["PUT", "/2/nodes/n1/role", "king", "Can&#x27;t set &#x27;king&#x27; role"],
    [
      "POST",
      "/2/nodes/n1/migrate?live=1&mode=live",
      undefined,
      "Only one of &#x27;live&#x27; and &#x27;mode&#x27; should be passed",
    ],
    [
      "GET",
      "/2/nodes/n1/storage",
      undefined,
      "Missing the required &#x27;output_fields&#x27; parameter",
    ],
    [
      "PUT",
      "/2/nodes/n1/storage/repair",
      undefined,
      "Missing the required &#x27;name&#x27; parameter",
    ],
    [
      "POST",
      "/2/instances-multi-alloc",
      {},
      "Request is missing required &#x27;instances&#x27; field in body",
    ],
    [
      "POST",
      "/2/instances/web1/reinstall?os=noop",
      { os: "noop" },
      "Can&#x27;t combine query and body parameters",
    ],
    [
      "POST",
      "/2/instances/web1/reinstall",
      { start: "yes" },
      "&#x27;start&#x27; parameter: Type is &#x27;str&#x27;, but &#x27;bool&#x27; is expected",
    ],
    [
      "POST",
      "/2/instances/web1/replace-disks",
      { disks: "a" },
      "Invalid disk index passed: invalid literal for int() with base 10: &#x27;a&#x27;",
    ],
    [
      "POST",
      "/2/instances/web1/reboot?type=nosuch",
      undefined,
      "Invalid body parameters: (&quot;Parameter &#x27;OP_INSTANCE_REBOOT.reboot_type&#x27; fails validation&quot;, &#x27;wrong_input&#x27;)",
    ],
    ["PUT", "/2/filters/no-uuid", {}, "Unable to parse UUID"],
    [
      "POST",
      "/2/filters",
      { nosuch: 1 },
      "Invalid body parameters: filter rule doesn&#x27;t support the parameter &#x27;nosuch&#x27;",
    ],
    ["GET", "/2/query/instance", undefined, "Missing &#x27;fields&#x27; query argument"],
  ])("%s %s %j", async (method, path, body, message) => {
    const answer = await ask(method, path, body === undefined ? {} : { body });
    expect(faultText(answer)).toBe(`400 ${message}: ${bad}`);
  });

  test("parameters that only the command line may set are refused", async () => {
    const answer = await ask("PUT", "/2/modify", { body: { compression_tools: [] } });
    expect(faultText(answer)).toMatch(
      /^403 The parameter compression_tools cannot be set via RAPI/,
    );
  });
});

test("a queue that accepts no jobs answers with the reason", async () => {
  const world = await aWorld();
  await world.queue.change({ drained: true });
  expect(faultText(await world.ask("PUT", "/2/redistribute-config"))).toMatch(
    /^503 Job queue is drained, cannot submit: /,
  );
  await world.queue.change({ drained: false, sizeMax: 0 });
  expect(faultText(await world.ask("PUT", "/2/redistribute-config"))).toMatch(
    /^503 Job queue is full, needs archiving: /,
  );
});
