/** The library that makes certificates. Loading it takes a tenth of the start of a server, and most starts do not need it. */
export async function x509() {
  await import("reflect-metadata");
  return import("@peculiar/x509");
}
