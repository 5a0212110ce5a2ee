import { Input, NativeSelect, SegmentedControl } from '@mantine/core';
import { useId } from 'react';
import { wordsOf } from '../../description/names.js';
import { TrafficUsage, type TrafficUsageResult } from '../../emitted/operations.js';
import { useAnswer } from '../../graph/use-answer.js';
import { rowsAtHand } from '../../graph/use-rows.js';
import { Bars } from '../../parts/bars.js';
import { EntityLink } from '../../parts/entity-link.js';
import { Instant } from '../../parts/instant.js';
import { LongTable, type Column } from '../../parts/long-table.js';
import { PlainTable } from '../../parts/plain-table.js';
import { texts } from '../../texts.js';
import { Bytes, textOfBytes } from './bytes.js';
import { useReadableNames } from './circuits.js';
import {
  DEFAULT_HOURS,
  HOURS,
  type ChangeSearch,
  type TrafficSearch,
} from '../../addresses/traffic-search.js';

interface UsageViewProps {
  readonly search: TrafficSearch;
  readonly change: ChangeSearch;
}

type UsageRow = NonNullable<TrafficUsageResult['rows']>[number];

interface Hour {
  readonly hour: string;
  readonly sentBytes: number;
  readonly receivedBytes: number;
}

type UsageEnd = 'service' | 'identity';

const ENDS: readonly UsageEnd[] = ['service', 'identity'];
/** As many as the controller gives. */
const MAX_ROWS = 500;
const HOUR_MS = 3_600_000;
/** Routers report once a minute. */
const REFRESH_MS = 60_000;

/** The bytes of the last hours by service or by identity, the largest first. */
export function UsageView({ search, change }: UsageViewProps) {
  const { identity, service, by = 'service', hours = DEFAULT_HOURS } = search;
  const names = useReadableNames();
  const since = sinceOf(hours);
  const { data, isOfOthers, failure, isLoading } = useAnswer(
    TrafficUsage,
    {
      since,
      identityId: identity,
      serviceId: service,
      per: [by],
      ...names,
    },
    { every: REFRESH_MS },
  );
  const rows = (isOfOthers ? undefined : data?.rows) ?? undefined;
  return (
    <div className="stack">
      <UsageControls search={search} change={change} />
      {rows ? <UsageByHour hours={everyHour(since, hours, data)} /> : null}
      <div>
        <LongTable
          label={texts.traffic.usage}
          columns={[nameColumn(by), ...COLUMNS]}
          rows={rowsAtHand(rows, { failure, isLoading })}
        />
      </div>
      {rows?.length === MAX_ROWS ? (
        <div className="dim">{texts.traffic.largestRows(MAX_ROWS)}</div>
      ) : null}
    </div>
  );
}

/** The hour now is the last one. */
function sinceOf(hours: number): string {
  const thisHour = Math.floor(Date.now() / HOUR_MS);
  return new Date((thisHour - hours + 1) * HOUR_MS).toISOString();
}

/** Hours without traffic have no row. */
function everyHour(
  since: string,
  hours: number,
  answer: TrafficUsageResult | undefined,
): readonly Hour[] {
  const begin = Date.parse(since);
  const rows = answer?.hours ?? [];
  const byTime = new Map(rows.map((row) => [Date.parse(row.hour ?? ''), row]));
  return Array.from({ length: hours }, (_, i) => {
    const time = begin + i * HOUR_MS;
    const { sentBytes = 0, receivedBytes = 0 } = byTime.get(time) ?? {};
    return { hour: new Date(time).toISOString(), sentBytes, receivedBytes };
  });
}

function UsageControls({ search, change }: UsageViewProps) {
  const { by = 'service', hours = DEFAULT_HOURS } = search;
  const id = useId();
  return (
    <div className="row end-line">
      <div className="map-choice">
        <Input.Label size="xs" component="div" id={id}>
          {texts.traffic.by}
        </Input.Label>
        <SegmentedControl<UsageEnd>
          aria-labelledby={id}
          value={by}
          data={ENDS.map((end) => ({ value: end, label: wordsOf(end) }))}
          onChange={(next) => {
            change({ by: next === 'identity' ? next : undefined });
          }}
        />
      </div>
      <NativeSelect
        size="xs"
        label={texts.traffic.period}
        value={String(hours)}
        data={HOURS.map((each) => ({ value: String(each), label: texts.traffic.hours(each) }))}
        onChange={(event) => {
          const next = Number(event.currentTarget.value);
          change({ hours: next === DEFAULT_HOURS ? undefined : next });
        }}
      />
    </div>
  );
}

const sumOf = ({ sentBytes, receivedBytes }: Omit<Hour, 'hour'>): number =>
  sentBytes + receivedBytes;

function UsageByHour({ hours }: { hours: readonly Hour[] }) {
  const most = Math.max(0, ...hours.map(sumOf));
  if (most === 0) return <div className="dim">{texts.traffic.noUsage}</div>;
  return (
    <div className="stack tight">
      <Bars
        label={texts.traffic.mostInAnHour(textOfBytes(most))}
        bars={hours.map((hour) => ({
          key: hour.hour,
          value: sumOf(hour),
          title: `${timeOf(hour)}: ${textOfBytes(sumOf(hour))}`,
        }))}
      />
      <details>
        <summary>{texts.overview.asTable}</summary>
        <PlainTable
          label={texts.traffic.usageByHour}
          heads={[texts.overview.hour, texts.traffic.sent, texts.traffic.received]}
          rows={hours.map(({ hour, sentBytes, receivedBytes }) => [
            hour,
            [
              <Instant key="hour" at={hour} />,
              <Bytes key="sent" count={sentBytes} />,
              <Bytes key="received" count={receivedBytes} />,
            ],
          ])}
        />
      </details>
    </div>
  );
}

const timeOf = ({ hour }: Hour): string => new Date(hour).toLocaleString();

const nameColumn = (by: UsageEnd): Column<UsageRow> => ({
  name: by,
  title: wordsOf(by),
  width: 'minmax(12rem, 2fr)',
  show: (row) =>
    by === 'service' ? (
      <EntityLink type="Service" id={row.serviceId ?? ''} name={row.service?.name} />
    ) : (
      <EntityLink type="Identity" id={row.identityId ?? ''} name={row.identity?.name} />
    ),
});

const COLUMNS: readonly Column<UsageRow>[] = [
  {
    name: 'sent',
    title: texts.traffic.sent,
    width: 'minmax(6rem, 1fr)',
    show: ({ sentBytes }) => <Bytes count={sentBytes} />,
  },
  {
    name: 'received',
    title: texts.traffic.received,
    width: 'minmax(6rem, 1fr)',
    show: ({ receivedBytes }) => <Bytes count={receivedBytes} />,
  },
  {
    name: 'sum',
    title: texts.traffic.sum,
    width: 'minmax(6rem, 1fr)',
    show: (row) => <Bytes count={sumOf(row)} />,
  },
];
