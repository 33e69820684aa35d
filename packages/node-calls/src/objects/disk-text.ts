/** diskText: a disk in Ganeti's messages. */
import type { DiskOnNode } from "./disk.js";

/** `<LogicalVolume(/dev/xenvg/data, visible as /dev/disk/0, size=512m)>` and the like. */
export function diskText(disk: DiskOnNode): string {
  const { dev_type, logical_id, children, iv_name, spindles, size } = disk;
  let text: string;
  if (dev_type === "plain") text = `<LogicalVolume(/dev/${logical_id[0]}/${logical_id[1]}`;
  else if (dev_type === "drbd") {
    const [nodeA, nodeB, port, minorA, minorB] = logical_id;
    const [data, meta] = children ?? [];
    text = `<DRBD8(hosts=${nodeA}/${minorA}-${nodeB}/${minorB}, port=${port}, `;
    text +=
      data === undefined || meta === undefined
        ? "no local storage"
        : `backend=${diskText(data)}, metadev=${diskText(meta)}`;
  } else {
    const id = logical_id.map((part) => (typeof part === "string" ? `'${part}'` : String(part)));
    text = `<Disk(type=${dev_type}, logical_id=(${id.join(", ")}), children=[]`;
  }
  text += iv_name ? `, visible as /dev/${iv_name}` : ", not visible";
  if (spindles !== null && spindles !== undefined) text += `, spindles=${spindles}`;
  return `${text}, size=${size}m)>`;
}
