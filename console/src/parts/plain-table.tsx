import { Table } from '@mantine/core';
import type { ReactNode } from 'react';

interface PlainTableProps {
  readonly label: string;
  readonly heads: readonly string[];
  /** The key of a row with its cells. */
  readonly rows: readonly (readonly [key: string, cells: readonly ReactNode[]])[];
}

/** A short table. */
export function PlainTable({ label, heads, rows }: PlainTableProps) {
  return (
    <Table aria-label={label} verticalSpacing={4} horizontalSpacing="xs">
      <Table.Thead>
        <Table.Tr>
          {heads.map((head) => (
            <Table.Th key={head}>{head}</Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map(([key, cells]) => (
          <Table.Tr key={key}>
            {cells.map((cell, i) => (
              // The cells of a row have the order of the heads.
              <Table.Td key={heads[i]}>{cell}</Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
