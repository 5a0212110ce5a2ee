import { Admission } from '../../src/graph/index.js';
import { RequestLimits, type LimitSettings } from '../../src/requests/limits/index.js';
import type { InProcess } from './in-process.js';

const UNLIMITED: LimitSettings = {
  addressRate: 0,
  sessionRate: 0,
  concurrency: 0,
  requestMs: 60_000,
  connections: 0,
  addressConnections: 0,
  graphqlBudget: 0,
};

/** Limits of a controller in the test's process: none but those given. */
export const limitsOf = (
  settings: Partial<LimitSettings> = {},
  now?: () => number,
  isShared = false,
): RequestLimits => new RequestLimits({ ...UNLIMITED, ...settings }, now, isShared);

/** What stands before the documents of such a controller. */
export const admissionOf = (controller: InProcess, limits: RequestLimits = limitsOf()): Admission =>
  new Admission({ schema: controller.schema, contexts: controller.parts.contexts, limits });
