import { Button, Checkbox, Popover } from '@mantine/core';
import type { Kind } from '../../description/description.js';
import { shownFields } from '../../description/fields.js';
import { wordsOf } from '../../description/names.js';
import { useMayRead } from '../../graph/caller-context.js';
import { texts } from '../../texts.js';

interface ColumnMenuProps {
  readonly kind: Kind;
  readonly chosen: readonly string[];
  /** Undefined: those that the list begins with. */
  readonly choose: (names: readonly string[] | undefined) => void;
}

/** Chooses the columns of a list from all fields of its kind. */
export function ColumnMenu({ kind, chosen, choose }: ColumnMenuProps) {
  const mayRead = useMayRead();
  return (
    <Popover position="bottom-end" trapFocus>
      <Popover.Target>
        <Button variant="default">{texts.list.columns}</Button>
      </Popover.Target>
      <Popover.Dropdown className="columns">
        <Checkbox.Group
          aria-label={texts.list.columns}
          value={[...chosen]}
          onChange={(names) => {
            choose(names);
          }}
        >
          <div className="stack tight">
            {shownFields(kind.type, mayRead).map(({ name, description }) => (
              <Checkbox key={name} value={name} label={wordsOf(name)} title={description} />
            ))}
          </div>
        </Checkbox.Group>
        <Button
          variant="subtle"
          onClick={() => {
            choose(undefined);
          }}
        >
          {texts.list.firstColumns}
        </Button>
      </Popover.Dropdown>
    </Popover>
  );
}
