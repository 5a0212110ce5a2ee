import { ModuleKey } from '../kernel/request/context.js';

/** What this controller says of itself. */
export interface ControllerFacts {
  /** `host:port` where clients reach it. */
  readonly advertise: string;
  readonly version: string;
  readonly revision: string;
  /** `year-month-day hour:minute:second` */
  readonly buildDate: string;
  /** New with every start; clients read the version again when it changes. */
  readonly instanceId: string;
}

export const FACTS = new ModuleKey<ControllerFacts>('facts');

/** The OpenAPI documents of the REST interfaces, by id. */
export const SPECS = new ModuleKey<ReadonlyMap<string, object>>('specs');
