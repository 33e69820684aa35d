/** Validation of parameters that refer to the node: files, users, addresses. */
import { stat } from "node:fs/promises";
import { isAbsolute, normalize } from "node:path";
import { NodeFailure } from "../../failure.js";
import type { HvParams } from "../hypervisor.js";
import { isUrl } from "./command-line.js";
import { spiceAddress, vncAddress } from "./listen-addresses.js";
import { text } from "./parameters.js";
import type { KvmPorts } from "./ports.js";
import { userName } from "./run-user.js";

type Kind = "file" | "directory" | "file or URL";

/** Parameters with paths on the node; all but the program may be empty. */
const places: readonly (readonly [string, Kind])[] = [
  ["kvm_path", "file"],
  ["kernel_path", "file"],
  ["initrd_path", "file"],
  ["cdrom_image_path", "file or URL"],
  ["cdrom2_image_path", "file or URL"],
  ["floppy_image_path", "file"],
  ["vnc_x509_path", "directory"],
  ["vnc_password_file", "file"],
  ["spice_password_file", "file"],
  ["mem_path", "directory"],
];

const urlMs = 10_000;

export async function validate(ports: KvmPorts, hvparams: HvParams): Promise<void> {
  for (const [name, kind] of places) {
    const value = text(hvparams, name);
    if (value === "" || (await isThere(value, kind))) continue;
    const missing =
      kind === "directory" ? "not found or not a directory" : `not found or not a ${kind}`;
    throw new NodeFailure(
      `Parameter '${name}' fails validation: ${missing} (current value: '${value}')`,
    );
  }
  await validateUser(ports, hvparams);
  await validateDisplays(ports, hvparams);
  const version = text(hvparams, "machine_version");
  if (version === "") return;
  const features = await ports.features(text(hvparams, "kvm_path"));
  if (!features.hasMachine(version)) {
    throw new NodeFailure(`Unsupported machine version: ${version}`);
  }
}

async function isThere(value: string, kind: Kind): Promise<boolean> {
  if (kind === "file or URL" && isUrl(value)) {
    const signal = AbortSignal.timeout(urlMs);
    const answer = await fetch(value, { method: "HEAD", signal }).catch(() => null);
    return answer?.ok === true;
  }
  if (!isAbsolute(value) || normalize(value) !== value) return false;
  const found = await stat(value).catch(() => null);
  return kind === "directory" ? found?.isDirectory() === true : found?.isFile() === true;
}

async function validateUser({ context }: KvmPorts, hvparams: HvParams): Promise<void> {
  const model = text(hvparams, "security_model");
  const domain = text(hvparams, "security_domain");
  if (model === "user" && (await userName(context, domain)) === null) {
    throw new NodeFailure(`Unknown security domain user ${domain}`);
  }
}

async function validateDisplays(
  { context, features }: KvmPorts,
  hvparams: HvParams,
): Promise<void> {
  const hasSpice = text(hvparams, "spice_bind") !== "";
  if (hasSpice && text(hvparams, "vnc_bind_address") !== "") {
    throw new NodeFailure(
      "Both SPICE and VNC are configured, but only one of them can be used at a given time",
    );
  }
  await vncAddress(context, hvparams);
  if (!hasSpice) return;
  if (!(await features(text(hvparams, "kvm_path"))).hasOption("spice")) {
    throw new NodeFailure("SPICE is configured, but it is not supported according to 'kvm --help'");
  }
  await spiceAddress(context, hvparams).catch(() => {
    throw new NodeFailure(
      "SPICE: The spice_bind parameter must be either a valid IP address or interface name",
    );
  });
}
