import { useState } from 'react';
import { wordsOf } from '../../description/names.js';
import { ChangeRows, type ChangeRowsResult } from '../../emitted/operations.js';
import { askPartly } from '../../graph/ask.js';
import { useLiveRows } from '../../graph/use-live.js';
import type { PartWanted, RowsPart } from '../../graph/use-rows.js';
import { EntityLink } from '../entity-link.js';
import { Instant } from '../instant.js';
import { LongTable, type Column } from '../long-table.js';
import { texts } from '../../texts.js';
import { Actor } from './actor.js';
import { ChangeDialog } from './change-dialog.js';

type ChangeRow = NonNullable<ChangeRowsResult['changes']>['nodes'][number];

const NEWEST_FIRST = 'id desc';

async function readChanges(
  filter: string | undefined,
  { offset, first, signal }: PartWanted,
): Promise<RowsPart<ChangeRow>> {
  const variables = { filter, sort: NEWEST_FIRST, first, offset };
  const { data, failures } = await askPartly(ChangeRows, variables, { signal });
  const [failure] = failures;
  if (!data?.changes && failure) throw failure;
  return data?.changes ?? { totalCount: 0, nodes: [] };
}

interface ChangeTableProps {
  readonly label: string;
  readonly filter?: string | undefined;
  /** Grows when there are new changes. */
  readonly round?: number;
}

/** Changes of the log, the newest first; each opens with its differences. */
export function ChangeTable({ label, filter, round = 0 }: ChangeTableProps) {
  const [opened, setOpened] = useState<string>();
  const rows = useLiveRows(`changes ${filter ?? ''}`, (part) => readChanges(filter, part), round);
  return (
    <>
      <LongTable label={label} columns={columnsOf(setOpened)} rows={rows} />
      <ChangeDialog
        id={opened}
        close={() => {
          setOpened(undefined);
        }}
      />
    </>
  );
}

const columnsOf = (open: (id: string) => void): readonly Column<ChangeRow>[] => [
  {
    name: 'at',
    title: texts.changes.at,
    width: '12rem',
    show: ({ id, at }) => (
      <button
        type="button"
        className="link"
        onClick={() => {
          open(id);
        }}
      >
        <Instant at={at} />
      </button>
    ),
  },
  {
    name: 'actor',
    title: texts.changes.actor,
    width: 'minmax(8rem, 1fr)',
    show: ({ actorId, actor }) => <Actor actorId={actorId} name={actor?.name} />,
  },
  {
    name: 'operation',
    title: texts.changes.operation,
    width: '6rem',
    show: ({ operation }) => (
      <span className={`tag ${TONES[operation]}`}>{wordsOf(operation)}</span>
    ),
  },
  {
    name: 'type',
    title: texts.changes.type,
    width: 'minmax(8rem, 1fr)',
    show: ({ type }) => wordsOf(type),
  },
  {
    name: 'entity',
    title: texts.changes.entity,
    width: 'minmax(10rem, 2fr)',
    show: ({ type, entityId, entityName }) => (
      <EntityLink type={type} id={entityId} name={entityName} />
    ),
  },
  {
    name: 'reason',
    title: texts.changes.reason,
    width: 'minmax(8rem, 2fr)',
    show: ({ reason }) => reason ?? texts.none,
  },
];

const TONES = { create: 'good', update: 'info', delete: 'bad' } as const;
