import type { RequestContext } from '../../kernel/request/context.js';
import type { JsonObject } from '../../base/row.js';
import type { DisabledState } from '../../trust/auth/index.js';
import type { Draft } from './draft.js';
import type { Entry, Faults } from './fault.js';

export type Action = 'created' | 'updated' | 'unchanged' | 'skipped';

/** The result for one entity of a document. */
export interface Outcome {
  readonly entry: Entry;
  readonly action: Action;
}

/** One run of the write pipeline. */
export interface Operation {
  readonly entry: Entry;
  readonly verb: 'create' | 'replace';
  readonly id: string;
  /** Undefined when only the state changes. */
  readonly input: JsonObject | undefined;
  /** The members of the input that differ from the present entity; all those of a new one. */
  readonly changed: readonly string[];
  /** The present revision; undefined for a new entity. */
  readonly revision: number | undefined;
  /** State beyond the input: whether an identity is disabled. */
  readonly state: DisabledState | undefined;
}

export interface Plan {
  readonly outcomes: Outcome[];
  readonly operations: Operation[];
  readonly faults: Faults;
  /** Members of the document that the import ignores. */
  readonly ignored: string[];
}

/** The working data while a document is planned. */
export interface Planning extends Plan {
  readonly ctx: RequestContext;
  readonly draft: Draft;
  /** The ids of entities with faults; entities that name them are not checked further. */
  readonly faultyIds: Set<string>;
  /** Identities that are created with routers of the document. */
  readonly broughtByRouter: Set<string>;
  /** Operations that must wait until all entities exist. */
  readonly last: Operation[];
  readonly uses: UniqueUse[];
}

/** A unique value of an entity of the document. */
export interface UniqueUse {
  readonly entry: Entry;
  readonly attribute: string;
  /** The member of the entity that gives it. */
  readonly member: string;
  readonly id: string;
  readonly value: string;
}
