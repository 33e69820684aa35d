import type { NodeAnswer } from "./node-answer.js";
import type { Upload } from "./objects/upload.js";

/** Text and attributes of a file of the master. */
export type MasterFile = Omit<Upload, "path">;

/** Fault of a certificate: it cannot be read, or it is not valid, for instance because it has expired. */
export interface CertificateFault {
  readonly kind: "unreadable" | "invalid";
  readonly text: string;
}

/** Output of a command line, of both streams, and its exit code. */
interface CommandResult {
  readonly output: string;
  readonly exitCode: number;
}

/**
 * A second client certificate of the machine that the server runs on, kept next to the one in use until all nodes
 * accept it.
 */
export interface SecondCertificate {
  /** Makes one, in place of a former one. Returns its digest. */
  make(): Promise<NodeAnswer<{ readonly digest: string }>>;
  /** Calls the node with it. Fails if the node refuses the certificate, or does not answer. */
  tryOn(node: string): Promise<NodeAnswer<null>>;
  /** Replaces the certificate in use, durably: calls that begin afterwards show the second one. */
  use(digest: string): Promise<NodeAnswer<null>>;
  remove(): Promise<NodeAnswer<null>>;
}

/**
 * The machine that the server runs on: its files, its programs, and its way to other nodes by ssh. None of
 * this goes through node daemons. No method rejects; a repetition is harmless except where noted.
 */
export interface MasterHost {
  /** Files by path; missing ones are absent. */
  readFiles(paths: readonly string[]): Promise<NodeAnswer<{ readonly [path: string]: MasterFile }>>;
  /** The secret that clusters share that trust each other; made if it does not exist yet. */
  domainSecret(): Promise<NodeAnswer<{ readonly secret: string; readonly isNew: boolean }>>;
  /** Null if the certificate is valid. */
  certificateFault(certPem: string): Promise<NodeAnswer<CertificateFault | null>>;
  /**
   * Gives another node a new client certificate, by ssh. The machine itself keeps its own: nodes would refuse all
   * calls made with one that they do not know.
   */
  renewNodeCertificate(node: string): Promise<NodeAnswer<null>>;
  /** By which the machine gets a new client certificate of its own. */
  readonly secondCertificate: SecondCertificate;
  /** Whether a machine is cleared by ssh once it has left the cluster: until then it accepts the cluster's ssh keys. */
  readonly clearsFormerNodes?: boolean;
  /** Runs a command line as root on a node, by ssh. A repetition runs it again. */
  runOnNode(node: string, command: string): Promise<NodeAnswer<CommandResult>>;
  /** Writes a file on a node, by ssh: any path. */
  copyToNode(
    node: string,
    path: string,
    file: { readonly content: string; readonly mode: number },
  ): Promise<NodeAnswer<null>>;
}
