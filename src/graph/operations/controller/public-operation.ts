import { BOTH, type RestOperation } from '../../../kernel/graph/rest-operation.js';

/** What anybody may read on REST. The answer is the same for all. */
export const publicOperation = (
  path: string,
  operationId: string,
): Pick<RestOperation, 'on' | 'method' | 'path' | 'operationId' | 'tag' | 'isPublic'> => ({
  on: BOTH,
  method: 'GET',
  path,
  operationId,
  tag: 'information',
  isPublic: true,
});
