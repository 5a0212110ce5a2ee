/* Expressions of libraries for whole PEM texts take quadratic time on some that strangers send. */

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** The bytes between the lines of a PEM block (RFC 7468 2), undefined when they are not base64. */
export function decodePemBody(body: string): Buffer | undefined {
  // Blanks go first: an expression that allowed them anywhere would take quadratic time on many.
  const base64 = body.replace(/\s/g, '');
  return BASE64.test(base64) ? Buffer.from(base64, 'base64') : undefined;
}
