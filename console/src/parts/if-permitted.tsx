import type { ReactNode } from 'react';
import { useMay } from '../graph/caller-context.js';
import { texts } from '../texts.js';

interface IfPermittedProps {
  /** The mutation of the graph for which the form is. */
  readonly operation: string | undefined;
  readonly children: ReactNode;
}

/** Shows a form to callers who may send it, and words to others: they come by an address alone. */
export function IfPermitted({ operation, children }: IfPermittedProps) {
  const may = useMay();
  return may('Mutation', operation) ? (
    children
  ) : (
    <div className="notice">{texts.failure.noPermission}</div>
  );
}
