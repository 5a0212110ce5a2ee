import { failure, type ApiError } from '../../base/errors.js';

/** The refusal of a step that the state of a request, or its offer, does not allow. */
export const refusedStep = (reason: string): ApiError =>
  failure('ENTITY_CAN_NOT_BE_UPDATED', reason);
