import { useState } from 'react';
import { wordsOfValue } from '../../description/names.js';
import { useLiveRows } from '../../graph/use-live.js';
import { EntityLink } from '../entity-link.js';
import { PolicyLinks } from '../entity-links.js';
import { Instant } from '../instant.js';
import { LongTable, type Column } from '../long-table.js';
import { texts } from '../../texts.js';
import { readLines, type Decision, type Line } from './read-lines.js';

/** The promise fails when the decision could not be stored. */
type Decide = (line: Line, decision: Decision) => Promise<void>;

interface LineTableProps {
  readonly id: string;
  /** Only lines with this decision. */
  readonly decision: Decision | undefined;
  /** Grows when decisions were stored. */
  readonly round: number;
  /** Undefined: nobody may decide here. */
  readonly decide: Decide | undefined;
  /** Opens the details of the decision. */
  readonly open: Open | undefined;
}

type Open = (line: Line) => void;

/** The lines of a review with their reasons, last uses and decisions. */
export function LineTable({ id, decision, round, decide, open }: LineTableProps) {
  const rows = useLiveRows(
    `lines ${id} ${decision ?? ''}`,
    (part) => readLines({ id, decision }, part),
    round,
  );
  return (
    <LongTable label={texts.reviews.lines} columns={columnsOf({ decide, open })} rows={rows} />
  );
}

const DECISIONS: readonly Decision[] = ['UNDECIDED', 'KEEP', 'REVOKE'];

const DECIDED: Column<Line> = {
  name: 'decided',
  title: texts.reviews.decided,
  width: 'minmax(6rem, 1fr)',
  show: (line) => <Decided line={line} />,
};

const columnsOf = ({
  decide,
  open,
}: Pick<LineTableProps, 'decide' | 'open'>): readonly Column<Line>[] => [
  {
    name: 'identity',
    title: texts.reviews.identity,
    width: 'minmax(6rem, 1fr)',
    show: (line) => <EntityLink type="Identity" id={line.identityId} name={line.identityName} />,
  },
  {
    name: 'service',
    title: texts.reviews.service,
    width: 'minmax(6rem, 1fr)',
    show: (line) => <EntityLink type="Service" id={line.serviceId} name={line.serviceName} />,
  },
  { name: 'type', title: texts.reviews.type, width: '4rem', show: ({ type }) => type },
  {
    name: 'policies',
    title: texts.reviews.policies,
    width: 'minmax(7rem, 1.5fr)',
    show: ({ policies }) => <PolicyLinks policies={policies} />,
  },
  {
    name: 'lastUsed',
    title: texts.reviews.lastUsed,
    width: '7rem',
    show: ({ lastUsedAt }) => <Instant at={lastUsedAt} isRelative />,
  },
  {
    name: 'decision',
    title: texts.reviews.decision,
    width: decide ? '8rem' : '5rem',
    show: (line) =>
      decide ? <DecisionField line={line} decide={decide} /> : wordsOfValue(line.decision),
  },
  {
    name: 'comment',
    title: texts.reviews.comment,
    width: 'minmax(7rem, 1.5fr)',
    show: (line) =>
      open ? <CommentButton line={line} open={open} /> : (line.comment ?? texts.none),
  },
  {
    name: 'assignments',
    title: texts.reviews.assignments,
    width: '8rem',
    show: (line) => <Assignments line={line} open={open} />,
  },
  // The details of an open review have it.
  ...(open ? [] : [DECIDED]),
];

/** The author and the time of a decision. */
function Decided({ line: { decidedByName, decidedAt } }: { readonly line: Line }) {
  if (decidedAt === null) return <>{texts.none}</>;
  return (
    <>
      {decidedByName ?? texts.none}, <Instant at={decidedAt} isRelative />
    </>
  );
}

interface CommentButtonProps {
  readonly line: Line;
  readonly open: Open;
}

function CommentButton({ line, open }: CommentButtonProps) {
  const text = line.comment ?? texts.reviews.addComment;
  return (
    <button
      type="button"
      className="link"
      aria-label={texts.reviews.commentOf(text, line.identityName, line.serviceName)}
      title={text}
      onClick={() => {
        open(line);
      }}
    >
      {text}
    </button>
  );
}

const END_WORDS: Readonly<Partial<Record<Decision, string>>> = {
  KEEP: texts.reviews.renew,
  REVOKE: texts.reviews.end,
};

/** The end that decisions gave the role assignments, and the way to give another one. */
function Assignments({ line, open }: { readonly line: Line; readonly open: Open | undefined }) {
  const { assignmentsUntil, decision, identityName, serviceName } = line;
  const word = END_WORDS[decision];
  const day =
    assignmentsUntil === null ? undefined : new Date(assignmentsUntil).toLocaleDateString();
  if (!open || word === undefined)
    return <span title={assignmentsUntil ?? ''}>{day ?? texts.none}</span>;
  const text = day ?? word;
  return (
    <button
      type="button"
      className="link"
      aria-label={texts.reviews.assignmentsOf(text, identityName, serviceName)}
      title={assignmentsUntil ?? text}
      onClick={() => {
        open(line);
      }}
    >
      {text}
    </button>
  );
}

interface DecisionFieldProps {
  readonly line: Line;
  readonly decide: Decide;
}

/** The element of the browser: a table may have thousands of them. */
function DecisionField({ line, decide }: DecisionFieldProps) {
  const [shown, setShown] = useState(line);
  // With the keyboard, the way to a decision goes over others: it is shown before it is stored.
  const [chosen, setChosen] = useState<Decision>();
  if (shown !== line) {
    setShown(line);
    setChosen(undefined);
  }
  return (
    <select
      aria-label={texts.reviews.decisionOn(line.identityName, line.serviceName)}
      value={chosen ?? line.decision}
      onChange={(event) => {
        const decision = DECISIONS.find((each) => each === event.currentTarget.value);
        if (!decision) return;
        setChosen(decision);
        decide(line, decision).catch(() => {
          setChosen(undefined);
        });
      }}
    >
      {DECISIONS.map((each) => (
        <option key={each} value={each}>
          {wordsOfValue(each)}
        </option>
      ))}
    </select>
  );
}
