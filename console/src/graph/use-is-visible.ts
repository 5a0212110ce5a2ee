import { useSyncExternalStore } from 'react';

/**
 * Whether the page can be seen: it is not in a tab behind others, and its window is not minimized. The hook
 * of the component library says first that it can, and a hidden page would begin its streams.
 */
export const useIsVisible = (): boolean => useSyncExternalStore(subscribe, isVisible);

export const isVisible = (): boolean => document.visibilityState === 'visible';

function subscribe(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener);
  return () => {
    document.removeEventListener('visibilitychange', listener);
  };
}
