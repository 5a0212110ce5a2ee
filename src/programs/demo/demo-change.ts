import { createHash } from 'node:crypto';
import type { ModelChangeInput, ModelType } from '../emitted/operations.js';

/** A change as `applyChanges` takes it. */
export type Change = ModelChangeInput & { readonly id: string };

/** Gives the id of an entity by its first name: it looks as other ids do, and is the same in every run. */
export const idOf = (type: ModelType, name: string): string =>
  createHash('sha256').update(`${type} ${name}`).digest('hex').slice(0, 12);

/** Gives the role that names one service. */
export const theService = (name: string): string => `@${idOf('service', name)}`;

export const creation = (type: ModelType, name: string, input: object): Change => ({
  operation: 'create',
  type,
  id: idOf(type, name),
  input: { name, ...input },
});

export const update = (type: ModelType, id: string, input: object): Change => ({
  operation: 'update',
  type,
  id,
  input,
});

export const deletion = (type: ModelType, id: string): Change => ({
  operation: 'delete',
  type,
  id,
});
