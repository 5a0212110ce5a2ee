import { wordsOf, wordsOfValue } from '../../description/names.js';
import type { Failure } from '../../graph/failure.js';
import { rowsAtHand } from '../../graph/use-rows.js';
import { LongTable, type Column } from '../../parts/long-table.js';
import { texts } from '../../texts.js';
import { FindingEntities, plainText } from '../../parts/findings/finding-text.js';
import { TONES } from '../../addresses/findings-search.js';
import type { Finding } from '../../parts/findings/read-findings.js';

interface FindingTableProps {
  /** Undefined until they are read. */
  readonly findings: readonly Finding[] | undefined;
  readonly failure: Failure | undefined;
  readonly isLoading: boolean;
  readonly open: (id: string) => void;
}

/** The findings; each opens with its proposed changes and its mute. */
export function FindingTable({ findings, failure, isLoading, open }: FindingTableProps) {
  const rows = rowsAtHand(findings, { failure, isLoading });
  return <LongTable label={texts.pages.findings} columns={columnsOf(open)} rows={rows} />;
}

const columnsOf = (open: (id: string) => void): readonly Column<Finding>[] => [
  {
    name: 'severity',
    title: wordsOf('severity'),
    width: '6rem',
    show: ({ severity }) => (
      <span className={`tag ${TONES[severity]}`}>{wordsOfValue(severity)}</span>
    ),
  },
  {
    name: 'text',
    title: texts.findings.one,
    width: 'minmax(18rem, 3fr)',
    show: (finding) => (
      <button
        type="button"
        className="link"
        title={plainText(finding)}
        onClick={() => {
          open(finding.findingId);
        }}
      >
        {plainText(finding)}
      </button>
    ),
  },
  {
    name: 'state',
    title: texts.findings.state,
    width: '9rem',
    show: ({ mute, changes }) => (
      <>
        {mute ? (
          <span className="tag" title={mute.reason}>
            {texts.findings.muted}
          </span>
        ) : null}{' '}
        {changes.length > 0 ? (
          <span className="dim">{texts.findings.changes(changes.length)}</span>
        ) : null}
      </>
    ),
  },
  {
    name: 'kind',
    title: wordsOf('kind'),
    width: '14rem',
    show: ({ kind }) => wordsOfValue(kind),
  },
  {
    name: 'entities',
    title: texts.findings.entities,
    width: 'minmax(12rem, 2fr)',
    show: (finding) => <FindingEntities finding={finding} most={3} />,
  },
];
