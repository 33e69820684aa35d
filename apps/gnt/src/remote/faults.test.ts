import { RapiError } from "@ganeti-ts/rapi-client/transport";
import { expect, test } from "vitest";
import { failureText } from "../failure.js";
import { failureOfFilter, failureOfQuery } from "./faults.js";

const refused = (status: number, says: string) =>
  new RapiError("refused", says, { method: "PUT", url: "/2/query/instance", status }, { says });

test.each([
  [404, "Instance name web1 not found", "unknown_entity", "Instance name web1 not found"],
  [
    500,
    "('Instance name web1 not found', 'unknown_entity')",
    "unknown_entity",
    "Instance name web1 not found",
  ],
  [500, `("Node 'n1' not known", 'unknown_entity')`, "unknown_entity", "Node 'n1' not known"],
])("a query that is refused with %d and %s is told by its type", (status, says, type, text) => {
  expect(failureText(failureOfQuery(refused(status, says), undefined))).toBe(
    `Failure: prerequisites not met for this operation:\nerror type: ${type}, error details:\n${text}`,
  );
});

test("a fault in a filter is reported as one of the parameter", () => {
  const says = "Can't find field named 'nosuch'";
  expect(failureText(failureOfQuery(refused(500, says), undefined))).toBe(
    `Failure: unknown/wrong parameter name '${says}'`,
  );
});

test.each([
  [400, "Failed to parse request: Cannot convert value '[]', error: no"],
  [404, "Failed to parse request: Cannot convert value '[]', error: no"],
  [502, "Failed to parse request: Cannot convert value '[]', error: no"],
])("a query that %d calls unreadable is told as Ganeti's tools tell it", (status, says) => {
  expect(failureText(failureOfQuery(refused(status, says), undefined))).toBe(
    failureText(failureOfQuery(refused(502, says), undefined)),
  );
  expect(failureText(failureOfFilter(refused(status, says), undefined))).toBe(
    failureText(failureOfFilter(refused(502, says), undefined)),
  );
  const wrongField = "Can't find field named 'nosuch'";
  expect(failureText(failureOfQuery(refused(400, wrongField), undefined))).toBe(
    failureText(failureOfQuery(refused(500, wrongField), undefined)),
  );
});
