/** Words of the command line for VNC and SPICE. */
import { isIP, isIPv4 } from "node:net";
import { join } from "node:path";
import type { HvParams } from "../hypervisor.js";
import type { SpiceAddress } from "./listen-addresses.js";
import { flag, text } from "./parameters.js";

/** First port of VNC displays. */
const vncPortBase = 5900;

export interface DisplayInput {
  readonly name: string;
  readonly hvparams: HvParams;
  readonly port: number | null;
  /** Addresses from the parameters, which may name an interface instead; null: not bound. */
  readonly vncAddress: string | null;
  readonly spiceAddress: SpiceAddress | null;
  /** Directory of the certificates of SPICE. */
  readonly data: string;
}

/** Words for VNC if it is bound, else for SPICE if that is bound, else for no display. */
export function displayWords(input: DisplayInput): readonly string[] {
  if (input.vncAddress !== null) return vncWords(input, input.vncAddress);
  if (input.spiceAddress !== null) return spiceWords(input, input.spiceAddress);
  return ["-display", "none"];
}

/** Display number of a port; null if the port is not a VNC port. */
export const vncDisplay = (port: number | null): number | null =>
  port !== null && port > vncPortBase ? port - vncPortBase : null;

function vncWords({ name, hvparams, port }: DisplayInput, address: string): readonly string[] {
  if (isIP(address) === 0) return ["-vnc", `unix:${join(address, `${name}.vnc`)}`];
  const display = vncDisplay(port);
  if (display === null) return ["-vnc", "none"];
  const host = address === "0.0.0.0" ? "" : isIPv4(address) ? address : `[${address}]`;
  const hasTls = flag(hvparams, "vnc_tls");
  const parts = [`${host}:${display}`];
  if (hasTls) parts.push("tls-creds=vnctls0");
  if (text(hvparams, "vnc_password_file") !== "") parts.push("password");
  const vnc = ["-vnc", parts.join(",")];
  if (!hasTls) return vnc;
  const directory = text(hvparams, "vnc_x509_path");
  return [
    "-object",
    tlsCredentials(directory === "" ? null : directory, flag(hvparams, "vnc_x509_verify")),
    ...vnc,
  ];
}

/** Credentials with the certificates in a directory, or anonymous ones without a directory. */
export const tlsCredentials = (directory: string | null, isVerifying: boolean): string =>
  directory === null
    ? "tls-creds-anon,id=vnctls0,endpoint=server"
    : `tls-creds-x509,id=vnctls0,endpoint=server,dir=${directory},verify-peer=${isVerifying ? "yes" : "no"}`;

/** Parameters whose values are passed to QEMU unchanged. */
const spiceOptions = [
  ["spice_image_compression", "image-compression"],
  ["spice_jpeg_wan_compression", "jpeg-wan-compression"],
  ["spice_zlib_glz_wan_compression", "zlib-glz-wan-compression"],
  ["spice_streaming_video", "streaming-video"],
] as const;

function spiceWords(
  { hvparams, port, data }: DisplayInput,
  { address, ipVersion }: SpiceAddress,
): readonly string[] {
  const parts = [`addr=${address}`];
  if (flag(hvparams, "spice_use_tls")) {
    const [ca, pem] = [join(data, "spice-ca.pem"), join(data, "spice.pem")];
    parts.push(`tls-port=${port}`, `x509-cacert-file=${ca}`);
    parts.push(`x509-key-file=${pem}`, `x509-cert-file=${pem}`);
    const ciphers = text(hvparams, "spice_tls_ciphers");
    if (ciphers !== "") parts.push(`tls-ciphers=${ciphers}`);
  } else parts.push(`port=${port}`);
  if (text(hvparams, "spice_password_file") === "") parts.push("disable-ticketing");
  if (ipVersion !== null) parts.push(`ipv${ipVersion}`);
  for (const [name, option] of spiceOptions) {
    const value = text(hvparams, name);
    if (value !== "") parts.push(`${option}=${value}`);
  }
  if (hvparams.spice_playback_compression === false) parts.push("playback-compression=off");
  if (!flag(hvparams, "spice_use_vdagent")) return ["-spice", [...parts, "agent-mouse=off"].join()];
  return [
    ...["-device", "virtio-serial-pci,id=spice"],
    ...["-device", "virtserialport,chardev=spicechannel0,name=com.redhat.spice.0"],
    ...["-chardev", "spicevmc,id=spicechannel0,name=vdagent"],
    ...["-spice", parts.join()],
  ];
}
