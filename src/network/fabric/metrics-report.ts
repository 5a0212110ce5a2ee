import type { Metric } from '../../data/rows/router/index.js';

/** The bytes of a circuit in an interval of about a minute, as a router has counted them. */
export interface UsageReport {
  readonly circuitId: string;
  readonly startedAt: Date;
  readonly seconds: number;
  /** By the side of the router and the direction, such as `ingress.rx`. */
  readonly bytes: Readonly<Record<string, number>>;
  readonly tags: Readonly<Record<string, string>>;
}

/** The measurements and counts of a router, about once a minute. */
export interface MetricsReport {
  readonly routerId: string;
  readonly measuredAt: Date;
  readonly tags: Readonly<Record<string, string>>;
  readonly metrics: readonly Metric[];
  readonly usage: readonly UsageReport[];
  /** Another controller has made the events of it. */
  readonly isRepeated: boolean;
}
