/** The permissions to read all that access is made of. */
export const ACCESS_READS: readonly string[] = [
  'identity',
  'service',
  'service-policy',
  'router',
  'edge-router-policy',
  'service-edge-router-policy',
  'posture-check',
].map((entity) => `${entity}.read`);
