/** `gnt-os info`. */
import type { Json, JsonObject } from "@ganeti-ts/protocol";
import { pythonText } from "@ganeti-ts/protocol";
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { ordered, treeLines } from "../../tree.js";
import { asObjects, diagnosed } from "../diagnosed.js";

const fields = [
  ...["name", "valid", "variants", "parameters", "api_versions", "blacklisted", "hidden"],
  ...["os_hvp", "osparams", "trusted"],
] as const;

/** An operating system by the fields above. */
type Os = Readonly<Record<(typeof fields)[number], Json>>;

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { args, out } = invocation;
  const rows = await diagnosed<readonly Json[]>(invocation, "OP_OS_DIAGNOSE", fields);
  const all = asObjects(rows, fields) as readonly Os[];
  const shown = args.length === 0 ? all : all.filter(({ name }) => args.includes(String(name)));
  out.document(shown as Json);
  for (const line of [...shown.flatMap(osLines), ...absentLines(args, all)]) out.line(line);
  return 0;
}

function osLines(os: Os): string[] {
  const list = (title: string, items: readonly string[]) => [
    `  - ${title}:`,
    ...items.map((item) => `    - ${item}`),
  ];
  const parameters = os.parameters as readonly (readonly [string, string])[];
  const versions = (os.api_versions as readonly number[]).toSorted((a, b) => a - b);
  return [
    `${os.name}:`,
    `  - valid: ${pythonText(os.valid)}`,
    `  - hidden: ${pythonText(os.hidden)}`,
    `  - blacklisted: ${pythonText(os.blacklisted)}`,
    ...(os.valid
      ? [
          ...list("API versions", versions.map(String)),
          ...list("variants", os.variants as readonly string[]),
          ...list(
            "parameters",
            parameters.map(([name, says]) => `${name}: ${says}`),
          ),
        ]
      : []),
    `  - trusted: ${pythonText(os.trusted)}`,
    "",
  ];
}

/**
 * Lines for requested systems that no node has, with the settings that the cluster has for them; a
 * variant has parameters of its own.
 */
function absentLines(asked: readonly string[], all: readonly Os[]): string[] {
  const hypervisor: JsonObject = Object.assign({}, ...all.map(({ os_hvp }) => os_hvp));
  const own: JsonObject = Object.assign({}, ...all.map(({ osparams }) => osparams));
  const absent = asked.filter((name) => !all.some((os) => os.name === name));
  return absent.flatMap((name) => {
    if (!(name in hypervisor) && !(name in own)) return [`${name}: `, ""];
    const kept = ordered(
      ["OS-specific hypervisor parameters", hypervisor[name] ?? {}],
      ["OS parameters", own[name] ?? {}],
    );
    return [...treeLines(ordered([name, kept])), ""];
  });
}
