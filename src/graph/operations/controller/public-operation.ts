import { BOTH, type RestOperation } from '../../../kernel/graph/rest-operation.js';

/** A REST operation without a session, with the same answer for all callers. */
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
