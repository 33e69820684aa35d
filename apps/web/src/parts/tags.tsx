/** Tags of an object, with buttons that remove them; each links to the objects that have it. */
import { linkTo } from "../address.js";
import { ask } from "../api/server.js";
import type { Me } from "../api/shapes.js";
import { Action, withoutRight } from "./action.js";
import { Notice } from "./notice.js";
import { useJob } from "./use-job.js";

const tagPath = ([place, name]: readonly [place: string, name: string], tag: string): string =>
  `/2/${place}/${encodeURIComponent(name)}/tags?tag=${encodeURIComponent(tag)}`;

/** Submits a job that adds a tag to an object, by its place and name. */
export const addTag = (path: readonly [place: string, name: string], tag: string) =>
  ask("PUT", tagPath(path, tag));

export function Tags(props: {
  readonly tags: readonly string[];
  /** Path of the object on the page and in the remote API: `instances`, and its name. */
  readonly path: readonly [place: string, name: string];
  readonly me: Me;
}) {
  const { tags, path, me } = props;
  const { outcome, submit } = useJob();
  return (
    <section class="card" aria-label="Tags">
      <h2>Tags</h2>
      {outcome.problem && <Notice kind="error">{outcome.problem}</Notice>}
      <ul class="tags">
        {tags.length === 0 && <li class="small">None.</li>}
        {tags.map((tag) => (
          <li class="tag" key={tag}>
            <a href={linkTo([path[0]], { filter: `"${tag}" in tags` })}>{tag}</a>
            <Action
              kind="quiet"
              off={withoutRight(me)}
              label={`Remove tag ${tag}`}
              onClick={() => void submit(() => ask("DELETE", tagPath(path, tag)))}
            >
              ✕
            </Action>
          </li>
        ))}
      </ul>
    </section>
  );
}
