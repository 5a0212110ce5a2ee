import { Select } from '@mantine/core';
import { texts } from '../../texts.js';

interface ValidForProps {
  /** A key of the words. */
  readonly hours: string;
  readonly setHours: (hours: string) => void;
}

export const FIRST_HOURS = '24';

const HOUR_MS = 3_600_000;

export const endOf = (hours: string): string =>
  new Date(Date.now() + Number(hours) * HOUR_MS).toISOString();

/** Chooses how long an invitation is valid. */
export function ValidFor({ hours, setHours }: ValidForProps) {
  return (
    <Select
      label={texts.enrollment.validFor}
      data={Object.entries(texts.enrollment.hours).map(([value, label]) => ({ value, label }))}
      value={hours}
      allowDeselect={false}
      onChange={(value) => {
        setHours(value ?? FIRST_HOURS);
      }}
    />
  );
}
