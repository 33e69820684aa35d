import { expect, test } from "vitest";
import { joinedPath } from "../plan/names.js";

test("parts are joined below the first one", () => {
  expect(joinedPath(["/srv/x"])).toBe("/srv/x");
  expect(joinedPath(["/srv/x", "a/b/", "web1"])).toBe("/srv/x/a/b/web1");
});

test.each([
  [["/srv/x", "../y", "web1"], "Invalid parameters to PathJoin: '('/srv/x', '../y', 'web1')'"],
  [["/srv/x", "a//b"], "Invalid parameters to PathJoin: '('/srv/x', 'a//b')'"],
  [["/srv/x", "a/"], "Invalid parameters to PathJoin: '('/srv/x', 'a/')'"],
  [["/srv/x", "./a"], "Invalid parameters to PathJoin: '('/srv/x', './a')'"],
  [["/srv/x", "/y"], "Error: path joining resulted in different prefix (/y != /srv/x)"],
] as const)("%j leads elsewhere", (parts, says) => {
  expect(() => joinedPath(parts)).toThrow(says);
});
