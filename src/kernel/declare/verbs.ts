/** How an entity is written. */
export type Verb = 'create' | 'replace' | 'update' | 'delete';

/** What permissions tell apart: replacing is updating. */
export type Action = 'read' | 'create' | 'update' | 'delete';

const ACTIONS: Record<Verb, Action> = {
  create: 'create',
  replace: 'update',
  update: 'update',
  delete: 'delete',
};

export const actionOf = (verb: Verb): Action => ACTIONS[verb];
