import { ACCESS_TYPE } from '../../../kernel/declare/resource.js';
import { outputType } from '../../../kernel/graph/graphql-types.js';

/** Dialing or hosting. */
export const ACCESS = outputType(ACCESS_TYPE);
