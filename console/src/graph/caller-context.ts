import { createContext, useContext } from 'react';
import type { MayRead } from '../description/fields.js';
import { may, type Caller, type Root } from './permissions.js';

const NOBODY: Caller = { id: '', name: '', isAdmin: false, permissions: [] };

export const CallerContext = createContext<Caller>(NOBODY);

export const useCaller = (): Caller => useContext(CallerContext);

/** Tells whether the caller may read entities of a kind. */
export function useMayRead(): MayRead {
  const may = useMay();
  return ({ list }) => may('Query', list);
}

/** Tells whether the caller may call an operation of the graph. */
export function useMay(): (root: Root, operation: string | undefined) => boolean {
  const caller = useCaller();
  return (root, operation) => may(caller, root, operation);
}
