/** DiskMaker: disk objects for sources that describe disks only by template and size. */
import { drbdMetaMib, randomUuid } from "@ganeti-ts/config";
import {
  type ClusterObject,
  type DiskObject,
  type DiskTemplate,
  DiskUuid,
  isUnmirrored,
  type NodeUuid,
  type Random,
  type RealDisk,
  randomHex,
} from "@ganeti-ts/protocol";
import { TwinError } from "./origin.js";

/** A disk as a source describes it. */
export interface WantedDisk {
  readonly sizeMib: number;
  readonly spindles: number | undefined;
  readonly uuid?: string | undefined;
  readonly name?: string | undefined;
}

/** The instance that gets the disks, and its nodes. */
export interface DiskOwner {
  readonly name: string;
  readonly template: DiskTemplate;
  readonly primary: NodeUuid;
  readonly secondary: NodeUuid | undefined;
  /** A reservation: its disks do not exist yet. */
  readonly forthcoming: boolean;
}

/** Provider of external storage where the source does not name it. */
const externalProvider = "twin";

/** Maker of disk objects with new ports, minors, names and secrets, each used once. */
export class DiskMaker {
  readonly #cluster: ClusterObject;
  readonly #random: Random;
  readonly #now: number;
  readonly #minors = new Map<NodeUuid, number>();
  #port: number;

  /** @param now seconds since the epoch */
  constructor(cluster: ClusterObject, random: Random, now: number) {
    this.#cluster = cluster;
    this.#random = random;
    this.#now = now;
    this.#port = cluster.highest_used_port;
  }

  /** The highest port in use. */
  get highestPort(): number {
    return this.#port;
  }

  /** Takes the next port. */
  nextPort(): number {
    this.#port += 1;
    return this.#port;
  }

  /** @throws TwinError for a mirrored disk without a second node */
  disksOf(owner: DiskOwner, disks: readonly WantedDisk[]): readonly DiskObject[] {
    if (owner.template === "diskless") return [];
    return disks.map((disk, at) => {
      const made = this.#disk(owner, disk, at);
      return owner.forthcoming
        ? {
            ...made,
            forthcoming: true as const,
            children: made.children.map((child) => ({ ...child, forthcoming: true as const })),
          }
        : made;
    });
  }

  #disk(owner: DiskOwner, disk: WantedDisk, at: number): RealDisk {
    const { template, primary, secondary } = owner;
    const common = {
      uuid: DiskUuid.parse(disk.uuid ?? randomUuid(this.#random)),
      iv_name: `disk/${at}`,
      mode: "rw" as const,
      size: disk.sizeMib,
      ...(disk.spindles === undefined ? {} : { spindles: disk.spindles }),
      ...(disk.name === undefined ? {} : { name: disk.name }),
      ...this.#stamps(),
      children: [],
    };
    if (template === "drbd") {
      if (secondary === undefined) {
        throw new TwinError(`instance ${owner.name} has mirrored disks, and no secondary node`);
      }
      return { ...common, ...this.#mirror([primary, secondary], disk, at) };
    }
    return {
      ...common,
      dev_type: template as RealDisk["dev_type"],
      logical_id: this.#location(owner, common.uuid, at),
      nodes: isUnmirrored(template) ? [primary] : [],
    };
  }

  #mirror(
    nodes: readonly [NodeUuid, NodeUuid],
    { sizeMib, spindles }: WantedDisk,
    at: number,
  ): Pick<RealDisk, "dev_type" | "logical_id" | "nodes" | "children"> {
    const prefix = `${randomUuid(this.#random)}.disk${at}`;
    const child = (suffix: string, size: number) => ({
      uuid: DiskUuid.parse(randomUuid(this.#random)),
      dev_type: "plain" as const,
      logical_id: [this.#volumeGroup(), `${prefix}_${suffix}`],
      nodes,
      size,
      ...this.#stamps(),
    });
    return {
      dev_type: "drbd",
      logical_id: [
        ...nodes,
        this.nextPort(),
        ...nodes.map((node) => this.#minorOn(node)),
        randomHex(this.#random, 20),
      ],
      nodes,
      children: [
        { ...child("data", sizeMib), ...(spindles === undefined ? {} : { spindles }) },
        child("meta", drbdMetaMib),
      ],
    };
  }

  #location(owner: DiskOwner, uuid: string, at: number): RealDisk["logical_id"] {
    const { file_storage_dir, shared_file_storage_dir, gluster_storage_dir } = this.#cluster;
    const name = `${uuid}.${owner.template}.disk${at}`;
    switch (owner.template) {
      case "plain":
        return [this.#volumeGroup(), `${uuid}.disk${at}`];
      case "file":
        return ["loop", `${file_storage_dir}/${owner.name}/${name}`];
      case "sharedfile":
        return ["loop", `${shared_file_storage_dir}/${owner.name}/${name}`];
      case "gluster":
        return ["loop", `${gluster_storage_dir}/${owner.name}/${name}`];
      case "blockdev":
        return ["manual", `/dev/disk/by-id/${name}`];
      case "rbd":
        return ["rbd", name];
      case "ext":
        return [externalProvider, name];
      case "drbd":
      case "diskless":
        throw new Error(`${owner.template} has no disks in one place`);
    }
  }

  #volumeGroup(): string {
    return this.#cluster.volume_group_name ?? "xenvg";
  }

  #minorOn(node: NodeUuid): number {
    const minor = this.#minors.get(node) ?? 0;
    this.#minors.set(node, minor + 1);
    return minor;
  }

  #stamps() {
    return { serial_no: 1, ctime: this.#now, mtime: this.#now };
  }
}
