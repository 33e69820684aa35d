import { expect, test } from "vitest";
import { largestPeer, noPeers, peerMemory, withoutPeer, withPeer } from "./peer-map.js";

test("the largest sum comes first, among equals the one set last", () => {
  const peers = withPeer(withPeer(withPeer(noPeers, 1, 100), 2, 300), 3, 100);
  expect(peers.map(({ node }) => node)).toEqual([2, 3, 1]);
  expect(largestPeer(peers)).toBe(300);
  expect(largestPeer(noPeers)).toBe(0);
});

test("a sum is replaced, not added to, and moves to its place", () => {
  const peers = withPeer(withPeer(withPeer(noPeers, 1, 100), 2, 300), 2, 50);
  expect(peers).toEqual([
    { node: 1, mib: 100 },
    { node: 2, mib: 50 },
  ]);
  expect(peerMemory(peers, 2)).toBe(50);
  expect(peerMemory(peers, 9)).toBe(0);
});

test("taking one out leaves the given map as it was", () => {
  const peers = withPeer(withPeer(noPeers, 1, 100), 2, 300);
  expect(withoutPeer(peers, 2)).toEqual([{ node: 1, mib: 100 }]);
  expect(peers).toHaveLength(2);
});
