/** Operating system definitions and providers of external storage. */
import type { Json } from "@ganeti-ts/protocol";
import type { Call, Nothing } from "./call.js";
import type { InstanceOnNode } from "./objects.js";

/** A definition in one directory of the search path. */
export interface OsDefinition {
  readonly name: string;
  readonly path: string;
  readonly valid: boolean;
  /** What is wrong; empty if nothing is. */
  readonly fault: string;
  readonly variants: readonly string[];
  /** Names, each with what it is for. */
  readonly parameters: readonly (readonly [name: string, help: string])[];
  readonly apiVersions: readonly number[];
  /** Its scripts may run on the node itself. */
  readonly trusted: boolean;
}

export interface ExtStorageDefinition {
  readonly name: string;
  readonly path: string;
  readonly valid: boolean;
  readonly fault: string;
  readonly parameters: readonly (readonly [name: string, help: string])[];
}

export interface OsCalls {
  /** Packs the definition with what its scripts are told; gives the path of the archive. */
  readonly os_export: Call<
    {
      readonly instance: InstanceOnNode;
      /** Over what scripts are told otherwise. */
      readonly environment: { readonly [name: string]: string };
    },
    string
  >;
  /** In the order of the search path: of several of one name the first counts. */
  readonly os_diagnose: Call<Nothing, readonly OsDefinition[]>;
  readonly extstorage_diagnose: Call<Nothing, readonly ExtStorageDefinition[]>;
  /**
   * Whether the node has the OS, its variant (unless `forceVariant`) and takes these parameters; fails
   * with what is wrong. Where it is not required, a missing OS is `false`, not a failure.
   */
  readonly os_validate: Call<
    {
      readonly required: boolean;
      /** With its variant. */
      readonly name: string;
      readonly checks: readonly "parameters"[];
      readonly parameters: { readonly [name: string]: Json };
      readonly forceVariant: boolean;
    },
    boolean
  >;
}
