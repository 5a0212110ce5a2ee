import { createHash } from 'node:crypto';

/** The kinds of entities that a list of changes may contain, as far as the company has them. */
export type ChangedType =
  | 'config'
  | 'edgeRouter'
  | 'edgeRouterPolicy'
  | 'identity'
  | 'postureCheck'
  | 'service'
  | 'serviceEdgeRouterPolicy'
  | 'servicePolicy';

/** A change as `applyChanges` takes it. */
export interface Change {
  readonly operation: 'create' | 'update' | 'delete';
  readonly type: ChangedType;
  readonly id: string;
  readonly input?: object;
}

/** Gives the id of an entity by its first name: it looks as other ids do, and is the same in every run. */
export const idOf = (type: ChangedType, name: string): string =>
  createHash('sha256').update(`${type} ${name}`).digest('hex').slice(0, 12);

/** Gives the role that names one service. */
export const theService = (name: string): string => `@${idOf('service', name)}`;

export const creation = (type: ChangedType, name: string, input: object): Change => ({
  operation: 'create',
  type,
  id: idOf(type, name),
  input: { name, ...input },
});

export const update = (type: ChangedType, id: string, input: object): Change => ({
  operation: 'update',
  type,
  id,
  input,
});

export const deletion = (type: ChangedType, id: string): Change => ({
  operation: 'delete',
  type,
  id,
});
