import { ActionIcon } from '@mantine/core';
import { Icon } from '../../parts/icon.js';
import { texts } from '../../texts.js';

/** Chooses nothing any more. */
export const CloseButton = ({ close }: { close: () => void }) => (
  <ActionIcon variant="subtle" color="gray" aria-label={texts.traffic.close} onClick={close}>
    <Icon name="close" />
  </ActionIcon>
);
