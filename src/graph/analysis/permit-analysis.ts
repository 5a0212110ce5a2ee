import type { RequestContext } from '../../kernel/request/context.js';
import { may, permit, permits } from '../../kernel/declare/permissions.js';

/** The entities that decide access, by the words of their permissions. */
export const ACCESS_ENTITIES = [
  'identity',
  'service',
  'service-policy',
  'router',
  'edge-router-policy',
  'service-edge-router-policy',
  'posture-check',
];

/** Requires the permission to read all entities that decide access. */
export function permitAnalysis(ctx: RequestContext): void {
  for (const entity of ACCESS_ENTITIES) permit(ctx, may(entity, 'read'));
}

/** The entities that findings are about. */
export const FINDING_ENTITIES = [...ACCESS_ENTITIES, 'ca', 'auth-policy'];

export const permitsFindings = ({ caller }: Pick<RequestContext, 'caller'>): boolean =>
  FINDING_ENTITIES.every((entity) => permits(caller, may(entity, 'read')));
