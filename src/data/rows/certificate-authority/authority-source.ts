/** The source of the role assignments that the X509-SVIDs of an authority give. */
export const sourceOfAuthority = (authorityId: string): string => `authority:${authorityId}`;
