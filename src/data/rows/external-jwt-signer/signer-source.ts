/** The source of the role assignments that the JWTs of a signer give. */
export const sourceOfSigner = (signerId: string): string => `signer:${signerId}`;
