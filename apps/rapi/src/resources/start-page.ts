/** Start page for browsers at `/`, with links. Other clients get null, as from Ganeti. */

const links = [
  ["/2/info", "the cluster as a whole"],
  ["/2/nodes?bulk=1", "its nodes"],
  ["/2/instances?bulk=1", "its instances"],
  ["/2/jobs?bulk=1", "its jobs"],
  ["/openapi.json", "every request that this server answers, as OpenAPI"],
  ["/healthz", "whether the server works"],
] as const;

const items = links.map(([path, text]) => `<li><a href="${path}">${path}</a>: ${text}</li>`);

export const startPage = `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>Ganeti remote API</title></head>
<body>
<h1>Ganeti remote API</h1>
<p>This is the remote API of a Ganeti cluster, for programs. Its answers are JSON:</p>
<ul>
${items.join("\n")}
</ul>
<p>The <code>gnt-</code> commands are made for people: <code>gnt-cluster --url=https://this-host:5080 info</code>.</p>
</body>
</html>
`;

/** Whether a client prefers a page to JSON: browsers accept HTML. */
export const prefersPage = (accept: string | undefined): boolean =>
  /(^|,)\s*text\/html\b/i.test(accept ?? "");
