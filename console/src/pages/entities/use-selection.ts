import { useState } from 'react';

/** The selected entities of a list. */
export interface Selection {
  /** Identifies the list and its filter: another one begins with nothing selected. */
  readonly key: string;
  readonly ids: ReadonlySet<string>;
  readonly toggle: (id: string) => void;
  readonly replace: (ids: readonly string[]) => void;
}

interface Held {
  readonly key: string;
  readonly ids: ReadonlySet<string>;
}

const NONE: ReadonlySet<string> = new Set();

export function useSelection(key: string): Selection {
  const [held, setHeld] = useState<Held>({ key, ids: NONE });
  const idsIn = (before: Held): ReadonlySet<string> => (before.key === key ? before.ids : NONE);
  return {
    key,
    ids: idsIn(held),
    toggle: (id) => {
      setHeld((before) => {
        const others = [...idsIn(before)].filter((other) => other !== id);
        return { key, ids: new Set(idsIn(before).has(id) ? others : [...others, id]) };
      });
    },
    replace: (ids) => {
      setHeld({ key, ids: new Set(ids) });
    },
  };
}
