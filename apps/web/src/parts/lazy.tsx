/** Component whose code is loaded when it is first shown. */
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Notice } from "./notice.js";

export function Lazy<Props extends object>(props: {
  readonly load: () => Promise<{ readonly default: ComponentType<Props> }>;
  readonly of: Props;
}) {
  const [Part, setPart] = useState<ComponentType<Props>>();
  const [isMissing, setMissing] = useState(false);
  useEffect(() => {
    props.load().then(
      (module) => setPart(() => module.default),
      () => setMissing(true),
    );
  }, []);
  if (isMissing) {
    return (
      <Notice kind="error">
        A part of the page could not be loaded: the server may have been upgraded. Reload the page.
      </Notice>
    );
  }
  return Part === undefined ? <p>Loading …</p> : <Part {...props.of} />;
}
