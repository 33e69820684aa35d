/** The needs of an instance, in one line. */
import type { Instance } from "../model/instance.js";

export function instanceNeeds({
  data,
  memoryMib,
  diskMib,
  vcpus,
  spindles,
  local,
}: Instance): string {
  const { diskTemplate, status, forthcoming, tags } = data;
  const several = data.disks.length > 1 ? ` in ${data.disks.length} disks` : "";
  const parts = [
    diskTemplate,
    `${memoryMib} MiB memory`,
    ...(local || diskMib > 0 ? [`${diskMib} MiB disk${several}`] : []),
    `${vcpus} ${vcpus === 1 ? "vcpu" : "vcpus"}`,
    ...(spindles === undefined || spindles === 0
      ? []
      : [`${spindles} ${spindles === 1 ? "spindle" : "spindles"}`]),
    ...(status === "running" ? [] : [status]),
    ...(forthcoming ? ["forthcoming"] : []),
    ...(tags.length > 0 ? [`${tags.length === 1 ? "tag" : "tags"} ${tags.join(" ")}`] : []),
  ];
  return parts.join(", ");
}
