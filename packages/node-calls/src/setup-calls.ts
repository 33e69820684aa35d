/** A node as a member of the cluster: files it gets, roles, power, commands. */
import type { Call, Done, Nothing } from "./call.js";
import type { HypervisorOnNode } from "./objects.js";

export interface MasterAddress {
  readonly ip: string;
  readonly netdev: string;
  readonly netmask: number;
  readonly externalScript: boolean;
}

export interface HookResult {
  readonly script: string;
  readonly status: "success" | "error" | "skip";
  readonly output: string;
}

export interface SetupCalls {
  /** Refuses all further calls of workers that were found dead (`Lease 3:1 has ended`), late ones too. */
  readonly fence_leases: Call<{ readonly leases: readonly string[] }, Done>;

  /** Of the master: files that nodes have in common. What is not there is left out. */
  readonly read_files: Call<
    { readonly paths: readonly string[] },
    { readonly [path: string]: { readonly content: string; readonly mode: number } }
  >;
  /** Writes files, whole; contents as text. */
  readonly upload_file: Call<
    { readonly path: string; readonly content: string; readonly mode: number },
    Done
  >;
  readonly write_ssconf_files: Call<{ readonly values: { readonly [name: string]: string } }, Done>;
  /** The master's copy of what clusters share that trust each other, made if there is none. */
  readonly cluster_domain_secret: Call<
    Nothing,
    { readonly secret: string; readonly isNew: boolean }
  >;
  readonly etc_hosts_modify: Call<
    { readonly action: "add" | "remove"; readonly host: string; readonly ip: string | null },
    Done
  >;
  readonly node_demote_from_mc: Call<Nothing, Done>;
  readonly node_leave_cluster: Call<{ readonly modifySshSetup: boolean }, Done>;
  readonly node_activate_master_ip: Call<MasterAddress, Done>;
  readonly node_deactivate_master_ip: Call<MasterAddress, Done>;
  readonly node_change_master_netmask: Call<MasterAddress & { readonly oldNetmask: number }, Done>;
  readonly node_ensure_daemon: Call<{ readonly daemon: string; readonly run: boolean }, Done>;
  readonly node_configure_ovs: Call<{ readonly name: string; readonly link: string | null }, Done>;
  /** Digests of the certificate that the node uses, made anew if asked for. */
  readonly node_crypto_tokens: Call<{ readonly renew: boolean }, { readonly digest: string }>;
  readonly node_ssh_keys_renew: Call<
    { readonly keyType: string; readonly keyBits: number },
    { readonly publicKey: string }
  >;
  /** Keys that the node lets in, in place of those it had. */
  readonly node_ssh_keys_set: Call<{ readonly publicKeys: readonly string[] }, Done>;
  readonly hooks_runner: Call<
    {
      readonly path: string;
      readonly phase: "pre" | "post";
      readonly environment: { readonly [name: string]: string };
    },
    readonly HookResult[]
  >;
  /** Seconds since the epoch; null: not paused. */
  readonly get_watcher_pause: Call<Nothing, number | null>;
  readonly set_watcher_pause: Call<{ readonly until: number | null }, Done>;

  /** What the node says: `Reboot scheduled in 5 seconds`. */
  readonly node_powercycle: Call<HypervisorOnNode, string>;
  /** Runs the program about another node; what it prints. */
  readonly run_oob: Call<
    {
      readonly program: string;
      readonly command: "power-on" | "power-off" | "power-cycle" | "power-status" | "health";
      /** Name. */
      readonly node: string;
      readonly timeoutSeconds: number;
    },
    string
  >;
  /** What the command prints. */
  readonly restricted_command: Call<{ readonly command: string }, string>;
  /** Runs a command line as root, whatever it is: what it printed on either output, and its exit code. */
  readonly shell_command: Call<
    { readonly command: string },
    { readonly output: string; readonly exitCode: number }
  >;
  readonly test_delay: Call<{ readonly seconds: number }, Done>;
}
