import { kebabCase } from '../../base/names.js';
import type { EntityKind } from './named.js';

/** The kinds of entities with role attributes. */
export const ATTRIBUTE_KINDS = [
  'identity',
  'service',
  'edgeRouter',
  'postureCheck',
] as const satisfies readonly EntityKind[];

/** The kinds as words of the command line: `edge-router`. */
export const ATTRIBUTE_KIND_WORDS: readonly string[] = ATTRIBUTE_KINDS.map(kebabCase);
