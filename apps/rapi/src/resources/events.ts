/** `/ganeti-ts/1/events`: changes of jobs and of the configuration, as server-sent events. */
import type { Event, Events } from "@ganeti-ts/cluster";
import * as z from "zod";
import { HttpFault } from "../http/fault.js";
import { type Call, type Resource, resource, Streamed } from "./resource.js";

/** Interval (ms) of pulses, which keep the connection alive and tell clients that the server answers. */
const pulseMs = 15_000;

/** A pulse has no id, so that a resuming client sends the id of the last real event. */
const pulse = "event: pulse\ndata: {}\n\n";

const mediaType = "text/event-stream";

/** Maximum number of connections. */
const followersMax = 100;

/** Maximum number of unread events of a client; a long event counts as several, by its size. */
const unreadMax = 1000;
const unitBytes = 8192;

export const eventResources: readonly Resource[] = [
  resource("/ganeti-ts/1/events", {
    GET: {
      summary:
        "Changes of jobs and of the configuration as they happen, as server-sent events; a pulse every 15 s",
      access: "read",
      query: { since: "The id of the last event seen; the header Last-Event-ID counts too" },
      answer: z.string(),
      mediaType,
      waits: true,
      handle: (call, { events }) => {
        if (events.isOver) throw new HttpFault(503, "The server is about to stop");
        if (events.followerCount >= followersMax) {
          throw new HttpFault(503, "Too many follow the events");
        }
        return new Streamed(eventStream(call, events), mediaType);
      },
    },
  }),
];

/**
 * Starts after the last seen event, or with future events. If that event is too old, or belongs to another
 * process, the first event is `reset`, after which the client must reload its data.
 */
function eventStream(call: Call, events: Events): ReadableStream<Uint8Array> {
  let end = () => {};
  /** Missed events of a client, which count as one, because it has had no time to read them. */
  let missedBytes: Uint8Array | undefined;
  const size = (chunk: Uint8Array) =>
    chunk === missedBytes ? 1 : Math.max(1, chunk.length / unitBytes);
  const source = {
    start(controller: ReadableStreamDefaultController<Uint8Array>) {
      const send = (text: string) => controller.enqueue(encoder.encode(text));
      let at = events.last;
      const more = () => {
        // Disconnect slow readers instead of buffering for them; they resume with Last-Event-ID.
        if ((controller.desiredSize ?? 0) < -unreadMax) return end();
        for (const event of events.since(at) ?? []) controller.enqueue(bytesOf(event, events));
        at = events.last;
      };
      const unfollow = events.follow({ more, end: () => end() });
      const timer = setInterval(() => {
        // Otherwise a client that does not read would accumulate pulses without limit.
        if ((controller.desiredSize ?? 0) < -unreadMax) end();
        else send(pulse);
      }, pulseMs);
      timer.unref();
      const leave = () => end();
      end = () => {
        end = () => {};
        unfollow();
        clearInterval(timer);
        call.signal.removeEventListener("abort", leave);
        try {
          controller.close();
        } catch {
          // The client has closed the stream already.
        }
      };
      call.signal.addEventListener("abort", leave);
      const seen = call.header("last-event-id") ?? call.query.text("since");
      const since = seen === undefined ? at : numberOf(seen, events);
      const missed = since === undefined ? undefined : events.since(since);
      if (missed === undefined) {
        send(eventText({ number: at, kind: "reset", data: "{}" }, events.epoch));
      } else {
        // Sent at once, so that proxies recognise a beginning answer.
        missedBytes = missedIn(missed, events);
        controller.enqueue(missedBytes);
      }
    },
    cancel: () => end(),
  };
  return new ReadableStream(source, { highWaterMark: 1, size });
}

const numberOf = (id: string, { epoch }: Events): number | undefined => {
  const [of, number] = id.split(":");
  return of === epoch && /^\d+$/.test(number ?? "") ? Number(number) : undefined;
};

/** Bytes shared by followers: those of the latest event and of the latest replay. */
interface Shared {
  event?: { readonly of: Event; readonly bytes: Uint8Array };
  /** Kept only while a client is reading them, because a replay may be long. */
  missed?: { readonly first: Event; readonly last: Event; readonly bytes: WeakRef<Uint8Array> };
}

const shared = new WeakMap<Events, Shared>();

function sharedOf(events: Events): Shared {
  const known = shared.get(events) ?? {};
  shared.set(events, known);
  return known;
}

function bytesOf(event: Event, events: Events): Uint8Array {
  const known = sharedOf(events);
  if (known.event?.of === event) return known.event.bytes;
  const bytes = encoder.encode(eventText(event, events.epoch));
  known.event = { of: event, bytes };
  return bytes;
}

/** Bytes of missed events, shared because many clients return together after an interruption. */
function missedIn(missed: readonly Event[], events: Events): Uint8Array {
  const [first, last] = [missed[0], missed.at(-1)];
  if (first === undefined || last === undefined) return encoder.encode(":\n\n");
  const known = sharedOf(events);
  const isSame = known.missed?.first === first && known.missed.last === last;
  const kept = isSame ? known.missed?.bytes.deref() : undefined;
  if (kept !== undefined) return kept;
  const text = missed.map((event) => eventText(event, events.epoch)).join("");
  const bytes = encoder.encode(`:\n\n${text}`);
  known.missed = { first, last, bytes: new WeakRef(bytes) };
  return bytes;
}

const encoder = new TextEncoder();

const eventText = ({ number, kind, data }: Event, epoch: string) =>
  `id: ${epoch}:${number}\nevent: ${kind}\ndata: ${data}\n\n`;
