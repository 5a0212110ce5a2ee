import type { SelectedEntity } from './rows.js';
import type { Verb } from './verbs.js';

/** A REST interface; each has a base path. */
export type Interface = 'client' | 'management' | 'fabric';

/** Facts about a resource for REST documents and bodies, beside its attributes. */
export interface RestOptions {
  /** Verbs that can answer 409: another entity uses this one, or has the same unique value. */
  readonly conflicts?: readonly Verb[];
  /** A body names entities inside nested values: an unknown one is 404. */
  readonly namesOthers?: true;
  /** The OpenAPI documents list 403 for its deletion, not 400, as clients expect. */
  readonly forbidsDeletion?: true;
  /** The name of the schema of bodies, if it differs from that of the resource. */
  readonly title?: string;
  /** Attributes that it shares with other resources, but that its bodies neither show nor accept. */
  readonly lacks?: readonly string[];
  /** Bodies have no `_links`. */
  readonly noLinks?: true;
  /** Links that depend on the entity: name -> path. */
  links?(entity: SelectedEntity): Readonly<Record<string, string>>;
}

export interface Link {
  readonly href: string;
}

/** Makes a relative link, which clients resolve against the base path. */
export const link = (path: string): Link => ({ href: `./${path}` });

export interface EntityReference {
  readonly _links: Readonly<Record<string, Link>>;
  readonly entity: string;
  readonly id: string;
  readonly name: string;
}

/** Makes the reference to another entity in REST bodies. */
export const entityReference = (collection: string, id: string, name: string): EntityReference => ({
  _links: { self: link(`${collection}/${id}`) },
  entity: collection,
  id,
  name,
});
