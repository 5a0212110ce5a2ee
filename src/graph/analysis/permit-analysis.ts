import type { RequestContext } from '../../kernel/request/context.js';
import { may, permit } from '../../kernel/declare/permissions.js';

/** The permissions of the entities that decide access. */
const ACCESS_ENTITIES = [
  'identity',
  'service',
  'service-policy',
  'router',
  'edge-router-policy',
  'service-edge-router-policy',
  'posture-check',
];

/** Requires the permission to read all entities that decide access, and further ones. */
export function permitAnalysis(ctx: RequestContext, ...further: readonly string[]): void {
  for (const entity of [...ACCESS_ENTITIES, ...further]) permit(ctx, may(entity, 'read'));
}
