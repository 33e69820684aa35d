/** Resolver: lookup of host names, and a check whether an address is in use. */

/** Port to the resolution of host names. */
export interface Resolver {
  /** Full name and address of a name, or the reason why it cannot be resolved. */
  resolve(
    name: string,
  ): Promise<
    | { readonly ok: true; readonly name: string; readonly ip: string }
    | { readonly ok: false; readonly code: number; readonly reason: string }
  >;
  /** Whether something at that address accepts connections, or refuses them. */
  isAlive(ip: string, port: number): Promise<boolean>;
}
