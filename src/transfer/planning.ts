import type { RequestContext } from '../kernel/request/context.js';
import type { JsonObject } from '../base/row.js';
import type { DisabledState } from '../auth/index.js';
import type { Draft } from './draft.js';
import type { Entry, Faults } from './fault.js';
import type { UniqueValue } from '../kernel/declare/resource.js';

export type Action = 'created' | 'updated' | 'unchanged' | 'skipped';

/** What becomes of one entity of a document. */
export interface Outcome {
  readonly entry: Entry;
  readonly action: Action;
}

/** One run of the write pipeline. */
export interface Operation {
  readonly entry: Entry;
  readonly verb: 'create' | 'replace';
  readonly id: string;
  /** Undefined: only the state changes. */
  readonly input: JsonObject | undefined;
  /** Attributes beyond input: whether an identity is disabled. */
  readonly state: DisabledState | undefined;
}

export interface Plan {
  readonly outcomes: Outcome[];
  readonly operations: Operation[];
  readonly faults: Faults;
  /** Members of the document that mean nothing here. */
  readonly ignored: string[];
}

/** What is being worked on while a document is planned. */
export interface Planning extends Plan {
  readonly ctx: RequestContext;
  readonly draft: Draft;
  /** Of entities that have faults: what names them is not judged further. */
  readonly faultyIds: Set<string>;
  /** Identities that come with routers of the document. */
  readonly broughtByRouter: Set<string>;
  /** Operations that have to wait until everything exists. */
  readonly last: Operation[];
  readonly uses: UniqueUse[];
}

/** A value that an entity of the document will hold alone. */
export interface UniqueUse {
  readonly entry: Entry;
  readonly unique: UniqueValue;
  readonly id: string;
  readonly value: string;
}
