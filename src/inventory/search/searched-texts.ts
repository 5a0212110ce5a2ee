import { isObject, textsOf, type JsonObject } from '../../base/row.js';
import { searchedAttributes, type MatchedBy } from '../../kernel/declare/searched.js';
import type { Resource } from '../../kernel/declare/resource.js';
import { attributeOf } from '../../kernel/declare/rows.js';

/** One text of an entity that searches compare with theirs. */
export interface SearchedText {
  readonly by: MatchedBy;
  readonly text: string;
  /** The name of the tag, if the text is a tag or its value. */
  readonly tag: string | undefined;
}

/** Receives one searched text of an entity; `tag` is the name of its tag. */
export type TextVisitor = (by: MatchedBy, text: string, tag?: string) => void;

/**
 * Gives the searched texts of an entity of one resource, from its values by the names of attributes.
 * It makes no list of them: a network has many.
 */
export type TextReader = (values: object, visit: TextVisitor) => void;

/**
 * Characters of the external ids and tags of one entity that are searched, since they are kept in
 * memory. The policy index keeps roles anyway, and an index of the database bounds names.
 */
export const MAX_CHARACTERS = 4_000;

/** Of two texts that match equally well, a hit shows the first. */
const ORDER: Readonly<Record<MatchedBy, number>> = {
  ID: 0,
  NAME: 1,
  EXTERNAL_ID: 2,
  ROLE_ATTRIBUTE: 3,
  TAG: 4,
};

const BOUNDED: ReadonlySet<MatchedBy> = new Set<MatchedBy>(['EXTERNAL_ID', 'TAG']);

export function textReader(resource: Resource): TextReader {
  const attributes = searchedAttributes(resource).sort((a, b) => ORDER[a.by] - ORDER[b.by]);
  return (values, visit) => {
    let remaining = MAX_CHARACTERS;
    const visitBounded: TextVisitor = (by, text, tag) => {
      const searched = text.slice(0, remaining);
      remaining -= searched.length;
      if (searched !== '') visit(by, searched, tag);
    };
    for (const { name, by } of attributes) {
      visitTexts(attributeOf(values, name), by, BOUNDED.has(by) ? visitBounded : visit);
    }
  };
}

function visitTexts(value: unknown, by: MatchedBy, visit: TextVisitor): void {
  if (typeof value === 'string') visit(by, value);
  else if (Array.isArray(value)) for (const role of textsOf(value)) visit(by, asRole(role));
  else if (isObject(value)) visitTags(value, by, visit);
}

function visitTags(tags: JsonObject, by: MatchedBy, visit: TextVisitor): void {
  for (const [tag, value] of Object.entries(tags)) {
    visit(by, tag, tag);
    if (typeof value === 'string') visit(by, value, tag);
  }
}

const SIGNS = ['#', '@'];

/** `#sales` for the attribute of an entity, as lists of roles name it; other roles as they are. */
const asRole = (text: string): string => (SIGNS.includes(text.charAt(0)) ? text : `#${text}`);

/** The searched texts of one entity as a list. */
export function textsOfEntity(read: TextReader, values: object): SearchedText[] {
  const texts: SearchedText[] = [];
  read(values, (by, text, tag) => texts.push({ by, text, tag }));
  return texts;
}
