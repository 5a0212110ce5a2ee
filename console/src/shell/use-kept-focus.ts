import { useEffect } from 'react';

/** Parts of a page that readers can tell apart. */
const PARTS =
  'main, section, form, fieldset, dialog, [role=region], [role=dialog], [role=tabpanel], [tabindex]';

/**
 * Keeps the focus of the keyboard: when the focused control vanishes, the nearest part around it that
 * stays gets the focus. A control that was off for a while, such as a button that sends, gets it back.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    const keptFocus = new KeptFocus();
    const remember = ({ target }: FocusEvent): void => {
      keptFocus.remember(target);
    };
    const forget = ({ relatedTarget }: FocusEvent): void => {
      // Browsers tell this of a control that is being removed, too.
      if (relatedTarget === null)
        queueMicrotask(() => {
          keptFocus.forget();
        });
    };
    const observer = new MutationObserver(() => {
      keptFocus.giveBack();
    });
    document.addEventListener('focusin', remember);
    document.addEventListener('focusout', forget);
    observer.observe(document.body, {
      childList: true,
      subtree: true,
      attributeFilter: ['disabled'],
    });
    return () => {
      document.removeEventListener('focusin', remember);
      document.removeEventListener('focusout', forget);
      observer.disconnect();
    };
  }, []);
}

class KeptFocus {
  #focused: HTMLElement | undefined;
  #wasOff = false;
  #around: readonly HTMLElement[] = [];

  remember(target: EventTarget | null): void {
    this.#focused = target instanceof HTMLElement ? target : undefined;
    this.#wasOff = false;
    this.#around = this.#focused ? partsAround(this.#focused) : [];
  }

  /** The reader has left the control for nothing else. */
  forget(): void {
    const isThere = this.#focused?.isConnected === true && !this.#focused.matches(':disabled');
    if (isThere && !this.#wasOff && document.hasFocus()) this.#focused = undefined;
  }

  giveBack(): void {
    const focused = this.#focused;
    const isLost = document.activeElement === document.body;
    if (!focused) return;
    if (!focused.isConnected) {
      if (isLost) this.#giveToPart();
    } else if (focused.matches(':disabled')) this.#wasOff = true;
    else if (isLost && this.#wasOff) focused.focus({ preventScroll: true });
  }

  /** Where no page is shown yet, it waits for one. */
  #giveToPart(): void {
    const part = this.#around.find((each) => each.isConnected) ?? document.querySelector('main');
    if (!part) return;
    this.#focused = undefined;
    focusPart(part);
  }
}

function partsAround(element: Element): readonly HTMLElement[] {
  const part = element.parentElement?.closest<HTMLElement>(PARTS);
  return part ? [part, ...partsAround(part)] : [];
}

function focusPart(part: HTMLElement): void {
  if (!part.hasAttribute('tabindex')) part.tabIndex = -1;
  part.focus({ preventScroll: true });
}
