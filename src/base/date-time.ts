import { GraphQLScalarType } from 'graphql';
import { GraphQLDateTimeISO } from 'graphql-scalars';

/** An instant; its texts are those of RFC 3339. */
export const DateTime = new GraphQLScalarType({
  ...GraphQLDateTimeISO.toConfig(),
  name: 'DateTime',
  description:
    'An instant as text of RFC 3339, in UTC with milliseconds: `2030-01-31T12:00:00.000Z`. Other time zones are accepted and converted to UTC.',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time',
});
