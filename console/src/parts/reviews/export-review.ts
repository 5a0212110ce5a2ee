import { csvOf, harmless, saveFile } from '../save-file.js';
import { allLines, type Line } from './read-lines.js';

const HEADS = [
  'identityId',
  'identity',
  'serviceId',
  'service',
  'type',
  'policies',
  'lastUsedAt',
  'decision',
  'comment',
  'decidedBy',
  'decidedAt',
  'assignmentsUntil',
];

const cellsOf = (line: Line): readonly (string | null)[] => [
  line.identityId,
  harmless(line.identityName),
  line.serviceId,
  harmless(line.serviceName),
  line.type,
  harmless(line.policies.map(({ policyName }) => policyName).join('; ')),
  line.lastUsedAt,
  line.decision,
  harmless(line.comment),
  harmless(line.decidedByName),
  line.decidedAt,
  line.assignmentsUntil,
];

/** Saves all lines of a review as a file. */
export async function exportReview(id: string, format: 'csv' | 'json'): Promise<void> {
  const lines: Line[] = [];
  for await (const page of allLines({ id })) lines.push(...page);
  const content =
    format === 'csv'
      ? csvOf(HEADS, lines.map(cellsOf))
      : new Blob([JSON.stringify(lines, undefined, 2)], { type: 'application/json' });
  saveFile(`review-${id}.${format}`, content);
}
