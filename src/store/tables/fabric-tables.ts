import { columnOfType as column, table } from '../../kernel/declare/table.js';

/** Tables of what routers carry. */
export const fabricTables = [
  /** The circuits between routers, so that a controller that takes over knows them. */
  table(
    'circuit',
    {
      id: column('text'),
      sessionId: column('text', { index: 'btree' }),
      serviceId: column('text'),
      identityId: column('text'),
      hostId: column('text'),
      terminatorId: column('text'),
      /** From the router of the client to that of the host. */
      routerIds: column('texts'),
      linkIds: column('texts'),
      ingress: column('text'),
      egress: column('text'),
      binding: column('text'),
      createdAt: column('time'),
    },
    { key: ['id'], isUnlogged: true },
  ),
];
