/** Frame of the page: login, navigation, keyboard, and the page that the address names. */
import type { ComponentType } from "preact";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { linkTo, useAddress } from "./address.js";
import { openStream, useConnected } from "./api/live.js";
import { ask, type ServerError, serverNote, whenSessionEnds } from "./api/server.js";
import type { Me } from "./api/shapes.js";
import { ConsolePage } from "./pages/console/console.js";
import { CreatePage } from "./pages/create/create.js";
import { InstancePage } from "./pages/instances/instance.js";
import { InstancesPage } from "./pages/instances/instances.js";
import { JobPage } from "./pages/job.js";
import { JobsPage } from "./pages/jobs.js";
import { Login } from "./pages/login.js";
import { OverviewPage } from "./pages/overview/overview.js";
import { KeyHelp, useKeys } from "./parts/keys.js";
import { Lazy } from "./parts/lazy.js";
import { Notice } from "./parts/notice.js";
import { OtherVersion } from "./parts/other-version.js";
import { ThemeSwitch } from "./parts/theme-switch.js";

const places = [
  ["overview", "Overview"],
  ["nodes", "Nodes"],
  ["instances", "Instances"],
  ["jobs", "Jobs"],
  ["create", "Create"],
  ["maintenance", "Maintenance"],
  ["balance", "Balance"],
  ["rules", "Rules"],
  ["networks", "Networks"],
  ["audit", "Audit"],
] as const;

export function App() {
  const [me, setMe] = useState<Me | null>();
  const [problem, setProblem] = useState<string>();
  const findOut = useCallback(() => {
    ask<Me>("GET", "/ganeti-ts/1/whoami").then(setMe, (error: ServerError) => {
      if (error.status === 401) setMe(null);
      else setProblem(error.message);
    });
  }, []);
  useEffect(() => {
    whenSessionEnds(() => setMe(null));
    findOut();
  }, [findOut]);
  if (me === undefined) return problem ? <Notice kind="error">{problem}</Notice> : null;
  if (me === null) return <Login onDone={setMe} />;
  if (!me.rights.read) {
    return (
      <Notice kind="error">
        The user {me.user} may not read. Ask for the option read in the users file, then reload.
      </Notice>
    );
  }
  return <Frame me={me} onLeave={() => setMe(null)} />;
}

function Frame({ me, onLeave }: { readonly me: Me; readonly onLeave: () => void }) {
  const address = useAddress();
  const [place = "overview", name, part, kind] = address.path;
  const help = useRef<HTMLDialogElement>(null);
  useEffect(openStream, []);
  useKeys(() => help.current?.showModal());
  useEffect(() => {
    document.title = `${name ?? placeTitle(place)} · Ganeti`;
    // On a phone the navigation is wider than the window.
    document
      .querySelector("nav [aria-current]")
      ?.scrollIntoView({ inline: "nearest", block: "nearest" });
  }, [place, name]);
  const leave = () => void ask("DELETE", "/ui/session").finally(onLeave);
  return (
    <div class="frame">
      <button type="button" class="skip" onClick={focusContent}>
        Skip to the content
      </button>
      <header class="bar">
        <a class="brand" href={linkTo(["overview"])}>
          <img src="/ui/icon.svg" alt="" width="24" height="24" /> Ganeti
        </a>
        <nav aria-label="Pages">
          {places.map(([path, title]) => (
            <a href={linkTo([path])} aria-current={place === path ? "page" : undefined} key={path}>
              {title}
            </a>
          ))}
          <a href="/ui/simulator.html">Simulator</a>
        </nav>
        <div class="tools">
          <ThemeSwitch auto="Auto" />
          <button
            type="button"
            class="quiet"
            onClick={() => help.current?.showModal()}
            aria-label="Keys"
          >
            ?
          </button>
          <span class="user" title={me.rights.write ? "may change" : "may read only"}>
            {me.user}
            {!me.rights.write && <small> (reads only)</small>}
          </span>
          <button type="button" class="quiet" onClick={leave}>
            Log out
          </button>
        </div>
      </header>
      <Remark />
      <Connection />
      <OtherVersion me={me} />
      <main id="content" tabIndex={-1}>
        {place === "instances" && name !== undefined && part === "console" ? (
          <ConsolePage name={name} kind={kind} me={me} />
        ) : (
          <Place place={place} name={name} me={me} />
        )}
      </main>
      <KeyHelp dialog={help} />
    </div>
  );
}

const placeTitle = (place: string): string =>
  places.find(([path]) => path === place)?.[1] ?? (place === "groups" ? "Groups" : "Not found");

function focusContent(): void {
  document.getElementById("content")?.focus();
}

type LoadPage = () => Promise<{
  readonly default: ComponentType<{ readonly name: string; readonly me: Me }>;
}>;

/** Pages that are loaded when first opened, by their place in the address. */
const lazyLists: Readonly<Record<string, LoadPage>> = {
  nodes: () => import("./pages/nodes/nodes.js"),
  groups: () => import("./pages/groups/groups.js"),
  maintenance: () => import("./pages/plans/maintenance.js"),
  balance: () => import("./pages/plans/balance.js"),
  rules: () => import("./pages/rules/rules.js"),
  networks: () => import("./pages/networks/networks.js"),
  audit: () => import("./pages/audit/audit.js"),
};

/** The same for pages of one object, which the address names. */
const lazyObjects: Readonly<Record<string, LoadPage>> = {
  nodes: () => import("./pages/nodes/node.js"),
  groups: () => import("./pages/groups/group.js"),
  rules: () => import("./pages/rules/rules.js"),
  networks: () => import("./pages/networks/networks.js"),
};

function Place({ place, name, me }: { place: string; name: string | undefined; me: Me }) {
  if (place === "overview") return <OverviewPage me={me} />;
  if (place === "instances") {
    return name === undefined ? <InstancesPage me={me} /> : <InstancePage name={name} me={me} />;
  }
  if (place === "create") return <CreatePage me={me} />;
  const lazy = name === undefined ? lazyLists : lazyObjects;
  // Places such as "constructor" must not be found in the prototype.
  const load = Object.hasOwn(lazy, place) ? lazy[place] : undefined;
  if (load !== undefined)
    return <Lazy key={`${place} ${name}`} load={load} of={{ name: name ?? "", me }} />;
  if (place === "jobs") return name === undefined ? <JobsPage /> : <JobPage id={name} me={me} />;
  return (
    <Notice kind="error">
      There is no page {place}. <a href={linkTo(["overview"])}>Go to the overview</a>
    </Notice>
  );
}

/** Reminder that the cluster is a twin or a shadow, so that changes do not affect the real one. */
function Remark() {
  const note = serverNote();
  if (note === undefined) return null;
  return (
    <p class="remark" role="note">
      {note.charAt(0).toUpperCase() + note.slice(1)}
    </p>
  );
}

function Connection() {
  const connected = useConnected();
  return (
    <div role="status">
      {!connected && (
        <Notice kind="warning">
          The connection to the server is lost; figures may be old. The page connects again by
          itself.
        </Notice>
      )}
    </div>
  );
}
