import { GraphQLError, GraphQLScalarType, Kind } from 'graphql';
import { GraphQLDateTimeISO } from 'graphql-scalars';
import { instantOf } from './instant.js';

/** Reads what the checks of bodies read, so that no value passes one door alone. */
function parseInstant(value: unknown): Date {
  const instant = instantOf(value);
  if (!Number.isNaN(instant.getTime())) return instant;
  throw new GraphQLError('DateTime must be a text of RFC 3339');
}

/** An instant; its texts are those of RFC 3339. */
export const DateTime = new GraphQLScalarType({
  ...GraphQLDateTimeISO.toConfig(),
  name: 'DateTime',
  description:
    'An instant as text of RFC 3339, in UTC with milliseconds: `2030-01-31T12:00:00.000Z`. Other time zones are accepted and converted to UTC.',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time',
  parseValue: parseInstant,
  parseLiteral: (node) => parseInstant(node.kind === Kind.STRING ? node.value : undefined),
});
