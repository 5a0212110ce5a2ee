import type { Finding, Severity } from '../emitted/operations.js';
import { counted, plain, quoted } from './plain.js';
import { sortedRows } from './text-table.js';

export const FINDING_HEAD: readonly string[] = ['severity', 'kind', 'text'];

/** With ids, by which findings are muted. */
export const LISTED_HEAD: readonly string[] = ['severity', 'kind', 'id', 'text'];

export const SEVERITIES: readonly Severity[] = ['HIGH', 'MEDIUM', 'LOW'];

/** Findings as rows of a table, the worst first. */
export const findingRows = (findings: readonly Finding[]): (readonly string[])[] =>
  worstFirst(findings, row);

/** The same with their ids, which do not enter the order. */
export const listedRows = (findings: readonly Finding[]): (readonly string[])[] =>
  worstFirst(findings, (finding) => [...row(finding), finding.id]).map(
    ([severity = '', kind = '', text = '', id = '']) => [severity, kind, id, text],
  );

const worstFirst = (
  findings: readonly Finding[],
  rowOf: (finding: Finding) => readonly string[],
): (readonly string[])[] =>
  SEVERITIES.flatMap((severity) =>
    sortedRows(findings.filter((finding) => finding.severity === severity).map(rowOf)),
  );

const row = (finding: Finding): string[] => [
  finding.severity,
  finding.kind,
  withNames(finding) + widening(finding) + muting(finding),
];

const widening = ({ gained }: Finding): string =>
  gained === 0 ? '' : ` The proposed change gives access to ${counted(gained, 'more pair')}.`;

function muting({ mute }: Finding): string {
  if (mute === null) return '';
  const { reason, mutedUntil, mutedBy } = mute;
  const by = mutedBy === null ? '' : ` by ${quoted(mutedBy.name)}`;
  const end = mutedUntil === null ? '' : ` until ${mutedUntil}`;
  return ` Muted${by}${end}: ${plain(reason)}`;
}

/** The text has ids, since names may change. Readers of the table know the names. */
function withNames({ text, entities }: Finding): string {
  const names = new Map(entities.flatMap(({ id, name }) => (name === null ? [] : [[id, name]])));
  if (names.size === 0) return plain(text);
  return text
    .split(wordsLike([...names.keys()]))
    .map((part, i) => (i % 2 === 1 ? quoted(names.get(part) ?? part) : plain(part)))
    .join('');
}

/** The ids as whole words, also in roles; the dot of a sentence is not one of theirs. */
function wordsLike(ids: readonly string[]): RegExp {
  const choices = ids.map((id) => id.replaceAll(/[^0-9A-Za-z]/g, String.raw`\$&`));
  return new RegExp(String.raw`(?<![^\s@(])(${choices.join('|')})(?=[.,:)]*(?:\s|$))`);
}
