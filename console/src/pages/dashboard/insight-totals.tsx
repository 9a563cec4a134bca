import { Table } from '@mantine/core';
import type { ResponseOf } from '../../api/call.ts';
import { Delta } from '../../parts/delta.tsx';
import { numberText } from '../../parts/number-text.ts';
import { t } from '../../texts/t.ts';
import { metricName } from './metric-name.ts';

type Metric = ResponseOf<'GET /api/dashboard/insights-data'>['metrics'][number];

export const sumOf = (metric: Metric | undefined) => metric?.data.reduce((sum, { count }) => sum + count, 0);

interface Props {
  now: readonly Metric[];
  before: readonly Metric[] | undefined;
  /** The previous period is loading. */
  isComparing: boolean;
}

export function InsightTotals({ now, before, isComparing }: Props) {
  return (
    <Table.ScrollContainer minWidth={240}>
      <Table verticalSpacing={6} horizontalSpacing="xs" aria-label={t('dashboard.insights.totals')}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{t('dashboard.insights.metric')}</Table.Th>
            <Table.Th scope="col" ta="right">
              {t('dashboard.now')}
            </Table.Th>
            <Table.Th scope="col" ta="right" visibleFrom="xs">
              {t('dashboard.before')}
            </Table.Th>
            <Table.Th scope="col">{t('dashboard.change')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {now.map((metric) => {
            const previousTotal = sumOf(before?.find(({ name }) => name === metric.name));
            return (
              <Table.Tr key={metric.name}>
                <Table.Th scope="row" fw={500}>
                  {metricName(metric.name)}
                </Table.Th>
                <Table.Td ta="right">{numberText(sumOf(metric) ?? 0)}</Table.Td>
                <Table.Td ta="right" visibleFrom="xs">
                  {previousTotal === undefined ? t('dashboard.key.none') : numberText(previousTotal)}
                </Table.Td>
                <Table.Td>
                  <Delta now={sumOf(metric)} before={previousTotal} isLoading={isComparing} isFocusable={false} />
                </Table.Td>
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
