/** Status of an instance or a job as a coloured word. */

const tones: Readonly<Record<string, string>> = {
  running: "good",
  success: "good",
  ADMIN_down: "calm",
  USER_down: "calm",
  ADMIN_offline: "calm",
  canceled: "calm",
  queued: "waiting",
  waiting: "waiting",
  canceling: "waiting",
};

const jobTones: Readonly<Record<string, string>> = { ...tones, running: "busy" };

export function Status({
  of,
  isJob = false,
}: {
  readonly of: string | null;
  readonly isJob?: boolean;
}) {
  const tone = (isJob ? jobTones : tones)[of ?? ""] ?? "bad";
  return <span class={`status ${tone}`}>{of ?? "unknown"}</span>;
}
