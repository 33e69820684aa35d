/** `gnt-debug locks`. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Json } from "@ganeti-ts/protocol";
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { list } from "../../listing.js";
import type { Format } from "../../table.js";

const dashed = (text: (value: Json) => string): Format => ({
  text: (value) =>
    value === null || (Array.isArray(value) && value.length === 0) ? "-" : text(value),
});

const formats: Readonly<Record<string, Format>> = {
  mode: dashed(String),
  owner: dashed((value) => (value as readonly string[]).join(",")),
  pending: dashed((value) =>
    (value as readonly (readonly [string, readonly string[]])[])
      .map(([mode, owners]) => `${mode}:${owners.join(",")}`)
      .join(", "),
  ),
};

/** With `--interval`, repeats until Ctrl-C. */
export async function run(invocation: Invocation): Promise<ExitCode> {
  const { options, out, signal } = invocation;
  const interval = options.integer("interval") ?? 0;
  for (;;) {
    const code = await list(invocation, {
      kind: "lock",
      defaultFields: ["name", "mode", "owner", "pending"],
      formats,
    });
    if (code !== 0 || interval <= 0) return code;
    out.line("");
    // Ctrl-C is the regular end.
    await sleep(interval * 1000, undefined, { signal }).catch(() => {});
    if (signal.aborted) return 0;
  }
}
