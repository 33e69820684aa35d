/** Calls about finished exports on this node, and about keys of transfers. */
import { randomBytes } from "node:crypto";
import { mkdir, readFile, rename, rm, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { isAbsolute, join, normalize } from "node:path";
import { type ExportDescription, exportDescription } from "@ganeti-ts/node-calls";
import type { NodeContext } from "../context.js";
import { NodeFailure } from "../failure.js";
import { handlers } from "../handlers.js";
import { fullNote } from "../host/full-note.js";
import { replaceFile, syncDirectory } from "../host/replaced-file.js";
import { timeStamp } from "../host/time-stamp.js";
import { located, type NodePaths } from "../machine/paths.js";
import { outputOf, succeeded } from "../machine/runner.js";
import { visibleNames } from "../machine/visible-names.js";

type Ports = Pick<NodeContext, "paths" | "run" | "clock">;

export const exportCalls = (ports: Ports) =>
  handlers({
    async export_list() {
      const { exports } = ports.paths;
      if (!(await stat(exports).catch(() => null))) throw new NodeFailure("No exports directory");
      return visibleNames(exports);
    },
    async export_info({ path }) {
      const file = join(exportFolder(ports.paths, path), "config.ini");
      const text = await readFile(file, "utf8").catch(() => "");
      const description = readDescription(text);
      if (description.export === undefined || description.instance === undefined) {
        throw new NodeFailure("Export info file doesn't have the required fields");
      }
      return description;
    },
    async export_remove({ name }) {
      try {
        await rm(exportFolder(ports.paths, name), { recursive: true, force: true });
      } catch (error) {
        throw new NodeFailure(`Error while removing the export: ${(error as Error).message}`);
      }
    },
    async finalize_export({ instance, disks }) {
      const place = exportFolder(ports.paths, instance.name);
      const made = `${place}.new`;
      const isMade = (await stat(made).catch(() => null)) !== null;
      // An earlier equal call has finished the export.
      if (!isMade && (await stat(join(place, "config.ini")).catch(() => null))) return;
      if (!isMade) throw new NodeFailure(`There is no export of ${instance.name} to finish`);
      const seconds = ports.clock.wallMicros() / 1e6;
      const description = exportDescription(instance, disks, seconds);
      await replaceFile(join(made, "config.ini"), descriptionText(description));
      await rm(place, { recursive: true, force: true });
      await rename(made, place);
      await syncDirectory(ports.paths.exports);
    },
    x509_cert_create: ({ validitySeconds }) => createCertificate(ports, validitySeconds),
    async x509_cert_remove({ name }) {
      if (!/^[A-Za-z0-9][-A-Za-z0-9_]*$/.test(name)) {
        throw new NodeFailure(`Invalid name of a key: '${name}'`);
      }
      await rm(join(ports.paths.crypto, name), { recursive: true, force: true });
    },
  });

/** Folder of an export, given by its name or path; it must be directly below the export directory. */
function exportFolder(paths: NodePaths, given: string): string {
  const path = isAbsolute(given) ? located(paths, given) : join(paths.exports, given);
  const name = path.slice(paths.exports.length + 1);
  const isBelow = path.startsWith(`${paths.exports}/`) && normalize(path) === path;
  if (isBelow && name !== "" && !name.includes("/") && !given.includes("\0")) return path;
  throw new NodeFailure(`'${given}' is not an export of this node`);
}

const validityDaysMax = 7;

/** Suffix of folders whose key or certificate is not complete yet. */
const unfinished = ".new";

/** Common name in the certificate of every cluster. */
const clusterCertificateName = "ganeti.example.com";

/** Creates a key and a certificate. Its validity is rounded up to whole days, at most seven. */
async function createCertificate({ paths, run, clock }: Ports, validitySeconds: number) {
  const now = new Date(clock.wallMicros() / 1000);
  const name = `x509-${timeStamp(now)}-${randomBytes(4).toString("hex")}`;
  const folder = join(paths.crypto, name);
  // The folder gets its final name when it is complete.
  const made = `${folder}${unfinished}`;
  await mkdir(made, { recursive: true, mode: 0o700 });
  const [key, cert] = [join(made, "key"), join(made, "cert")];
  const own = hostname();
  // Exports of Ganeti 3.0 require the second name in the listener's certificate, later versions require the host name.
  const names = `subjectAltName=DNS:${own},DNS:${clusterCertificateName}`;
  const days = Math.min(validityDaysMax, Math.max(1, Math.ceil(validitySeconds / 86_400)));
  const ended = await run.run({
    program: "openssl",
    args: [
      ...["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-sha256", "-keyout", key, "-out", cert],
      ...["-days", String(days), "-subj", `/CN=${own}`, "-addext", names],
      ...["-set_serial", String(Math.floor(now.getTime() / 1000))],
    ],
  });
  const fault = succeeded(ended) ? await certificateFault(key, cert) : outputOf(ended);
  if (fault !== null) {
    await rm(made, { recursive: true });
    throw new NodeFailure(`Cannot make a certificate: ${fault}`);
  }
  await rename(made, folder);
  return { name, certPem: await readFile(join(folder, "cert"), "utf8") };
}

/** Checks that the files are complete, because openssl succeeds even if it could not write them. */
async function certificateFault(...files: readonly string[]): Promise<string | null> {
  for (const file of files) {
    if (/-----END [A-Z ]+-----\s*$/.test(await readFile(file, "utf8").catch(() => ""))) continue;
    return `${file} was not written to its end${await fullNote(file)}`;
  }
  return null;
}

/** @throws Error for a value or name that would be read back differently */
export function descriptionText(description: ExportDescription): string {
  const sections = Object.entries(description).map(([section, values]) => {
    const lines = Object.entries(values).map(([name, value]) => {
      if (/[\n\r]/.test(value) || !/^[^\s=:[#;][^\n=:]*$/.test(name)) {
        throw new Error(`Cannot write '${name}' of an export's description`);
      }
      return `${name} = ${value}\n`;
    });
    return `[${section}]\n${lines.join("")}\n`;
  });
  return sections.join("");
}

export function readDescription(text: string): ExportDescription {
  const sections: Record<string, Record<string, string>> = {};
  let current: Record<string, string> | undefined;
  for (const line of text.split("\n")) {
    const section = /^\[([^\]]+)\]\s*$/.exec(line)?.[1];
    if (section !== undefined) {
      current = sections[section] ??= {};
      continue;
    }
    const [, name, value] = /^([^\s=#;][^=]*?)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (current !== undefined && name !== undefined && value !== undefined) current[name] = value;
  }
  return sections;
}
