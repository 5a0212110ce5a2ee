import { csvOf, saveFile } from '../../parts/save-file.js';
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
];

const cellsOf = (line: Line): readonly (string | null)[] => [
  line.identityId,
  line.identityName,
  line.serviceId,
  line.serviceName,
  line.type,
  line.policies.map(({ policyName }) => policyName).join('; '),
  line.lastUsedAt,
  line.decision,
  line.comment,
  line.decidedByName,
  line.decidedAt,
];

/** Saves all lines of a review as a file. */
export async function exportReview(id: string, format: 'csv' | 'json'): Promise<void> {
  const lines: Line[] = [];
  for await (const page of allLines({ id })) lines.push(...page);
  const text =
    format === 'csv' ? csvOf(HEADS, lines.map(cellsOf)) : JSON.stringify(lines, undefined, 2);
  saveFile(`review-${id}.${format}`, text);
}
