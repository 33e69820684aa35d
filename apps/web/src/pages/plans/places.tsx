/** Nodes of an instance: the primary, then the secondary. */

const shortName = (name: string): string => name.split(".")[0] ?? name;

export function Places({ of }: { readonly of: readonly string[] }) {
  const [primary = "–", secondary] = of;
  return (
    <span class="places" title={of.join(", ")}>
      {shortName(primary)}
      {secondary !== undefined && <span class="small"> / {shortName(secondary)}</span>}
    </span>
  );
}
