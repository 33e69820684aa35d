/** Console page of an instance: a VNC screen, or a terminal. */
import { useEffect, useRef, useState } from "preact/hooks";
import { linkTo } from "../../address.js";
import type { Me } from "../../api/shapes.js";
import {
  type ConsoleKind,
  endText,
  type Granted,
  grantFor,
  wantsPassword,
} from "../../console/socket.js";
import { Action, withoutRight } from "../../parts/action.js";
import { Lazy } from "../../parts/lazy.js";
import { Notice } from "../../parts/notice.js";

const loads = {
  vnc: () => import("../../console/screen-view.js"),
  serial: () => import("../../console/terminal-view.js"),
};

const titles = { vnc: "Screen (VNC)", serial: "Serial console" } as const;

type State =
  | { readonly is: "connecting" }
  | { readonly is: "open"; readonly granted: Granted }
  | { readonly is: "ended"; readonly text: string; readonly wantsPassword: boolean };

export function ConsolePage(props: {
  readonly name: string;
  readonly kind: string | undefined;
  readonly me: Me;
}) {
  const { name, me } = props;
  const kind = props.kind === "vnc" || props.kind === "serial" ? props.kind : undefined;
  const off = withoutRight(me);
  const leave = useRef<HTMLAnchorElement>(null);
  const { state, kinds, connect, onEnd } = useConsole(name, kind, off === undefined);
  return (
    <>
      <div class="heading">
        <h1>
          Console of <a href={linkTo(["instances", name])}>{name}</a>
        </h1>
        <p role="status">{off === undefined && statusText(state)}</p>
      </div>
      <nav class="buttons" aria-label="Consoles">
        {kinds.map((one) => (
          <a
            key={one}
            class="button"
            href={linkTo(["instances", name, "console", one])}
            aria-current={state.is === "open" && state.granted.kind === one ? "page" : undefined}
          >
            {titles[one]}
          </a>
        ))}
        <Action off={off} onClick={() => connect()}>
          Connect again
        </Action>
        <a ref={leave} class="button" href={linkTo(["instances", name])}>
          Leave
        </a>
        <small>
          The console takes all keys; <kbd>Ctrl</kbd>-<kbd>Alt</kbd>-<kbd>O</kbd> leaves it.
        </small>
      </nav>
      {off !== undefined && <Notice kind="error">{off}</Notice>}
      {state.is === "ended" && <Notice kind="warning">{state.text}</Notice>}
      {state.is === "ended" && state.wantsPassword && <Password onDone={connect} />}
      {state.is === "open" && (
        <div class="console">
          <Lazy
            key={state.granted.token}
            load={loads[state.granted.kind]}
            of={{
              granted: state.granted,
              label: `${titles[state.granted.kind]} of ${name}`,
              onLeave: () => leave.current?.focus(),
              onEnd,
            }}
          />
        </div>
      )}
    </>
  );
}

function statusText(state: State): string {
  if (state.is === "connecting") return "connecting …";
  return state.is === "open" ? "connected" : "not connected";
}

/** Hook: requests a console at once, and again when `connect` is called. */
function useConsole(name: string, kind: ConsoleKind | undefined, isAllowed: boolean) {
  const [state, setState] = useState<State>({ is: "connecting" });
  const [kinds, setKinds] = useState<readonly ConsoleKind[]>([]);
  const [attempt, setAttempt] = useState<{ readonly password?: string }>({});
  useEffect(() => {
    let isWanted = true;
    const show = (next: State) => isWanted && setState(next);
    const open = async () => {
      show({ is: "connecting" });
      try {
        const granted = await grantFor(name, kind, attempt.password);
        if (isWanted) setKinds(granted.kinds);
        show({ is: "open", granted });
      } catch (error) {
        show({ is: "ended", text: (error as Error).message, wantsPassword: false });
      }
    };
    if (isAllowed) void open();
    return () => {
      isWanted = false;
    };
  }, [name, kind, attempt, isAllowed]);
  const onEnd = (event: CloseEvent) =>
    setState({ is: "ended", text: endText(event), wantsPassword: event.code === wantsPassword });
  return {
    ...{ state, kinds, onEnd },
    connect: (password?: string) => setAttempt(password === undefined ? {} : { password }),
  };
}

function Password({ onDone }: { readonly onDone: (password: string) => void }) {
  const send = (event: Event) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    onDone(String(form.get("password")));
  };
  return (
    <form class="card buttons" onSubmit={send}>
      <label>
        VNC password{" "}
        <input name="password" type="password" autocomplete="off" maxLength={64} required />
      </label>
      <button type="submit" class="strong">
        Connect
      </button>
    </form>
  );
}
