import { RuleViolations as Violations } from '../emitted/operations.js';
import { ask } from '../graph/ask.js';
import { useChangeRounds } from '../graph/use-change-rounds.js';
import { useLiveRows } from '../graph/use-live.js';
import type { PartWanted } from '../graph/use-rows.js';
import { LongTable } from './long-table.js';
import { texts } from '../texts.js';
import { PAIR_COLUMNS, whyColumn } from './access/pair-columns.js';

const COLUMNS = [...PAIR_COLUMNS, whyColumn(undefined)];

/** The pairs that violate an access rule at present. Each row leads to the question why. */
export function RuleViolations({ id }: { id: string }) {
  const round = useChangeRounds();
  const rows = useLiveRows(id, (part) => readViolations(id, part), round);
  return (
    <>
      <p className="dim">{texts.rules.violationsHelp}</p>
      <LongTable label={texts.rules.violations} columns={COLUMNS} rows={rows} />
    </>
  );
}

async function readViolations(id: string, { offset, first, signal }: PartWanted) {
  const { accessRule } = await ask(Violations, { id, first, offset }, { signal });
  return accessRule?.violations ?? { totalCount: 0, nodes: [] };
}
