import { Group, SegmentedControl, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ApiProblem } from '../../api/api-problem.ts';
import { callWith, type ResponseOf } from '../../api/call.ts';
import { Chart } from '../../parts/chart.tsx';
import { numberText, percentText } from '../../parts/number-text.ts';
import { type Range, rangeMs, ranges } from '../../parts/periods.ts';
import { Section } from '../../parts/section.tsx';
import { durationText } from '../../parts/time-text.ts';
import { TryAgain } from '../../parts/try-again.tsx';
import { t } from '../../texts/t.ts';

interface Props {
  webhookId: number;
  range: Range;
  onRange: (range: Range) => void;
}

const chartHeight = 180;
const beatMs: Record<Range, number> = { '1h': 10_000, '24h': 60_000, '7d': 300_000, '30d': 300_000 };

export function WebhookCharts({ webhookId, range, onRange }: Props) {
  const found = useStatistics(webhookId, range);
  const { data, error } = found;
  const rows = useMemo(
    () =>
      data?.buckets.map(({ start, delivered, failed, successRate, latency }) => ({
        start,
        delivered,
        failed,
        successRate,
        p50: latency?.p50,
        p95: latency?.p95,
        p99: latency?.p99,
      })) ?? [],
    [data],
  );
  const common = {
    rows,
    along: 'start' as const,
    alongLabel: t('webhook.charts.time'),
    alongText: (value: string) => momentText(value, range),
    height: chartHeight,
  };
  return (
    <Section
      title={t('webhook.charts.title')}
      actions={
        <SegmentedControl
          size="xs"
          aria-label={t('webhook.charts.range')}
          data={ranges.map((value) => ({ value, label: t(`webhook.charts.ranges.${value}`) }))}
          value={range}
          onChange={(value) => onRange(value as Range)}
        />
      }
    >
      <Stack gap="sm">
        {error && <TryAgain error={error} onRetry={found.refetch} />}
        {(data || !error) && (
          <SimpleGrid cols={{ base: 1, md: 3 }} spacing="xl">
            <Figure
              label={t('webhook.charts.volume')}
              value={data && numberText(data.totals.delivered + data.totals.failed)}
              text={
                data && data.totals.discarded > 0
                  ? `${numberText(data.totals.discarded)} ${t('webhook.charts.discarded').toLowerCase()}`
                  : ''
              }
            >
              <Chart
                {...common}
                kind="stacked-bar"
                label={t('webhook.charts.volume')}
                series={[
                  { key: 'delivered', label: t('webhook.charts.delivered'), color: 'teal' },
                  { key: 'failed', label: t('webhook.charts.failed'), color: 'red' },
                ]}
              />
            </Figure>
            <Figure
              label={t('webhook.charts.success')}
              value={data && (data.totals.successRate === undefined ? '–' : percentText(data.totals.successRate))}
            >
              <Chart
                {...common}
                kind="area"
                label={t('webhook.charts.success')}
                series={[{ key: 'successRate', label: t('webhook.charts.rate'), color: 'teal' }]}
                valueText={percentText}
                scale={[0, 1]}
              />
            </Figure>
            <Figure
              label={t('webhook.charts.latency')}
              value={data && (data.totals.latency ? upTo(data.totals.latency.p50) : '–')}
              text={data?.totals.latency && t('webhook.charts.p95Of', { time: upTo(data.totals.latency.p95) })}
            >
              <Chart
                {...common}
                kind="line"
                label={t('webhook.charts.latency')}
                series={[
                  { key: 'p50', label: t('webhook.charts.p50'), color: 'harbour' },
                  { key: 'p95', label: t('webhook.charts.p95'), color: 'orange' },
                  { key: 'p99', label: t('webhook.charts.p99'), color: 'grape' },
                ]}
                valueText={upTo}
                tickText={shortDuration}
              />
            </Figure>
          </SimpleGrid>
        )}
      </Stack>
    </Section>
  );
}

const statistics = 'GET /api/sales-partners/webhooks/{id}/statistics';

/** The key has the range, not its start, which moves with each request: a failed request keeps the data. */
function useStatistics(id: number, range: Range) {
  const bucket = range === '1h' ? 'MINUTE' : range === '30d' ? 'DAY' : 'HOUR';
  return useQuery<ResponseOf<typeof statistics>, ApiProblem>({
    queryKey: [statistics, { id, range }],
    queryFn: ({ signal }) => {
      const since = new Date(Date.now() - rangeMs[range]).toISOString();
      return callWith(statistics, { path: { id }, query: { since, bucket } }, { signal });
    },
    refetchInterval: beatMs[range],
    placeholderData: keepPreviousData,
  });
}

interface FigureProps {
  label: string;
  /** Undefined while loading. */
  value: string | undefined;
  text?: string | undefined;
  children: React.ReactNode;
}

function Figure({ label, value, text, children }: FigureProps) {
  return (
    <Stack gap={0} miw={0}>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Group gap="xs" align="baseline" mih={36}>
        <Text fz={24} fw={650}>
          {value ?? '…'}
        </Text>
        {text && (
          <Text size="xs" c="dimmed">
            {text}
          </Text>
        )}
      </Group>
      {value === undefined ? <Skeleton height={chartHeight + 32} /> : children}
    </Stack>
  );
}

const shortDuration = (ms: number) => durationText(ms).replaceAll(' ', '\u00a0');

/** Percentiles are upper bin limits; the last bin has none. */
const lastBinMs = { from: 28_700, shown: 35_873 };
const upTo = (ms: number) =>
  ms < lastBinMs.shown
    ? t('webhook.charts.upTo', { time: shortDuration(ms) })
    : t('webhook.charts.above', { time: shortDuration(lastBinMs.from) });

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const weekday = new Intl.DateTimeFormat('en-GB', { weekday: 'short', hour: '2-digit', minute: '2-digit' });
const date = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

function momentText(value: string, range: Range): string {
  const moment = new Date(value);
  if (Number.isNaN(moment.getTime())) return value;
  return (range === '30d' ? date : range === '7d' ? weekday : clock).format(moment);
}
