/** Loads the certificate library on demand: that takes a tenth of the start time of a server, and most starts do not need it. */
export async function x509() {
  await import("reflect-metadata");
  return import("@peculiar/x509");
}
