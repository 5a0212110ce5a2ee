import type { SelectedEntity } from './rows.js';
import type { Verb } from './verbs.js';

/** What REST documents and bodies show of a resource beyond its attributes. */
export interface RestOptions {
  /** Writes that others may stand in the way of, who use the entity or are of the same kind: 409. */
  readonly conflicts?: readonly Verb[];
  /** A body names entities inside nested values: 404 where there is no such entity. */
  readonly namesOthers?: true;
  /** Documents say 403 of its deletion, not 400, as clients know it. */
  readonly forbidsDeletion?: true;
  /** Links that depend on the entity: name -> path. */
  links?(entity: SelectedEntity): Readonly<Record<string, string>>;
}

export interface Link {
  readonly href: string;
}

/** Relative links, as clients resolve them against the base path themselves. */
export const link = (path: string): Link => ({ href: `./${path}` });

export interface EntityReference {
  readonly _links: Readonly<Record<string, Link>>;
  readonly entity: string;
  readonly id: string;
  readonly name: string;
}

/** How REST bodies name another entity. */
export const entityReference = (collection: string, id: string, name: string): EntityReference => ({
  _links: { self: link(`${collection}/${id}`) },
  entity: collection,
  id,
  name,
});
