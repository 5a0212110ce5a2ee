import { counted, plain, quoted } from './plain.js';
import type { Finding } from './simulation.js';
import { sortedRows } from './table.js';

export const FINDING_HEAD: readonly string[] = ['severity', 'kind', 'text'];

export const SEVERITIES: readonly string[] = ['HIGH', 'MEDIUM', 'LOW'];

/** Findings as rows of a table, the worst first. */
export const findingRows = (findings: readonly Finding[]): (readonly string[])[] =>
  SEVERITIES.flatMap((severity) =>
    sortedRows(findings.filter((finding) => finding.severity === severity).map(row)),
  );

const row = (finding: Finding): string[] => [
  finding.severity,
  finding.kind,
  withNames(finding) + widening(finding),
];

const widening = ({ gained }: Finding): string =>
  gained === 0 ? '' : ` What it proposes gives access to ${counted(gained, 'more pair')}.`;

/** The text has ids, since names may change; whoever reads it here knows the names. */
function withNames({ text, entities }: Finding): string {
  const names = new Map(entities.flatMap(({ id, name }) => (name === null ? [] : [[id, name]])));
  return text
    .split(WORD)
    .map((word) => {
      const id = word.replace(/^@/, '');
      const name = names.get(id);
      return name === undefined ? plain(word) : `${word.slice(0, -id.length)}${quoted(name)}`;
    })
    .join('');
}

/** As ids are written, and the dot of a sentence is not one of theirs. */
const WORD = /(@?[0-9A-Za-z][0-9A-Za-z.-]{8,98}[0-9A-Za-z])/;
