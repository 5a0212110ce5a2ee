import { useLayoutEffect, useRef } from 'react';

/** Keys in order -> what they do: `g i`, `/`, `?`. */
export type Keys = Readonly<Record<string, () => void>>;

const PAUSE_MS = 1200;

/** Listens to keys that are pressed one after the other, except in fields and dialogs. */
export function useKeys(keys: Keys): void {
  const latest = useRef(keys);
  latest.current = keys;
  // Before the page is painted, so that no key of somebody who sees it is lost.
  useLayoutEffect(() => {
    let pressed = '';
    let timer: ReturnType<typeof setTimeout> | undefined;
    const listen = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (document.querySelector('[role="dialog"]')) return;
      clearTimeout(timer);
      const wanted = pressed === '' ? event.key : `${pressed} ${event.key}`;
      const call = latest.current[wanted] ?? latest.current[event.key];
      pressed = '';
      if (call) {
        event.preventDefault();
        call();
      } else if (Object.keys(latest.current).some((each) => each.startsWith(`${wanted} `))) {
        pressed = wanted;
        timer = setTimeout(() => {
          pressed = '';
        }, PAUSE_MS);
      }
    };
    window.addEventListener('keydown', listen);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('keydown', listen);
    };
  }, []);
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}
