import { ArgsType, Field, ID, Int, ObjectType } from 'type-graphql';
import { nounWithArticle } from '../../../base/names.js';
import {
  MATCH_MEANINGS,
  searchedAttributes,
  searchedResources,
  type MatchedBy,
} from '../../../kernel/declare/searched.js';
import { enumOf } from '../../../kernel/graph/graphql-types.js';
import { connectionType } from '../../../kernel/graph/list-types.js';
import { catalog } from '../../../resources/index.js';
import { MAX_TEXT_LENGTH, MAX_COUNTED } from '../../../inventory/search/index.js';

/** Types of searches. */

/** `issuer` of an external JWT signer; `fingerprint` of an edge router, a transit router; … */
function externalIds(): string {
  const holders = new Map<string, string[]>();
  for (const resource of searchedResources(catalog)) {
    for (const { name, by } of searchedAttributes(resource)) {
      if (by !== 'EXTERNAL_ID') continue;
      holders.set(name, [...(holders.get(name) ?? []), nounWithArticle(resource.name)]);
    }
  }
  return [...holders].map(([name, nouns]) => `\`${name}\` of ${nouns.join(', ')}`).join('; ');
}

const SEARCH_MATCH = enumOf(
  'SearchMatch',
  {
    ...MATCH_MEANINGS,
    EXTERNAL_ID: `${MATCH_MEANINGS.EXTERNAL_ID} These are ${externalIds()}.`,
  } satisfies Record<MatchedBy, string>,
  'The part of an entity that matches a search.',
);

@ObjectType({ description: 'An entity that a search finds.', simpleResolvers: true })
export class SearchHit {
  @Field(() => String, { description: 'The kind of entity: the name of its type in the graph.' })
  type!: string;

  @Field(() => ID, { description: 'Id of the entity.' })
  entityId!: string;

  @Field(() => String, {
    nullable: true,
    description: 'Its name; null if entities of its type have no names.',
  })
  name!: string | null;

  @Field(() => SEARCH_MATCH as never, {
    description: 'What matches best; the order of hits depends on it.',
  })
  matchedBy!: MatchedBy;

  @Field(() => String, {
    description:
      'The whole text that matches: the name, the id, the role with its sign, the name of the tag or its value.',
  })
  matchedText!: string;

  @Field(() => String, {
    nullable: true,
    description: 'The name of the tag that matches, by its name or its value; else null.',
  })
  tag!: string | null;
}

const COUNTED = MAX_COUNTED.toLocaleString('en');

@ArgsType()
export class SearchArgs {
  @Field(() => String, {
    description: `The text to search for: 1 to ${String(MAX_TEXT_LENGTH)} characters without the spaces around it. All characters stand for themselves.`,
  })
  text!: string;

  @Field(() => [String], {
    nullable: true,
    description:
      'Only entities of these types; default: all types that the caller may read. Of a type that it may read in part, it finds that part.',
  })
  types?: readonly string[];

  @Field(() => Int, {
    nullable: true,
    description: 'Page size from the start, 0 to 500, default 25.',
  })
  first?: number;

  @Field(() => String, { nullable: true, description: 'Only hits after this cursor.' })
  after?: string;

  @Field(() => Int, {
    nullable: true,
    description: `Number of hits to skip first, at most ${COUNTED}.`,
  })
  offset?: number;

  @Field(() => Int, {
    nullable: true,
    description: 'Page size by the rules of the REST interface; -1 is refused.',
  })
  limit?: number;
}

export const SearchHitConnection = connectionType('SearchHit', () => SearchHit, {
  nodes: [() => [SearchHit], 'The hits of this page.'],
  totalCount: [
    () => Int,
    `Number of hits on all pages together, counted up to ${COUNTED}: see \`isTotalExact\`.`,
  ],
  isTotalExact: [
    () => Boolean,
    `Whether \`totalCount\` is exact. It is false if there are more hits than ${COUNTED}.`,
  ],
});
