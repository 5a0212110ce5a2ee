import { GraphQLInt } from 'graphql';

/** The length of the lists in the answer. */
export const FIRST = {
  first: {
    type: GraphQLInt,
    description:
      'Number of entries of each list: default 25, at most 500. Counts are always exact.',
  },
};
