/** Names of hosts, and whether somebody answers at an address: what creation and renaming may check. */

export interface Resolver {
  /** The full name and address that a name has; undefined if it cannot be resolved, with the reason. */
  resolve(
    name: string,
  ): Promise<
    | { readonly ok: true; readonly name: string; readonly ip: string }
    | { readonly ok: false; readonly code: number; readonly reason: string }
  >;
  /** Whether something at that address accepts connections, or refuses them. */
  isAlive(ip: string, port: number): Promise<boolean>;
}
