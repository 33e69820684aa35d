// Many kills: `pnpm crashes --kills=200`, on each store; `--only=sqlite` or `--only=postgres` for one.
import { fileURLToPath } from "node:url";
import { missing, programs, startPostgres } from "@ganeti-ts/testkit/postgres";
import { crashPostgres, crashSqlite, type Report } from "./crashes.js";

const worker = fileURLToPath(new URL("worker.js", import.meta.url));
const given = process.argv.find((argument) => argument.startsWith("--kills="));
const kills = Number(given?.split("=")[1] ?? 200);

function tell(name: string, { faults, ...report }: Report): void {
  console.log(`${name}: ${JSON.stringify(report)}`);
  for (const fault of faults.slice(0, 20)) console.log(`  ${fault}`);
  if (faults.length > 0) process.exitCode = 1;
}

const isWanted = (store: string) =>
  process.argv.every((one) => !one.startsWith("--only=")) ||
  process.argv.includes(`--only=${store}`);

if (isWanted("sqlite")) tell("SQLite", await crashSqlite(worker, kills));
if (!isWanted("postgres")) process.exit();
if (programs === undefined) console.log(`not run on PostgreSQL: ${missing}`);
else {
  const server = await startPostgres({ durable: true });
  try {
    tell("PostgreSQL", await crashPostgres(worker, kills, server));
  } finally {
    await server.stop();
  }
}
