import { attributeOf, type SelectedEntity } from '../kernel/declare/rows.js';
import { sectionsOf, type Section } from '../transfer/index.js';
import { describe, faultsOf, type Fault, type Subject } from './integrity-faults.js';
import { isSafe, repair } from './repair.js';
import { refusalsOf } from './rules.js';
import type { Run } from './run.js';
import { called, checkedResources, slicesOf, subjectOf } from './tables.js';

/** Looks at every row of every resource, a slice at a time. */
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
  const found = rows.map((row, i) => ({ row, faults: faults[i] ?? [] }));
  const faulty = found.filter((each) => each.faults.length > 0);
  const curable = faulty.filter((each) => each.faults.some(isSafe)).map(({ row }) => row);
  const fixed = fixing ? await repair(run, subject, curable) : new Set<string>();
  for (const each of faulty) report(run, subject, each, fixed.has(each.row.id));
  // What the controller keeps itself nobody may replace.
  const sound = found.filter(
    (each) => each.faults.length === 0 && attributeOf(each.row, 'isSystem') !== true,
  );
  if (section) {
    await checkRules(
      run,
      section,
      sound.map(({ row }) => row),
    );
  }
}

function report(
  { findings, ctx }: Run,
  { resource }: Subject,
  { row, faults }: { readonly row: SelectedEntity; readonly faults: readonly Fault[] },
  isFixed: boolean,
): void {
  // With the row everything goes that is wrong with it.
  const isGone = faults.some(({ kind }) => kind === 'orphan');
  for (const fault of faults) {
    const description = `${called(resource, row)} ${describe(fault, ctx.catalog)}`;
    findings.add(description, isFixed && (isGone || isSafe(fault)));
  }
}

/** Rows with other faults would only be refused for those. */
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
    run.findings.add(`${called(resource, row)} would be refused today: ${refusal}`, false);
  }
}
