import { MultiSelect } from '@mantine/core';
import { GRANTABLE } from '../description/grantable.js';
import { texts } from '../texts.js';

interface PermissionsFieldProps {
  readonly label: string;
  readonly description: string;
  readonly error: string | undefined;
  readonly isRequired: boolean;
  readonly permissions: readonly string[];
  readonly change: (permissions: readonly string[]) => void;
}

/** Edits a list of permissions. */
export function PermissionsField(props: PermissionsFieldProps) {
  const { permissions, change, isRequired, ...shown } = props;
  return (
    <MultiSelect
      {...shown}
      withAsterisk={isRequired}
      searchable
      hidePickedOptions
      openOnFocus={false}
      nothingFoundMessage={texts.select.nothing}
      data={[...new Set([...GRANTABLE, ...permissions])]}
      value={[...permissions]}
      onChange={change}
    />
  );
}
