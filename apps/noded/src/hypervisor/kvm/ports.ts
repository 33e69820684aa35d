/** KvmPorts: the context, QEMU's files and features, taps, and the power-off watch. */
import type { NodeContext } from "../../context.js";
import type { Taps } from "../../network/taps.js";
import type { DiskLinks } from "../../storage/disk-links.js";
import type { Acceleration } from "./accelerator.js";
import type { FeatureReader } from "./features.js";
import type { KvmFiles } from "./files.js";
import type { PowerOffWatch } from "./power-off-watch.js";

export interface KvmPorts {
  readonly context: NodeContext;
  readonly files: KvmFiles;
  readonly features: FeatureReader;
  readonly acceleration: Acceleration;
  readonly taps: Taps;
  readonly links: DiskLinks;
  readonly watch: PowerOffWatch;
}
