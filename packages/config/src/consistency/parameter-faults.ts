/** Type checks of filled parameters. */
import { Beparams, Ndparams } from "@ganeti-ts/protocol";

/** In the form `<owner> has invalid beparams: …`; undefined if there is no fault. */
export function beparamsFault(owner: string, filled: Beparams): string | undefined {
  const fault = typeFault(Beparams, filled);
  if (fault !== undefined) return `${owner} has invalid beparams: ${fault}`;
  return filled.minmem > filled.maxmem
    ? `${owner} has invalid beparams: minmem (${filled.minmem}) must not be larger than maxmem (${filled.maxmem})`
    : undefined;
}

/** The same check for node parameters. */
export function ndparamsFault(owner: string, filled: Ndparams): string | undefined {
  const fault = typeFault(Ndparams, filled);
  return fault && `${owner} has invalid ndparams: ${fault}`;
}

function typeFault(schema: typeof Beparams | typeof Ndparams, value: unknown): string | undefined {
  const result = schema.safeParse(value);
  if (result.success) return undefined;
  const [issue] = result.error.issues;
  return `${issue?.path.join("/")}: ${issue?.message}`;
}
