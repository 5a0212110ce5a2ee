import { Modal, Table } from '@mantine/core';
import { texts } from '../texts.js';
import type { NavigationGroup } from './navigation.js';

interface HelpDialogProps {
  readonly groups: readonly NavigationGroup[];
  readonly isOpen: boolean;
  readonly close: () => void;
}

/** Lists the keys of the pages that the caller may see. */
export function HelpDialog({ groups, isOpen, close }: HelpDialogProps) {
  const pages = groups.flatMap(({ items }) =>
    items.flatMap(({ key, title }) => (key === undefined ? [] : [[`g ${key}`, title] as const])),
  );
  return (
    <Modal opened={isOpen} onClose={close} title={texts.help.title} size="lg">
      <div className="stack">
        <div className="dim">{texts.help.lead}</div>
        <div className="grid">
          <KeyTable title={texts.help.general} rows={GENERAL} />
          <KeyTable title={texts.help.goTo} rows={pages} />
        </div>
      </div>
    </Modal>
  );
}

const GENERAL: readonly (readonly [string, string])[] = [
  ['?', texts.help.thisHelp],
  ['/', texts.help.search],
  ['d', texts.help.scheme],
  ['Esc', texts.help.escape],
];

function KeyTable({
  title,
  rows,
}: {
  title: string;
  rows: readonly (readonly [string, string])[];
}) {
  return (
    <section>
      <h3>{title}</h3>
      <Table withRowBorders={false} verticalSpacing={3}>
        <Table.Tbody>
          {rows.map(([keys, what]) => (
            <Table.Tr key={keys}>
              <Table.Td w={90}>
                {keys.split(' ').map((key) => (
                  <span key={key}>
                    <kbd>{key}</kbd>{' '}
                  </span>
                ))}
              </Table.Td>
              <Table.Td>{what}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}
