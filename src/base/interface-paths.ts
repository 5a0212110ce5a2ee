/** The paths of the REST interfaces, with which all of their addresses begin. */
export const BASE_PATHS = {
  client: '/edge/client/v1',
  management: '/edge/management/v1',
  fabric: '/fabric/v1',
} as const;
