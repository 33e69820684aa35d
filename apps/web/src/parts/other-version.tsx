/** Notice on a page whose version is not the one that the server serves now. */
import { useEffect, useState } from "preact/hooks";
import { useConnected } from "../api/live.js";
import { ask } from "../api/server.js";
import type { Me } from "../api/shapes.js";
import { Notice } from "./notice.js";

/** Path of the first script of this page. */
function ownScript(): string | undefined {
  const script = document.querySelector<HTMLScriptElement>("script[type=module]");
  return script === null ? undefined : new URL(script.src).pathname;
}

/** Checks the version again after each loss of the connection, because the server may have been upgraded meanwhile. */
export function OtherVersion({ me }: { readonly me: Me }) {
  const connected = useConnected();
  const [served, setServed] = useState(me.page);
  useEffect(() => {
    if (!connected) return;
    ask<Me>("GET", "/ganeti-ts/1/whoami").then(
      ({ page }) => setServed(page),
      // The next connection checks again.
      () => undefined,
    );
  }, [connected]);
  if (served === null || served === ownScript()) return null;
  return (
    <Notice kind="warning">
      This page is of another version than the server, and parts of it may fail.{" "}
      <button type="button" onClick={() => location.reload()}>
        Reload the page
      </button>
    </Notice>
  );
}
