/** Disks of an instance, with the progress of their mirrors' synchronisation. */
import { useEffect } from "preact/hooks";
import { useLive } from "../../api/live.js";
import { ask } from "../../api/server.js";
import { Table } from "../../parts/table.js";
import { Track } from "../../parts/track.js";
import { durationText, sizeText } from "../../words.js";
import type { Instance } from "./instance.js";

interface Mirror {
  readonly sync_percent: number | null;
  readonly estimated_seconds: number | null;
  readonly degraded: boolean;
}

/** Interval (ms) at which mirrors are checked while one synchronises. */
const lookMs = 2000;

function useMirrors({ name, disk_template, forthcoming }: Instance): readonly (Mirror | null)[] {
  const isMirrored = disk_template === "drbd" && !forthcoming;
  const { value, reload } = useLive<readonly (Mirror | null)[]>(
    `mirrors ${name} ${isMirrored}`,
    (event) => event.topic === "job" && event.summary.some((text) => text.includes(`(${name})`)),
    async () =>
      isMirrored ? ask("GET", `/ganeti-ts/1/instances/${encodeURIComponent(name)}/mirrors`) : [],
  );
  const isBusy = value?.some((mirror) => mirror?.sync_percent != null) ?? false;
  useEffect(() => {
    if (!isBusy) return;
    const timer = setTimeout(reload, lookMs);
    return () => clearTimeout(timer);
  }, [value]);
  return value ?? [];
}

export function Disks({ of }: { readonly of: Instance }) {
  const mirrors = useMirrors(of);
  return (
    <Table
      title="Disks"
      heads={["Disk", "Name", "Size", "Mirror"]}
      rows={of["disk.sizes"].map((size, at) => [
        String(at),
        of["disk.names"]?.[at] ?? "–",
        sizeText(size),
        <MirrorState of={mirrors[at]} at={at} />,
      ])}
    />
  );
}

function MirrorState({ of, at }: { readonly of: Mirror | null | undefined; readonly at: number }) {
  if (of === undefined) return <>–</>;
  if (of === null) return <span class="small">not active</span>;
  const { sync_percent: percent, estimated_seconds: seconds } = of;
  if (percent === null) {
    return of.degraded ? (
      <span class="status bad">degraded</span>
    ) : (
      <span class="status good">in sync</span>
    );
  }
  return (
    <div class="sync">
      <span>
        {percent.toFixed(1)} % synchronised
        {seconds !== null && `, ${durationText(seconds)} left`}
      </span>
      <Track title={`Synchronisation of disk ${at}`} done={percent} all={100} />
    </div>
  );
}
