/** Login with a name and password of the users file. */
import { useState } from "preact/hooks";
import { ask } from "../api/server.js";
import type { Me } from "../api/shapes.js";
import { Notice } from "../parts/notice.js";

/** Moves the focus to the first field. */
const focus = (field: HTMLInputElement | null): void => field?.focus();

export function Login({ onDone }: { readonly onDone: (me: Me) => void }) {
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const send = async (event: Event) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    setBusy(true);
    try {
      onDone(await ask<Me>("POST", "/ui/session", Object.fromEntries(form)));
    } catch (error) {
      setProblem((error as Error).message);
      setBusy(false);
    }
  };
  return (
    <main class="login">
      <form class="card" onSubmit={send}>
        <h1>
          <img src="/ui/icon.svg" alt="" width="32" height="32" /> Ganeti
        </h1>
        <label>
          User
          <input name="user" autocomplete="username" required ref={focus} />
        </label>
        <label>
          Password
          <input name="password" type="password" autocomplete="current-password" required />
        </label>
        {problem && <Notice kind="error">{problem}</Notice>}
        {location.protocol === "http:" && location.hostname !== "localhost" && (
          <Notice kind="warning">
            Sessions need TLS: this server runs without it, so a login cannot last.
          </Notice>
        )}
        <button type="submit" class="strong" disabled={isBusy}>
          Log in
        </button>
        <small>Users are lines of the server's users file; gnt-cluster user writes them.</small>
      </form>
    </main>
  );
}
