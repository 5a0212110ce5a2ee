import { useEffect } from 'react';
import { isVisible } from './use-is-visible.js';

/** Calls after each interval while the page is visible. */
export function useEvery(milliseconds: number | undefined, call: () => void): void {
  useEffect(() => {
    if (milliseconds === undefined) return undefined;
    const timer = setInterval(() => {
      if (isVisible()) call();
    }, milliseconds);
    return () => {
      clearInterval(timer);
    };
  }, [milliseconds, call]);
}
