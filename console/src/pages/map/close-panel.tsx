import { ActionIcon } from '@mantine/core';
import { Icon } from '../../parts/icon.js';

/** The cross in the corner of a panel beside the picture. */
export function ClosePanel({ label, close }: { label: string; close: () => void }) {
  return (
    <ActionIcon variant="subtle" color="gray" aria-label={label} onClick={close}>
      <Icon name="close" />
    </ActionIcon>
  );
}
