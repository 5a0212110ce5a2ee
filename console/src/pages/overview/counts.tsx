import { Link } from '@tanstack/react-router';
import { kindNames } from '../../description/names.js';
import type { OverviewResult } from '../../emitted/operations.js';
import { Panel } from '../../parts/panel.js';
import { PlainTable } from '../../parts/plain-table.js';
import { texts } from '../../texts.js';

type Counted = NonNullable<OverviewResult['overview']>['counts'];

/** How many entities of each kind there are; each number leads to their list. */
export function Counts({ counts }: { counts: Counted }) {
  const rows = kindNames().flatMap(({ list, many }) => {
    const count = counts[list as keyof Counted];
    if (typeof count !== 'number') return [];
    const link = (
      <Link to="/entities/$list" params={{ list }}>
        {many}
      </Link>
    );
    return [[list, [link, count.toLocaleString()]] as const];
  });
  return (
    <Panel title={texts.overview.counts}>
      {rows.length === 0 ? (
        texts.overview.nothing
      ) : (
        <PlainTable
          label={texts.overview.counts}
          heads={[texts.overview.kind, texts.overview.count]}
          rows={rows}
        />
      )}
    </Panel>
  );
}
