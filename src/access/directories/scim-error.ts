import { ApiError } from '../../base/errors.js';

/** The kinds of faults that RFC 7644 3.12 names. */
export type ScimType =
  | 'invalidFilter'
  | 'invalidPath'
  | 'invalidSyntax'
  | 'invalidValue'
  | 'mutability'
  | 'noTarget'
  | 'uniqueness';

/** A refusal in the words of SCIM. */
export class ScimError extends Error {
  constructor(
    readonly status: 400 | 403 | 404 | 409,
    readonly scimType: ScimType | undefined,
    detail: string,
  ) {
    super(detail);
    this.name = 'ScimError';
  }
}

export const invalidValue = (detail: string): ScimError =>
  new ScimError(400, 'invalidValue', detail);

export const taken = (attribute: string): ScimError =>
  new ScimError(409, 'uniqueness', `${attribute} is in use`);

export const unknownResource = (id: string): ScimError =>
  new ScimError(404, undefined, `there is no resource ${id}`);

/**
 * A write whose values other requests may take at the same time, which the database finds out.
 * @param attribute the attribute whose value makes the resource unique, beside its external id
 */
export async function refusingDuplicates<T>(attribute: string, write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (!(error instanceof ApiError) || error.duplicate === undefined) throw error;
    throw taken(error.duplicate === 'externalId' ? 'externalId' : attribute);
  }
}
