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
