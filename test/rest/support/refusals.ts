import type { Answer, Envelope } from '../../support/controller.js';

/** How an answer refuses: status, code and the field that is at fault. */
export function refusal({ status, body }: Answer<Envelope>): unknown[] {
  const { code, cause } = body.error;
  return cause?.field === undefined ? [status, code] : [status, code, cause.field];
}

export const invalid = (field: string): unknown[] => [400, 'COULD_NOT_VALIDATE', field];

export const NOT_FOUND = [404, 'NOT_FOUND'];
export const IN_USE = [409, 'CAN_NOT_DELETE_REFERENCED_ENTITY'];
