/** The place of a claim as a JSON pointer, whose leading slash may be left out. */
export const claimsPointer = (claim: string): string =>
  claim.startsWith('/') ? claim : `/${claim}`;
