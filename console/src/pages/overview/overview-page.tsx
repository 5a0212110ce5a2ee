import { Table } from '@mantine/core';
import { kindNames } from '../../description/names.js';
import { Overview, type OverviewResult } from '../../emitted/operations.js';
import { useAnswer } from '../../graph/use-answer.js';
import { FailureNotice } from '../../parts/failure-notice.js';
import { texts } from '../../texts.js';

const REFRESH_MS = 15_000;

/** Shows how many entities of each kind there are, as far as the caller may read them. */
export function OverviewPage() {
  const { data, failure } = useAnswer(Overview, {}, { every: REFRESH_MS });
  return (
    <div className="stack">
      <h1>{texts.pages.overview}</h1>
      <FailureNotice failure={failure} />
      {data?.summary ? <Counts summary={data.summary} /> : null}
    </div>
  );
}

type Summary = NonNullable<OverviewResult['summary']>;

function Counts({ summary }: { summary: Summary }) {
  const counts = kindNames().flatMap(({ list, many }) => {
    const count = summary[list as keyof Summary];
    return typeof count === 'number' ? [{ list, many, count }] : [];
  });
  if (counts.length === 0) return <div className="notice">{texts.overview.nothing}</div>;
  return (
    <section className="panel counts">
      <header>
        <h2>{texts.overview.counts}</h2>
      </header>
      <Table verticalSpacing={4} horizontalSpacing="md">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{texts.overview.kind}</Table.Th>
            <Table.Th ta="right">{texts.overview.count}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {counts.map(({ list, many, count }) => (
            <Table.Tr key={list}>
              <Table.Td>{many}</Table.Td>
              <Table.Td ta="right" className="number">
                {count.toLocaleString()}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}
