/** Effects of instances of one shape on the nodes of a kept cluster, computed again only for nodes that changed. */
import { at } from "./metrics.js";
import { ofBoth, ofPrimary } from "./role-components.js";
import { RoleEffects } from "./role-effects.js";

const ofSecondary: readonly number[] = [...ofBoth, at.reserved];

/** Effects by place, some of which may be out of date. */
export interface Stale {
  /** 1 for places whose figures have to be computed. */
  readonly isStale: Uint8Array;
}

/** Of instances on one node, by place (see `ScoreColumns`). About 210 bytes for each. */
export class SingleEffects implements Stale {
  readonly role: RoleEffects;
  readonly misfits: Int8Array;
  readonly isStale: Uint8Array;

  constructor(count: number) {
    this.role = new RoleEffects(count, ofPrimary);
    this.misfits = new Int8Array(count);
    this.isStale = new Uint8Array(count).fill(1);
  }
}

/** Of instances on two nodes, by place. About 320 bytes for each. */
export class KeptEffects implements Stale {
  readonly asPrimary: RoleEffects;
  readonly asSecondary: RoleEffects;
  /** The misfit as a primary, and as the secondary of an unrelated primary. */
  readonly primaryMisfits: Int8Array;
  readonly secondaryMisfits: Int8Array;
  /** 1 for secondaries whose reservation for some node that they share instances with would not fit. */
  readonly refusesSharing: Uint8Array;
  readonly isStale: Uint8Array;

  constructor(count: number) {
    this.asPrimary = new RoleEffects(count, ofPrimary);
    this.asSecondary = new RoleEffects(count, ofSecondary);
    this.primaryMisfits = new Int8Array(count);
    this.secondaryMisfits = new Int8Array(count);
    this.refusesSharing = new Uint8Array(count);
    this.isStale = new Uint8Array(count).fill(1);
  }
}

/** Shapes whose effects are kept; a shape beyond these takes the columns of the one that was used least recently. */
const shapesMax = 12;

/** Effects by shape of instance. */
export class EffectsByShape<T extends Stale> {
  /** In the order of their last use. */
  private readonly byShape = new Map<string, T>();

  constructor(private readonly make: () => T) {}

  /** @param shape text that is the same for all instances with the same effects */
  of(shape: string): T {
    const effects = this.byShape.get(shape) ?? this.made();
    this.byShape.delete(shape);
    this.byShape.set(shape, effects);
    return effects;
  }

  private made(): T {
    const [oldest] = this.byShape;
    if (oldest === undefined || this.byShape.size < shapesMax) return this.make();
    const [shape, effects] = oldest;
    this.byShape.delete(shape);
    effects.isStale.fill(1);
    return effects;
  }

  /** Notes that a place has changed. */
  touch(place: number): void {
    for (const { isStale } of this.byShape.values()) isStale[place] = 1;
  }
}
