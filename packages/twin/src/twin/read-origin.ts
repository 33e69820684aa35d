/** readOrigin: a cluster from a configuration, a text file or a remote API, as a twin needs it. */
import { readFileSync } from "node:fs";
import { ConfigError, readConfigFile } from "@ganeti-ts/config";
import { secureRandom, systemClock } from "@ganeti-ts/protocol";
import { figuresOfText, originOfText } from "./from-text.js";
import { type Figures, type Making, TwinError, type TwinOrigin } from "./origin.js";
import type { RemoteAccess } from "./remote-cluster.js";
import { withoutSecrets } from "./without-secrets.js";

/** The cluster to read, and how. */
export interface OriginOptions {
  /** A file, or the URL of a remote API. */
  readonly source: string;
  /** Another file or URL with the figures, for a configuration, which has none. */
  readonly figures: string | undefined;
  readonly access: RemoteAccess;
}

/** @throws TwinError, what the system says about a file, RapiError */
export async function readOrigin({ source, figures, access }: OriginOptions): Promise<TwinOrigin> {
  const making: Making = { random: secureRandom, now: systemClock.wallMicros() / 1e6 };
  const origin = await originOf(source, access, making);
  if (figures === undefined) return origin;
  if (origin.figures !== undefined) {
    throw new TwinError(`${source} has figures of its own: --figures is for a configuration`);
  }
  const found = await figuresOf(figures, access);
  return { ...origin, figures: found, remarks: remarksOn(origin, found) };
}

async function originOf(source: string, access: RemoteAccess, making: Making): Promise<TwinOrigin> {
  if (isUrl(source)) {
    const { remoteOrigin } = await import("./remote-origin.js");
    return remoteOrigin(source, access, making);
  }
  const text = readFileSync(source, "utf8");
  return named(source, () =>
    text.trimStart().startsWith("{") ? originOfConfig(text, making) : originOfText(text, making),
  );
}

function originOfConfig(text: string, making: Making): TwinOrigin {
  const { content, filters } = readConfigFile(text, { ...making, upgrade: true });
  const remarks = ["a configuration has no figures of its nodes: sizes are made up; see --figures"];
  return {
    content: withoutSecrets(content, making.random),
    filters,
    figures: undefined,
    systems: [],
    remarks,
  };
}

async function figuresOf(source: string, access: RemoteAccess): Promise<Figures> {
  if (isUrl(source)) {
    const { remoteFigures } = await import("./remote-origin.js");
    return remoteFigures(source, access);
  }
  return named(source, () => figuresOfText(readFileSync(source, "utf8")));
}

/** Nodes whose figures are not in the second source. */
function remarksOn({ content }: TwinOrigin, { machines }: Figures): readonly string[] {
  const without = content.nodes.filter(
    ({ name, offline, vm_capable }) => !offline && vm_capable && !machines.has(name),
  );
  if (without.length === 0) return [];
  const names = without.map(({ name }) => name).join(", ");
  return [`there are no figures of ${names}: their sizes are made up`];
}

const isUrl = (source: string): boolean => /^https?:\/\//.test(source);

/** Adds the name of the file to errors. */
function named<Value>(file: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof TwinError || error instanceof ConfigError)) throw error;
    throw new TwinError(`${file}: ${error.message}`, { cause: error });
  }
}
