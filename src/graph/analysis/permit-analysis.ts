import type { RequestContext } from '../../kernel/request/context.js';
import { may, permit, permits, type Permission } from '../../kernel/declare/permissions.js';

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

const reading = (further: readonly string[]): Permission[] =>
  [...ACCESS_ENTITIES, ...further].map((entity) => may(entity, 'read'));

/** Requires the permission to read all entities that decide access, and further ones. */
export function permitAnalysis(ctx: RequestContext, ...further: readonly string[]): void {
  for (const permission of reading(further)) permit(ctx, permission);
}

/** The entities that findings show beside those that decide access. */
const OF_FINDINGS = ['ca', 'auth-policy'];

export function permitFindings(ctx: RequestContext): void {
  permitAnalysis(ctx, ...OF_FINDINGS);
}

export const permitsFindings = ({ caller }: Pick<RequestContext, 'caller'>): boolean =>
  reading(OF_FINDINGS).every((permission) => permits(caller, permission));
