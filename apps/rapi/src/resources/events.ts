/** `/ganeti-ts/1/events`: changes of jobs and of the configuration, as server-sent events. */
import { z } from "zod";
import type { Event, Events } from "../events.js";
import { HttpFault } from "../http/fault.js";
import { type Call, type Resource, Streamed } from "./resource.js";

/** A line that means nothing is sent so often, in ms, so that nobody takes the connection for dead. */
const pulseMs = 15_000;

/** So many connections at a time. */
const followersMax = 100;
let followers = 0;

export const eventResources: readonly Resource[] = [
  {
    path: "/ganeti-ts/1/events",
    methods: {
      GET: {
        summary: "Changes of jobs and of the configuration as they happen, as server-sent events",
        access: "read",
        query: { since: "The id of the last event seen; the header Last-Event-ID counts too" },
        answer: z.string(),
        waits: true,
        handle: (call, { events }) => {
          if (followers >= followersMax) throw new HttpFault(503, "Too many follow the events");
          return new Streamed(eventStream(call, events), "text/event-stream");
        },
      },
    },
  },
];

/**
 * Begins after the event that was seen last, else with what happens from now on. Where that event is
 * too old, or of another process, the first event is `reset`: what is known must be read anew.
 */
function eventStream(call: Call, events: Events): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let end = () => {};
  return new ReadableStream<Uint8Array>({
    start(controller) {
      followers += 1;
      const send = (text: string) => controller.enqueue(encoder.encode(text));
      let at = events.last;
      const flush = () => {
        // Who does not read is told to begin anew rather than kept in memory.
        if ((controller.desiredSize ?? 0) < -1000) return end();
        for (const event of events.since(at) ?? []) send(eventText(event, events.epoch));
        at = events.last;
      };
      const unfollow = events.follow(flush);
      const pulse = setInterval(() => send(":\n\n"), pulseMs);
      pulse.unref();
      end = () => {
        end = () => {};
        followers -= 1;
        unfollow();
        clearInterval(pulse);
        call.signal.removeEventListener("abort", end);
        try {
          controller.close();
        } catch {
          // The client closed it first.
        }
      };
      call.signal.addEventListener("abort", () => end());
      const seen = call.header("last-event-id") ?? call.query.text("since");
      const since = seen === undefined ? at : numberOf(seen, events);
      if (since === undefined || events.since(since) === undefined) {
        send(eventText({ number: at, kind: "reset", data: "{}" }, events.epoch));
      } else {
        at = since;
        send(":\n\n");
        flush();
      }
    },
    cancel: () => end(),
  });
}

const numberOf = (id: string, { epoch }: Events): number | undefined => {
  const [of, number] = id.split(":");
  return of === epoch && /^\d+$/.test(number ?? "") ? Number(number) : undefined;
};

const eventText = ({ number, kind, data }: Event, epoch: string) =>
  `id: ${epoch}:${number}\nevent: ${kind}\ndata: ${data}\n\n`;
