import type { RequestContext } from '../../kernel/request/context.js';
import { may, permit } from '../../kernel/declare/permissions.js';

/** The entities that access is made of, by the names of their permissions. */
const PARTS = [
  'identity',
  'service',
  'service-policy',
  'router',
  'edge-router-policy',
  'service-edge-router-policy',
  'posture-check',
];

/** Answers about the network as a whole take reading all that access is made of, and maybe more. */
export function permitAnalysis(ctx: RequestContext, ...more: readonly string[]): void {
  for (const entity of [...PARTS, ...more]) permit(ctx, may(entity, 'read'));
}
