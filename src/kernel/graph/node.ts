import { Field, ID, InterfaceType } from 'type-graphql';
import type { SelectedEntity } from '../declare/rows.js';

/** An entity with an id that is unique over all types. Every resource implements it. */
@InterfaceType('Node', {
  description: 'An entity of any type with an id that is unique over all types.',
})
export abstract class Node {
  @Field(() => ID, { description: 'Id for the query `node`, unique over all types.' })
  readonly nodeId!: string;
}

/** `Type:id` in base64url. */
export const nodeIdOf = (type: string, { id }: SelectedEntity): string =>
  Buffer.from(`${type}:${id}`).toString('base64url');

/** The type and the id that a global id stands for. */
export function parseNodeId(nodeId: string): { type: string; id: string } | undefined {
  const [, type, id] = /^(\w+):(.+)$/s.exec(Buffer.from(nodeId, 'base64url').toString()) ?? [];
  return type === undefined || id === undefined ? undefined : { type, id };
}
