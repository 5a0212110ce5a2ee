import { Modal } from '@mantine/core';
import { useLayoutEffect, useState, type ReactNode } from 'react';

interface DialogProps {
  readonly title: string;
  readonly size?: 'md' | 'lg';
  readonly close: () => void;
  readonly children: ReactNode;
}

/** A dialog that is open while it is on the page. The focus then goes back to where it was. */
export function Dialog({ title, size = 'md', close, children }: DialogProps) {
  const [before] = useState(() => document.activeElement);
  useLayoutEffect(
    () => () => {
      if (before instanceof HTMLElement) before.focus({ preventScroll: true });
    },
    [before],
  );
  return (
    <Modal opened onClose={close} title={title} size={size}>
      {children}
    </Modal>
  );
}
