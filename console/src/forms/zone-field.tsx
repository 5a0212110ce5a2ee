import { Select } from '@mantine/core';
import { texts } from '../texts.js';

interface ZoneFieldProps {
  readonly label: string;
  readonly description: string;
  readonly error: string | undefined;
  readonly isRequired: boolean;
  readonly zone: string | undefined;
  readonly change: (zone: string | undefined) => void;
}

const MAX_SHOWN = 50;

/** Browsers leave `UTC` out of their list. */
const ZONES: readonly string[] = [...new Set([...Intl.supportedValuesOf('timeZone'), 'UTC'])];

/** The zone in which the browser shows times. */
export const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Edits a time zone of those that the browser has; another one that is set stays. */
export function ZoneField({ zone, change, isRequired, ...shown }: ZoneFieldProps) {
  const zones = zone === undefined || ZONES.includes(zone) ? ZONES : [...ZONES, zone];
  return (
    <Select
      {...shown}
      withAsterisk={isRequired}
      placeholder={texts.select.placeholder}
      searchable
      clearable={!isRequired}
      openOnFocus={false}
      limit={MAX_SHOWN}
      nothingFoundMessage={texts.select.nothing}
      data={[...zones]}
      value={zone ?? null}
      onChange={(next) => {
        change(next ?? undefined);
      }}
    />
  );
}
