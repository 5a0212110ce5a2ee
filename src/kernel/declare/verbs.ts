/** The kinds of writes of an entity. */
export type Verb = 'create' | 'replace' | 'update' | 'delete';

/** The actions of permissions; a replace counts as an update. */
export type Action = 'read' | 'create' | 'update' | 'delete';

const ACTIONS: Record<Verb, Action> = {
  create: 'create',
  replace: 'update',
  update: 'update',
  delete: 'delete',
};

export const actionOf = (verb: Verb): Action => ACTIONS[verb];
