/** An entity as its `ETag` names it. */
interface TaggedEntity {
  readonly id: string;
  readonly revision: number;
}

/**
 * The `ETag` of an entity (RFC 9110 8.8.3). It has the id, too, so that the tag of another entity of
 * the same revision does not match: `"7.wiki"`.
 */
export const entityTag = ({ id, revision }: TaggedEntity): string => `"${String(revision)}.${id}"`;

const TAG = /^\s*(?:W\/)?"(\d{1,9})(?:\.([^"]+))?"\s*$/;

/** Below each revision: no entity has it. */
const NO_REVISION = -1;

/**
 * The revision that an `If-Match` header asks of the entity with an id; undefined: any. `"7"` alone is
 * a revision as the graph shows it. Any other tag, such as that of another entity, matches none.
 */
export function revisionIn(ifMatch: unknown, entityId: string): number | undefined {
  if (typeof ifMatch !== 'string' || ifMatch.trim() === '*') return undefined;
  const [, revision, id = entityId] = TAG.exec(ifMatch) ?? [];
  return revision === undefined || id !== entityId ? NO_REVISION : Number(revision);
}
