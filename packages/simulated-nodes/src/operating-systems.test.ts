import { expect, test } from "vitest";
import { nodesUnderTest } from "../test/nodes-under-test.js";

const checking = (name: string, parameters: Record<string, string> = {}) => ({
  required: true,
  name,
  checks: ["parameters"] as const,
  parameters,
  forceVariant: false,
});

test.each(["noop+default", "debian+stable", "debian+testing", "ubuntu+lts"])(
  "a node that is not given operating systems has %s",
  async (name) => {
    const { ask } = await nodesUnderTest();
    expect(await ask("A", "os_validate", checking(name))).toBe(true);
  },
);

test("variants and parameters of an operating system are checked", async () => {
  const { ask } = await nodesUnderTest();
  await expect(ask("A", "os_validate", checking("debian+nosuch"))).rejects.toThrow(
    "OS 'debian' does not support variant 'nosuch'",
  );
  const mirror = { mirror: "https://deb.example.com" };
  expect(await ask("A", "os_validate", checking("debian+stable", mirror))).toBe(true);
  await expect(
    ask("A", "os_validate", checking("debian+stable", { flavour: "x" })),
  ).rejects.toThrow("The following parameters are not supported by the OS debian: flavour");
});
