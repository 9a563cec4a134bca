import { Table, Text } from '@mantine/core';
import type { Header } from './curl-command.ts';
import classes from './webhooks.module.css';

/** Untrusted header values: rendered as text only. */
export function HeaderTable({ label, headers }: { label: string; headers: readonly Header[] }) {
  if (headers.length === 0) return null;
  return (
    <div>
      <Text size="sm" fw={550} mb={4}>
        {label}
      </Text>
      <Table aria-label={label} verticalSpacing={4} horizontalSpacing="xs" layout="fixed">
        <Table.Tbody>
          {headers.map(({ name, value }) => (
            <Table.Tr key={`${name} ${value}`}>
              <Table.Th scope="row" fw={400} w="38%" className={classes.code}>
                {name}
              </Table.Th>
              <Table.Td className={classes.code}>{value}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
