/** Hook for layouts: true while the page is as narrow as a phone. */
import { useEffect, useState } from "preact/hooks";

const query = "(max-width: 760px)";

export function useNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const follow = () => setNarrow(list.matches);
    list.addEventListener("change", follow);
    return () => list.removeEventListener("change", follow);
  }, []);
  return isNarrow;
}
