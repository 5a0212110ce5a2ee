/* For some input of strangers, regular expressions of libraries for PEM texts take quadratic time. */

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Gives the bytes between the lines of a PEM block (RFC 7468 2), undefined unless they are base64. */
export function decodePemBody(body: string): Buffer | undefined {
  // Blanks are removed first: an expression that allows them anywhere would take quadratic time.
  const base64 = body.replace(/\s/g, '');
  return BASE64.test(base64) ? Buffer.from(base64, 'base64') : undefined;
}
