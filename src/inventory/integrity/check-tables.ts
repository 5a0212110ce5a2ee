import { attributeOf, type SelectedEntity } from '../../kernel/declare/rows.js';
import { sectionsOf, type Section } from '../transfer/index.js';
import { describe, faultsOf, type Fault, type Subject } from './integrity-faults.js';
import { isSafe, repair } from './repair.js';
import { refusalsOf } from './rules.js';
import type { Run } from './run.js';
import { entityText, checkedResources, slicesOf, subjectOf } from './tables.js';

/** Checks every row of every resource, in slices. */
export async function checkTables(run: Run): Promise<void> {
  const { catalog } = run.ctx;
  const sections = sectionsOf(catalog);
  for (const resource of checkedResources(catalog)) {
    const subject = subjectOf(resource, sections);
    const section = sections.find((s) => s.resource === resource);
    for await (const rows of slicesOf(run.ctx, subject)) {
      await checkSlice(run, subject, section, rows);
      await run.checkpoint();
    }
  }
}

async function checkSlice(
  run: Run,
  subject: Subject,
  section: Section | undefined,
  rows: readonly SelectedEntity[],
): Promise<void> {
  const { ctx, fixing } = run;
  const faults = await faultsOf(ctx.store, ctx.catalog, subject, rows);
  const checkedRows = rows.map((row, i) => ({ row, faults: faults[i] ?? [] }));
  const faulty = checkedRows.filter((each) => each.faults.length > 0);
  const repairable = faulty.filter((each) => each.faults.some(isSafe)).map(({ row }) => row);
  const fixed = fixing ? await repair(run, subject, repairable) : new Set<string>();
  for (const each of faulty) report(run, subject, each, fixed.has(each.row.id));
  // Clients can not replace system entities.
  const replaceable = checkedRows.filter(
    (each) => each.faults.length === 0 && attributeOf(each.row, 'isSystem') !== true,
  );
  if (section) {
    await checkRules(
      run,
      section,
      replaceable.map(({ row }) => row),
    );
  }
}

function report(
  { findings, ctx }: Run,
  { resource }: Subject,
  { row, faults }: { readonly row: SelectedEntity; readonly faults: readonly Fault[] },
  isFixed: boolean,
): void {
  // Deleting an orphan resolves its other faults, too.
  const isGone = faults.some(({ kind }) => kind === 'orphan');
  for (const fault of faults) {
    const description = `${entityText(resource, row)} ${describe(fault, ctx.catalog)}`;
    findings.add(description, isFixed && (isGone || isSafe(fault)));
  }
}

/** Checks the rules of rows without other faults, which would be refused for those. */
async function checkRules(
  run: Run,
  section: Section,
  rows: readonly SelectedEntity[],
): Promise<void> {
  const refusals = await refusalsOf(run.ctx, section, rows);
  const { resource } = section;
  for (const [i, row] of rows.entries()) {
    const refusal = refusals[i];
    if (refusal === undefined) continue;
    run.findings.add(`${entityText(resource, row)} would be refused today: ${refusal}`, false);
  }
}
