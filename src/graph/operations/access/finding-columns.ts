import type { Column } from '../../../kernel/graph/rest-operation.js';

/** The columns of findings as CSV. */

interface SelectedFinding {
  readonly id: string;
  readonly kind: string;
  readonly severity: string;
  readonly text: string;
  readonly entities: readonly {
    readonly kind: string;
    readonly id: string;
    readonly name: string | null;
  }[];
}

export const FINDING_COLUMNS: readonly Column[] = [
  ['kind', ({ kind }: SelectedFinding) => kind],
  ['severity', ({ severity }: SelectedFinding) => severity],
  ['entityKind', ({ entities }: SelectedFinding) => entities[0]?.kind ?? ''],
  ['entityId', ({ entities }: SelectedFinding) => entities[0]?.id ?? ''],
  ['entity', ({ entities }: SelectedFinding) => entities[0]?.name ?? ''],
  ['text', ({ text }: SelectedFinding) => text],
  ['id', ({ id }: SelectedFinding) => id],
];
