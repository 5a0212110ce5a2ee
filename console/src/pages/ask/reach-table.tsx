import { Reach, type AccessType, type ReachResult } from '../../emitted/operations.js';
import { askPartly } from '../../graph/ask.js';
import { useChangeRounds } from '../../graph/use-change-rounds.js';
import { useLiveRows } from '../../graph/use-live.js';
import type { PartWanted, RowsPart } from '../../graph/use-rows.js';
import { Instant } from '../../parts/instant.js';
import { LongTable, type Column } from '../../parts/long-table.js';
import { useMay } from '../../graph/caller-context.js';
import { texts } from '../../texts.js';
import { PAIR_COLUMNS, whyColumn } from '../../parts/access/pair-columns.js';

type Grant = NonNullable<ReachResult['accesses']>['nodes'][number];

interface ReachTableProps {
  readonly identityId: string | undefined;
  readonly serviceId: string | undefined;
  readonly type: AccessType | undefined;
  readonly at: string | undefined;
}

/** What an identity reaches, or who reaches a service. Each row leads to the question why. */
export function ReachTable(props: ReachTableProps) {
  const may = useMay();
  const hasUse = props.at === undefined && may('Query', 'lastUseRecording');
  const round = useChangeRounds();
  const rows = useLiveRows(
    JSON.stringify(['reach', props, hasUse]),
    (part) => readGrants({ ...props, hasUse }, part),
    round,
  );
  const title = props.identityId === undefined ? texts.ask.whoReaches : texts.ask.whatItReaches;
  return (
    <>
      <h2>{title}</h2>
      <LongTable label={title} columns={columnsOf(props.at, hasUse)} rows={rows} />
    </>
  );
}

async function readGrants(
  variables: ReachTableProps & { readonly hasUse: boolean },
  { offset, first, signal }: PartWanted,
): Promise<RowsPart<Grant>> {
  const { data, failures } = await askPartly(Reach, { ...variables, first, offset }, { signal });
  const [failure] = failures;
  if (!data?.accesses && failure) throw failure;
  return data?.accesses ?? { totalCount: 0, nodes: [] };
}

const columnsOf = (at: string | undefined, hasUse: boolean): readonly Column<Grant>[] => [
  ...PAIR_COLUMNS,
  ...(hasUse ? [LAST_USE] : []),
  whyColumn(at),
];

const LAST_USE: Column<Grant> = {
  name: 'lastUsedAt',
  title: texts.ask.lastUse,
  width: '12rem',
  show: ({ lastUsedAt }) => <Instant at={lastUsedAt} isRelative />,
};
