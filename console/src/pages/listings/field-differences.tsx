import { SegmentedControl, Stack, Table, Text } from '@mantine/core';
import { useState } from 'react';
import { StatusBadge, type Tone } from '../../parts/status-badge.tsx';
import { t, textOrWords } from '../../texts/t.ts';
import { valueText } from '../locations/value-text.ts';
import { differencesOf, type Listing, whyNotCompared } from './listing-values.ts';
import classes from './listings.module.css';

type Compared = Listing['fields'][number];

const tones: Record<Compared['status'], Tone> = {
  MATCH: 'good',
  PRESENT: 'good',
  MISMATCH: 'warning',
  MISSING: 'bad',
  NOT_APPLICABLE: 'neutral',
};

export function FieldDifferences({ listing }: { listing: Listing }) {
  const [shown, setShown] = useState(differencesOf(listing) > 0 ? 'different' : 'all');
  if (listing.fields.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {t(`listings.notCompared.${whyNotCompared(listing)}`)}
      </Text>
    );
  }
  const rows = listing.fields.filter(({ status }) => shown === 'all' || status === 'MISMATCH' || status === 'MISSING');
  return (
    <Stack gap="sm">
      <SegmentedControl
        aria-label={t('listings.shownFields')}
        data={[
          { value: 'different', label: t('listings.onlyDifferent', { count: differencesOf(listing) }) },
          { value: 'all', label: t('listings.allFields', { count: listing.fields.length }) },
        ]}
        value={shown}
        onChange={setShown}
        style={{ alignSelf: 'start' }}
      />
      {rows.length === 0 ? (
        <Text size="sm">{t('listings.allMatch')}</Text>
      ) : (
        <Table
          aria-label={t('listings.fieldDifferences')}
          verticalSpacing="xs"
          horizontalSpacing="sm"
          className={classes.differences}
        >
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('listings.field')}</Table.Th>
              <Table.Th>{t('listings.here')}</Table.Th>
              <Table.Th>{t('listings.there', { directory: listing.typeName })}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row) => (
              <FieldRow key={row.field} row={row} />
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Stack>
  );
}

function FieldRow({ row: { field, status, locationValue, directoryValue } }: { row: Compared }) {
  return (
    <Table.Tr className={classes.compared} data-status={status}>
      <Table.Th scope="row" fw={550}>
        <Stack gap={4} align="start">
          {textOrWords('locations.fields', field)}
          <StatusBadge tone={tones[status]} size="sm">
            {textOrWords('listings.fieldStatus', status)}
          </StatusBadge>
        </Stack>
      </Table.Th>
      <Table.Td className={classes.value}>{valueText(field, locationValue)}</Table.Td>
      <Table.Td className={classes.value}>{valueText(field, directoryValue)}</Table.Td>
    </Table.Tr>
  );
}
