import { type ClusterPolicy, policyParameters } from "@ganeti-ts/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { defaultPolicy } from "./defaults.js";
import { type PolicyFigures, policyFault, specViolations } from "./policies.js";

const aPolicy = defaultPolicy(["plain", "drbd"]);
const fitting: PolicyFigures = {
  memoryMaxMib: 1024,
  vcpus: 2,
  nicCount: 1,
  spindleUse: 1,
  diskSizesMib: [2048],
  diskTypes: ["plain"],
};

test.each([
  { why: "what fits violates nothing", more: {}, texts: [] },
  {
    why: "memory below the range",
    more: { memoryMaxMib: 64 },
    texts: ["memory-size value 64 is not in range [128, 32768]"],
  },
  {
    why: "each disk is looked at",
    more: { diskSizesMib: [2048, 1], diskTypes: ["plain", "plain"] },
    texts: ["disk-size/1 value 1 is not in range [1024, 1048576]"],
  },
  {
    why: "a template that is not listed comes first",
    more: { diskTypes: ["file"], vcpus: 99 },
    texts: [
      "Disk template file is not allowed (allowed templates: plain, drbd)",
      "cpu-count value 99 is not in range [1, 8]",
    ],
  },
  {
    why: "without disks the template is diskless, and their number is not looked at",
    more: { diskSizesMib: [], diskTypes: [] },
    texts: ["Disk template diskless is not allowed (allowed templates plain, drbd)"],
  },
  { why: "what is not said is not looked at", more: { memoryMaxMib: undefined }, texts: [] },
])("$why", ({ more, texts }) => {
  expect(specViolations(aPolicy, { ...fitting, ...more })).toEqual(texts);
});

test("of several intervals that with the fewest violations speaks", () => {
  const [small] = aPolicy.minmax;
  if (small === undefined) throw new Error("a default interval");
  const large = {
    min: { ...small.min, "memory-size": 65536 },
    max: { ...small.max, "memory-size": 1e6 },
  };
  const policy: ClusterPolicy = { ...aPolicy, minmax: [large, small] };
  expect(specViolations(policy, { ...fitting, vcpus: 99 })).toEqual([
    "cpu-count value 99 is not in range [1, 8]",
  ]);
});

test("figures within any one interval violate nothing, and others something", () => {
  const bounds = fc
    .tuple(fc.nat(8), fc.integer({ min: 20, max: 70 }))
    .map(([low, more]) => [low, low + more] as const);
  const seen = { fits: 0, violates: 0 };
  fc.assert(
    fc.property(
      fc.array(fc.array(bounds, { minLength: 6, maxLength: 6 }), { minLength: 1, maxLength: 3 }),
      fc.array(fc.nat(60), { minLength: 5, maxLength: 5 }),
      (intervals, [memory = 0, cpu = 0, disk = 0, nics = 0, spindles = 0]) => {
        const specOf = (values: readonly (readonly [number, number])[], at: 0 | 1) =>
          Object.fromEntries(policyParameters.map((key, i) => [key, values[i]?.[at] ?? 0]));
        const minmax = intervals.map((one) => ({ min: specOf(one, 0), max: specOf(one, 1) }));
        const policy = { ...aPolicy, minmax } as unknown as ClusterPolicy;
        const values: Record<string, number> = {
          "memory-size": memory,
          "cpu-count": cpu,
          "disk-count": 1,
          "disk-size": disk,
          "nic-count": nics,
          "spindle-use": spindles,
        };
        const fits = minmax.some(({ min, max }) =>
          policyParameters.every(
            (key) => (values[key] ?? 0) >= (min[key] ?? 0) && (values[key] ?? 0) <= (max[key] ?? 0),
          ),
        );
        const found = specViolations(policy, {
          memoryMaxMib: memory,
          vcpus: cpu,
          nicCount: nics,
          spindleUse: spindles,
          diskSizesMib: [disk],
          diskTypes: ["plain"],
        });
        expect(found.length === 0).toBe(fits);
        seen[fits ? "fits" : "violates"]++;
      },
    ),
    { numRuns: 1000 },
  );
  expect(seen.fits).toBeGreaterThan(2);
  expect(seen.violates).toBeGreaterThan(100);
});

test.each([
  { why: "the default policy", more: {}, fault: undefined },
  { why: "unknown keys", more: { extra: 1 }, fault: "Invalid keys in ipolicy: extra" },
  { why: "no interval", more: { minmax: [] }, fault: "Empty minmax specifications" },
  {
    why: "half an interval",
    more: { minmax: [{ min: aPolicy.std }] },
    fault: "Missing instance specification: max",
  },
  {
    why: "incomplete bounds",
    more: { minmax: [{ min: { "memory-size": 1 }, max: aPolicy.std }] },
    fault:
      "Missing instance specs parameters for min: cpu-count, disk-count, disk-size, nic-count, spindle-use",
  },
  {
    why: "bounds the wrong way round",
    more: {
      minmax: [
        { min: { ...aPolicy.std, "memory-size": 10 }, max: { ...aPolicy.std, "memory-size": 5 } },
      ],
    },
    fault: "Invalid specification of min/max values for memory-size: 10/5",
  },
  {
    why: "std outside",
    more: { std: { ...aPolicy.std, "memory-size": 1 } },
    fault: "Invalid std specifications",
  },
  {
    why: "no template",
    more: { "disk-templates": [] },
    fault: "Instance policy must contain at least one disk template",
  },
  {
    why: "an unknown template",
    more: { "disk-templates": ["x"] },
    fault: "Invalid disk template(s) x",
  },
  {
    why: "a ratio that is no number",
    more: { "vcpu-ratio": "a" },
    fault: "Invalid value for key 'vcpu-ratio': 'a', error: no number",
  },
])("$why: $fault", ({ more, fault }) => {
  expect(policyFault({ ...aPolicy, ...more } as never, true)).toBe(fault);
});
