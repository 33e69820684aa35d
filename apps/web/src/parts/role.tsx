/** Words for the roles of nodes, by Ganeti's letter. */

const texts: Readonly<Record<string, string>> = {
  M: "master",
  C: "master candidate",
  R: "regular",
  D: "drained",
  O: "offline",
};

export const roleText = (role: string): string => texts[role] ?? role;

const tones: Readonly<Record<string, string>> = { M: "good", C: "good", R: "good", D: "waiting" };

/** The role as a coloured word; `isShort` for narrow columns. */
export const Role = ({ of, isShort = false }: { of: string; isShort?: boolean }) => (
  <span class={`status ${tones[of] ?? "bad"}`}>
    {isShort && of === "C" ? "candidate" : roleText(of)}
  </span>
);
